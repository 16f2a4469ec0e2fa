"""Who may do what: tokens with roles, of which only hashes are stored."""

import hashlib
import hmac
import json
import secrets
from pathlib import Path

from stakes._core.files import appearing
from stakes.errors import InputError

ROLES = {
    "decide": {"decide", "read"},
    "label": {"label", "read"},
    "review": {"label", "review", "read"},
    "admin": {"decide", "label", "review", "admin", "read"},
}


class Tokens:
    """The tokens of a service.

    Parameters
    ----------
    path : str or Path
        A file of :func:`add_token`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     token = add_token(f"{folder}/tokens.json", "shop", "decide")
    ...     tokens = Tokens(f"{folder}/tokens.json")
    >>> sorted(tokens.rights(token)), tokens.rights("guess")
    (['decide', 'read'], None)
    """

    def __init__(self, path):
        self._roles = {hashed: role for _, role, hashed in _read(Path(path))}

    def rights(self, token):
        """What a token may do; None if it is not one of ours."""
        hashed = _hash(token)
        found = [role for known, role in self._roles.items() if hmac.compare_digest(known, hashed)]
        return ROLES[found[0]] if found else None


def add_token(path, name, role):
    """Make a token and store its hash.

    Parameters
    ----------
    path : str or Path
        The file of tokens; made if it is missing, readable by its owner only.
    name : str
        Whose token it is. A name that is there already gets a new token instead of the old one.
    role : {"decide", "label", "review", "admin"}
        What it may do.

    Returns
    -------
    str
        The token, which is stored nowhere.
    """
    if role not in ROLES:
        raise InputError(f"There is no role {role!r}; use {', '.join(ROLES)}.")
    path = Path(path)
    others = [known for known in _read(path) if known[0] != name] if path.exists() else []
    token = secrets.token_urlsafe(32)
    with appearing(path) as partial:
        partial.touch()
        partial.chmod(0o600)
        partial.write_text(json.dumps([*others, [name, role, _hash(token)]], indent=1))
    return token


def _read(path):
    try:
        found = json.loads(path.read_text())
        if all(len(known) == 3 and known[1] in ROLES for known in found):
            return found
    except FileNotFoundError:
        raise InputError(
            f"There is no token file {str(path)!r}; make one with stakes serve token."
        ) from None
    except (ValueError, TypeError, UnicodeError):
        pass
    raise InputError(f"{str(path)!r} is not a token file; make one with stakes serve token.")


def _hash(token):
    # a random token of 256 bits needs no salt and no slow hash
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
