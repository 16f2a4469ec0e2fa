"""Atomic file writes."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from stakes.errors import InputError


@contextmanager
def appearing(path):
    """Temporary path to write to; renamed to `path` on success.

    Parameters
    ----------
    path : str or Path
        Final path. If anything fails, an existing file of that name is left untouched and the
        temporary file is removed.

    Examples
    --------
    >>> folder = tempfile.TemporaryDirectory()
    >>> with appearing(f"{folder.name}/a.txt") as partial:
    ...     _ = partial.write_text("done")
    >>> os.listdir(folder.name)
    ['a.txt']
    >>> folder.cleanup()
    """
    path = Path(path)
    check_can_write(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    partial = Path(name)
    try:
        partial.chmod(0o666 & ~_umask())  # like any new file; mkstemp creates it private
        yield partial
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def check_can_write(path):
    """Raise now if a file cannot be written, rather than after hours of work."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a file name.")
    if not path.parent.is_dir():
        raise InputError(f"The folder {str(path.parent)!r} does not exist; create it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"The folder {str(path.parent)!r} is not writable; choose another one.")


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
