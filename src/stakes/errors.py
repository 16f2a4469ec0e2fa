"""What a user can mend: an exception that the command line prints, a warning of learners."""

import difflib


class InputError(ValueError):
    """Bad input, told in one sentence that names the thing and the way out.

    Examples
    --------
    >>> raise InputError("There is no file 'a.csv'; check the path.")
    Traceback (most recent call last):
    stakes.errors.InputError: There is no file 'a.csv'; check the path.
    """


class BelowTrivialWarning(UserWarning):
    """A learner's decisions cost more than one and the same answer for all rows."""


def near_matches(name, names, limit=12):
    """The end of a sentence about an unknown name: what was probably meant, else what there is.

    Examples
    --------
    >>> near_matches("amuont", ["amount", "age"])
    "did you mean 'amount'?"
    >>> near_matches("zzz", ["amount", "age"])
    "there are 'amount' and 'age'."
    """
    names = [str(one) for one in names]
    folded = {one.strip().casefold(): one for one in reversed(names)}
    close = difflib.get_close_matches(str(name).strip().casefold(), folded, n=3, cutoff=0.6)
    if close:
        return f"did you mean {_listed([folded[one] for one in close], 'or')}?"
    if not names:
        return "there are none."
    shown = [*map(repr, names[:limit])]
    if len(names) > limit:
        return f"there are {', '.join(shown)} and {len(names) - limit} more."
    return f"there {'is' if len(names) == 1 else 'are'} {_listed(names, 'and')}."


def _listed(names, word):
    shown = [*map(repr, names)]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"
