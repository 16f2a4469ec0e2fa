"""A store in PostgreSQL."""

import contextlib
from functools import partial

from stakes.errors import InputError
from stakes.serve._store import Store

_LOCK = 0x7374616B6573  # a number of our own among the advisory locks of a database
_TYPES = {"blob": "BYTEA", "number": "BIGINT"}
# a process that stops in the middle of its turn loses it; one that waits for its turn gives up
_LIMITS = "-c idle_in_transaction_session_timeout=10s -c lock_timeout=15s"


class PostgresStore(Store):
    """A store in a PostgreSQL database, where one file or one process is not enough.

    Parameters
    ----------
    url : str
        ``postgresql://user@host/database``; the rest as libpq reads it.
    create : bool, default=True
        Whether missing tables are made.
    """

    is_shared = True

    def __init__(self, url, *, create=True):
        try:
            import psycopg
        except ImportError:
            raise InputError(
                'A PostgreSQL store needs psycopg; install it with pip install "stakes[serve]".'
            ) from None
        self.errors = (psycopg.Error,)
        self._open = partial(
            psycopg.connect, url, autocommit=True, connect_timeout=10, options=_LIMITS
        )
        try:
            super().__init__(self._open(), "%s", _TYPES, "= ANY(?)", list)
        except psycopg.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"No connection to the PostgreSQL store: {reason}.") from None
        if not create and not self._has_tables():
            raise InputError("The database holds no store; check its name.")
        self.create()

    @contextlib.contextmanager
    def turn(self):
        """A transaction, begun when no other process is in one of its own."""
        with self._transaction():
            # held until the transaction ends, also if this process or its network dies
            self._run("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
            yield

    def recover(self):
        """Connect again, if the connection was lost."""
        if self._connection.closed or self._connection.broken:
            self._connection = self._open()

    def lock(self):
        """Several processes may serve one database: each of their writes waits for its turn."""

    def _has_tables(self):
        return self._rows("SELECT to_regclass('journal')")[0][0] is not None
