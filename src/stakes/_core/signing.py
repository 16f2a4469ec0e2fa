"""Signatures of model files: ed25519, kept in the comment of the archive."""

from pathlib import Path

from stakes.errors import InputError

_MARK = b"stakes ed25519 1 "  # and the 64 bytes of the signature
_LENGTH = len(_MARK) + 64
_END = b"PK\x05\x06"  # of a zip archive: 22 bytes of which the last two are the comment's length


def read_private_key(path):
    """The key to sign with.

    Parameters
    ----------
    path : str or Path
        An ed25519 private key without a password, in the form of openssl (PEM) or ssh-keygen.
    """
    serialization, ed25519 = _cryptography()
    readers = (serialization.load_pem_private_key, serialization.load_ssh_private_key)
    readers = [lambda data, r=r: r(data, password=None) for r in readers]
    return _read_key(path, "private", readers, ed25519.Ed25519PrivateKey)


def read_public_key(path):
    """The key to verify with, from a file as :func:`read_private_key` describes."""
    serialization, ed25519 = _cryptography()
    readers = [serialization.load_pem_public_key, serialization.load_ssh_public_key]
    return _read_key(path, "public", readers, ed25519.Ed25519PublicKey)


def signed(data, key):
    """The bytes of a zip archive with a signature as its comment.

    Parameters
    ----------
    data : bytes
        The archive; a signature that it has is replaced.
    key : Ed25519PrivateKey
        As of :func:`read_private_key`.
    """
    data, _ = _split(data)
    if data[-22:-18] != _END or data[-2:] != b"\0\0":
        raise InputError("A file that is not a model file cannot be signed.")
    return data[:-2] + _LENGTH.to_bytes(2, "little") + _MARK + key.sign(data)


def verify_signature(data, key, path):
    """Raise an error unless the bytes of a model file carry a valid signature of a key.

    Parameters
    ----------
    data : bytes
        The whole file.
    key : Ed25519PublicKey
        As of :func:`read_public_key`.
    path : str or Path
        File name, for messages.
    """
    from cryptography.exceptions import InvalidSignature

    data, signature = _split(data)
    if signature is None:
        raise InputError(
            f"The model file {str(path)!r} is not signed; sign it with stakes train --sign, or "
            "load it without {parameter} if you trust it.",
            "verify",
        )
    try:
        key.verify(signature, data)
    except InvalidSignature:
        raise InputError(
            f"The signature of the model file {str(path)!r} does not fit the key: it was changed, "
            "or signed with another key; the file was not opened."
        ) from None


def _split(data):
    """The archive as it was signed, and the signature; None if it has none."""
    start = len(data) - _LENGTH
    head = _LENGTH.to_bytes(2, "little") + _MARK
    if start < 22 or data[start - 2 : start + len(_MARK)] != head:
        return data, None
    return data[: start - 2] + b"\0\0", data[start + len(_MARK) :]


def _read_key(path, wanted, readers, kind):
    # fixed names: a command with the name of a file that exists would overwrite it
    make = "make one with: openssl genpkey -algorithm ed25519 -out private.pem"
    if wanted == "public":
        make = "get it from the private key: openssl pkey -in private.pem -pubout -out public.pem"
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no key file {str(path)!r}; {make}.")
    data = path.read_bytes()
    for read in readers:
        try:
            found = read(data)
        except Exception:  # each kind of damage has its own error, and the next reader its own form
            continue
        if isinstance(found, kind):
            return found
    raise InputError(f"{str(path)!r} {_why_no_key(data, wanted)}; {make}.")


def _why_no_key(data, wanted):
    """What is wrong with a file that is not the key that is needed."""
    if b"PRIVATE KEY" in data and wanted == "public":
        return "is a private key, which only the signer needs"
    if b"PRIVATE KEY" in data:
        return "is not an ed25519 private key, or has a password"
    if (b"PUBLIC KEY" in data or data.startswith(b"ssh-")) and wanted == "private":
        return "is a public key, which can only verify"
    return f"is not an ed25519 {wanted} key"


def _cryptography():
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise InputError(
            "Signatures need the package cryptography: pip install 'stakes[sign]'."
        ) from None
    return serialization, ed25519
