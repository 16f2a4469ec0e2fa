"""Model files that cannot run code: every value in them is checked before an object exists."""

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import skops.io

from stakes import __version__
from stakes._core.files import appearing
from stakes._core.signing import read_private_key, read_public_key, signed, verify_signature
from stakes._core.stored.build import Builder
from stakes._core.stored.foreign import foreign_state
from stakes._core.stored.plain import MAX_BYTES, Damaged, Record, Unknown, read_plain
from stakes._core.stored.state import Checker
from stakes.errors import InputError

FORMAT = "stakes model"


@dataclass
class StoredModel:
    """A fitted model and the facts saved with it.

    Attributes
    ----------
    model : estimator
        The fitted model.
    facts : dict
        Facts passed to :func:`save_model`.
    version : str
        Version of stakes that wrote the file.
    """

    model: object
    facts: dict = field(default_factory=dict)
    version: str = __version__


def save_model(model, path, *, key=None, **facts):
    """Write a fitted model to a file that :func:`load_model` reads without running any code.

    Parameters
    ----------
    model : estimator
        An estimator of stakes, scikit-learn, LightGBM or XGBoost, or a pipeline of them, also after
        skrub's TableVectorizer.
    path : str or Path
        File to write; it appears only when it is complete.
    key : private key, default=None
        An Ed25519PrivateKey of the package cryptography to sign the file with.
    **facts : numbers, text, lists and dicts
        Facts to store with the model.

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
    try:
        data = skops.io.dumps(content, compression=zipfile.ZIP_DEFLATED)
        _check(io.BytesIO(data))
    except Unknown as error:
        raise InputError(
            f"This model cannot be saved: it contains a {error}, and model files may only contain "
            "classes that stakes knows how to check; see the page on security."
        ) from None
    except Damaged as error:
        raise InputError(
            f"This model cannot be saved: it could not be loaded again ({error})."
        ) from None
    with appearing(path) as partial:
        partial.write_bytes(data if key is None else signed(data, key))


def sign_model(path, key):
    """Sign a model file, so that :func:`load_model` can check who made it.

    Parameters
    ----------
    path : str or Path
        File written by :func:`save_model`; an earlier signature is replaced.
    key : str or Path
        File of an ed25519 private key without a password, as made by
        ``openssl genpkey -algorithm ed25519 -out key.pem`` or ssh-keygen. Needs the package
        cryptography (the extra `sign`).
    """
    key = read_private_key(key)
    load_model(path)
    data = signed(Path(path).read_bytes(), key)
    with appearing(path) as partial:
        partial.write_bytes(data)


def load_model(path, *, verify=None):
    """Read a model file; refuse files that are not ours, are damaged or could run code.

    The file is read as plain values, all of which are checked against what their classes declare;
    only then are objects made, from these values.

    Parameters
    ----------
    path : str or Path
        File written by :func:`save_model`.
    verify : str or Path, default=None
        File of an ed25519 public key: a file that is not signed with its private key is refused.
        None: signatures are ignored.

    Returns
    -------
    StoredModel
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no model file {str(path)!r}; create one with stakes train.")
    source = path
    if verify is not None:
        key, data = read_public_key(verify), path.read_bytes()
        verify_signature(data, key, path)
        source = io.BytesIO(data)  # what was verified, whatever becomes of the file
    try:
        content, names = _check(source)
        if content is not None:
            content = Builder(names).build(content)
    except Unknown as error:
        raise InputError(
            f"{str(path)!r} contains a {error}, which no stakes model has and which could run "
            "code; the file was not opened."
        ) from None
    except Damaged as error:
        raise InputError(f"The model file {str(path)!r} is damaged: {error}.") from None
    except Exception as error:  # not a zip file; or scikit-learn or a booster refuses a state
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise InputError(
            f"{str(path)!r} is not a stakes model file or is damaged ({reason[:120]}); "
            "create one with stakes train."
        ) from None
    if content is None:
        raise InputError(f"{str(path)!r} is not a stakes model file; create one with stakes train.")
    return StoredModel(content["model"], content["facts"], content["version"])


def _check(file):
    """The checked content as plain values, and the names of its classes; None if not ours."""
    content = read_plain(file, MAX_BYTES)
    checker = Checker(foreign_state)
    checker.check(content)
    ours = isinstance(content, dict) and content.keys() == {"format", "version", "model", "facts"}
    if not ours or content["format"] != FORMAT:
        return None, checker.names
    if not isinstance(content["model"], Record) or not isinstance(content["facts"], dict):
        raise Damaged("it has no model")
    if not isinstance(content["version"], str):
        raise Damaged("it has no version")
    return content, checker.names
