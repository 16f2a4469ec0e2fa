"""What several class docstrings say alike: written once, put in when a class is made."""

SEEN = """\
    n_features_in_, feature_names_in_
        As in scikit-learn.
"""


def documented(parts):
    r"""Make a class decorator that fills the lines ``[name]`` of a docstring.

    Parameters
    ----------
    parts : dict of str -> str
        The text of each name, indented as in a class; it may hold names that come later.

    Returns
    -------
    callable

    Examples
    --------
    >>> @documented({"tol": "    tol : float, default=1e-3\n"})
    ... class Learner:
    ...     '''Learn.
    ...
    ...     [tol]
    ...     '''
    >>> Learner.__doc__.split("\n")[2].strip()
    'tol : float, default=1e-3'
    """

    def fill(learner):
        if learner.__doc__:  # python -OO leaves none
            for name, text in parts.items():
                learner.__doc__ = learner.__doc__.replace(f"    [{name}]\n", text)
        return learner

    return fill
