"""Files that appear whole or not at all."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from stakes.errors import InputError


@contextmanager
def appearing(path):
    """A path to write to; on leaving without an error the file takes its own name.

    Parameters
    ----------
    path : str or Path
        What the file is called in the end. If anything goes wrong before, an older file of that
        name stays as it was and nothing else is left.

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
        partial.chmod(0o666 & ~_umask())  # as any new file; mkstemp makes it private
        yield partial
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def check_can_write(path):
    """Say at once if a file cannot be written, before hours of work."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file to write.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} to write to; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"The folder {str(path.parent)!r} cannot be written to; choose another.")


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
