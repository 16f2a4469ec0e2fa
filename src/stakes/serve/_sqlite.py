"""A store in one file."""

import json
import sqlite3
from pathlib import Path

from stakes._core.files import appearing
from stakes.errors import InputError
from stakes.serve._store import Store

_TYPES = {"blob": "BLOB", "number": "INTEGER"}  # an INTEGER key needs no index of its own
_AMONG = "IN (SELECT value FROM json_each(?))"


class SqliteStore(Store):
    """A store in a SQLite file: an answered request is on disk, whatever happens to the process.

    Parameters
    ----------
    path : str or Path
        The file.
    create : bool, default=True
        Whether a missing file is made.
    """

    errors = (sqlite3.Error,)

    def __init__(self, path, *, create=True):
        self.path = Path(path)
        if not self.path.exists() and not create:
            raise InputError(f"There is no store {str(path)!r}; check the path.")
        if not self.path.parent.is_dir():
            raise InputError(f"There is no folder {str(self.path.parent)!r} for the store.")
        self._lock = None
        try:
            connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            super().__init__(connection, "?", _TYPES, _AMONG, lambda ids: json.dumps(list(ids)))
            self._run("PRAGMA page_size = 8192")  # of a new file: a row takes 1 to 2 kB
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA wal_autocheckpoint = 4000")  # pages: each time syncs the file twice
            self._run("PRAGMA synchronous = FULL")  # a commit returns when its pages are on disk
            self.create()
        except sqlite3.DatabaseError as error:
            raise InputError(f"{str(path)!r} cannot be used as a store: {error}.") from None

    def lock(self):
        """Become the only process that writes; refused while another one is."""
        # the lock of a second, empty database ends with the process, however it ends
        lock = sqlite3.connect(
            f"{self.path}.lock", isolation_level=None, timeout=0, check_same_thread=False
        )
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            lock.close()
            raise InputError(
                f"Another process serves {str(self.path)!r}; stop it first, or use another store."
            ) from None
        self._lock = lock

    def close(self):
        """Close the file and give up the lock."""
        super().close()
        if self._lock is not None:
            self._lock.close()

    def _has_tables(self):
        return bool(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'journal'"))


def back_up(path, out):
    """Copy a store, also while a service writes to it.

    Parameters
    ----------
    path : str or Path
        The store.
    out : str or Path
        The copy; appears only when it is complete.
    """
    out = Path(out)
    if out.exists():
        raise InputError(f"{str(out)!r} exists; name a new file.")
    store = SqliteStore(path, create=False)
    with appearing(out) as partial:
        copy = sqlite3.connect(partial)
        store._connection.backup(copy)
        copy.close()
    store.close()
