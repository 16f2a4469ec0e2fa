"""A store in PostgreSQL."""

from stakes.errors import InputError
from stakes.serve._store import Store

_LOCK = 0x7374616B6573  # a number of our own among the advisory locks of a database


class PostgresStore(Store):
    """A store in a PostgreSQL database, where one file is not enough.

    Parameters
    ----------
    url : str
        ``postgresql://user@host/database``; the rest as libpq reads it.
    create : bool, default=True
        Whether missing tables are made.
    """

    def __init__(self, url, *, create=True):
        try:
            import psycopg
        except ImportError:
            raise InputError(
                'A PostgreSQL store needs psycopg; install it with pip install "stakes[serve]".'
            ) from None
        try:
            connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
        except psycopg.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"No connection to the PostgreSQL store: {reason}.") from None
        super().__init__(connection, "%s", "BYTEA", "= ANY(?)", list)
        if not create and not self._has_tables():
            raise InputError("The database holds no store; check its name.")
        self.create()

    def lock(self):
        """Become the only process that writes; refused while another one is."""
        if not self._rows("SELECT pg_try_advisory_lock(?)", (_LOCK,))[0][0]:
            raise InputError("Another process serves this database; stop it first.")

    def _has_tables(self):
        return self._rows("SELECT to_regclass('journal')")[0][0] is not None
