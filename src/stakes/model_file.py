"""Model files that cannot run code: written whole by skops, read only if all of it is known."""

import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import skops.io

from stakes import __version__
from stakes._files import appearing
from stakes._trust import check_trees, is_trusted
from stakes.errors import InputError

FORMAT = "stakes model"


@dataclass
class StoredModel:
    """A fitted model and the facts that were saved beside it.

    Attributes
    ----------
    model : estimator
        As it was fitted.
    facts : dict
        What the saver wrote beside it.
    version : str
        The version of stakes that wrote the file.
    """

    model: object
    facts: dict = field(default_factory=dict)
    version: str = __version__


def save_model(model, path, **facts):
    """Write a fitted model to a file that :func:`load_model` reads without running any code.

    Parameters
    ----------
    model : estimator
        Of stakes, scikit-learn, LightGBM or XGBoost, or a pipeline of such.
    path : str or Path
        Where to; the file appears when it is complete.
    **facts : numbers, text, lists and dicts
        What should be kept beside the model.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.skops", target="fraud")
    ...     stored = load_model(f"{folder}/model.skops")
    >>> stored.facts["target"], stored.model.predict([[2.0]]).item()
    ('fraud', 1)
    """
    content = {"format": FORMAT, "version": __version__, "model": model, "facts": facts}
    data = skops.io.dumps(content, compression=zipfile.ZIP_DEFLATED)
    unknown = [name for name in skops.io.get_untrusted_types(data=data) if not is_trusted(name)]
    if unknown:
        raise InputError(
            f"This model cannot be saved: it holds a {unknown[0]}, and model files hold only "
            "stakes, scikit-learn, LightGBM and XGBoost."
        )
    with appearing(path) as partial:
        partial.write_bytes(data)


def load_model(path):
    """Read a model file; one that is not ours, or could run code, ends in a sentence.

    Parameters
    ----------
    path : str or Path
        A file written by :func:`save_model`.

    Returns
    -------
    StoredModel
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no model file {str(path)!r}; make one with stakes train.")
    known = [name for name in _read(skops.io.get_untrusted_types, path) if _checked(name, path)]
    content = _read(skops.io.load, path, trusted=known)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f"{str(path)!r} is not a model file of stakes; make one with stakes train."
        )
    check_trees(content["model"], path)
    return StoredModel(content["model"], content["facts"], content["version"])


def _checked(name, path):
    if not is_trusted(name):
        raise InputError(
            f"{str(path)!r} holds a {name}, which no model of stakes has and which could run "
            "code; it was not opened."
        )
    return True


def _read(read, path, **how):
    try:
        if read is skops.io.load:
            return read(path, **how)
        return read(file=path)
    except Exception as error:  # whatever a damaged file makes skops stumble over
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise InputError(
            f"{str(path)!r} is not a model file of stakes or is damaged ({reason[:120]}); "
            "make one with stakes train."
        ) from None
