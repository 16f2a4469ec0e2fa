"""The journal of a service in a database: every decision and label, in order, before its answer."""

import contextlib
from typing import NamedTuple

import msgspec

from stakes.errors import InputError

# what each version of the tables adds to the one before; what is released here never changes
MIGRATIONS = [
    """
CREATE TABLE journal (
    seq {number} PRIMARY KEY, at DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE UNIQUE INDEX journal_decision ON journal (id) WHERE kind = 'decision';
CREATE INDEX journal_label ON journal (id, seq) WHERE kind = 'label';
CREATE TABLE checkpoint (
    seq BIGINT NOT NULL, part TEXT NOT NULL, content {blob} NOT NULL, PRIMARY KEY (seq, part)
);
CREATE TABLE model (name TEXT PRIMARY KEY, content {blob} NOT NULL);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)
"""
]


class Entry(NamedTuple):
    """One line of the journal.

    Attributes
    ----------
    seq : int
        Its number, from 1 without gaps.
    at : float
        When it was written: seconds since 1970, never less than that of the entry before.
    kind : {"decision", "label", "add", "promote", "erase"}
        What it records.
    id : str
        The event or model that it is about.
    body : dict
        The rest, as plain values.
    """

    seq: int
    at: float
    kind: str
    id: str
    body: dict


class Store:
    """The journal, its checkpoints and the settings of a service; one process writes at a time.

    A process writes in its :meth:`turn`. Where several processes share the store, a turn may find
    entries of others, which the process takes in first.

    Parameters
    ----------
    connection : DB-API connection
        In autocommit mode, so that a transaction is what stands between BEGIN and COMMIT.
    mark : str
        Placeholder of a value in a statement.
    types : dict
        Types of the database: blob of bytes, number of a key that grows.
    among : str
        Condition that a text is in a list, which is one parameter.
    as_list : callable
        Texts -> that parameter.
    """

    def __init__(self, connection, mark, types, among, as_list):
        self._connection = connection
        self._mark = mark
        self._types = types
        self._among = among
        self._list = as_list
        self._is_open = False  # whether a transaction is

    is_shared = False
    errors = ()

    def turn(self):
        """A transaction, begun when no other process is in one of its own."""
        return self._transaction()

    def recover(self):
        """Be ready for the next transaction, whatever became of the last one."""

    def create(self):
        """Make the tables, or bring those of an earlier version up to date; refuse later ones."""
        with self.turn():
            self._create()

    def _create(self):
        found = self.setting("schema") if self._has_tables() else 0
        if found > len(MIGRATIONS):
            raise InputError(
                f"The store has version {found} of the tables, and this version of stakes knows "
                f"{len(MIGRATIONS)}; upgrade stakes."
            )
        if found < len(MIGRATIONS):
            for script in MIGRATIONS[found:]:
                for statement in script.format(**self._types).split(";\n"):
                    self._run(statement)
            self.save_setting("schema", len(MIGRATIONS))

    def append(self, entries, models=()):
        """Write entries, and new models by name: all is on disk when this returns, or nothing."""
        rows = [(e.seq, e.at, e.kind, e.id, _text(e.body)) for e in entries]
        with self._transaction():
            self._run_many("INSERT INTO journal VALUES (?, ?, ?, ?, ?)", rows)
            for named in models:
                self._run("INSERT INTO model VALUES (?, ?)", named)

    def model(self, name):
        """The model file that was added under a name."""
        return bytes(self._rows("SELECT content FROM model WHERE name = ?", (name,))[0][0])

    def erase(self, id, entry):
        """Remove the fields and features of an event, and write that down."""
        body = self.decisions([id])[id] | {"event": None, "features": None}
        with self._transaction():
            self._run(
                "UPDATE journal SET body = ? WHERE kind = 'decision' AND id = ?", (_text(body), id)
            )
            self._run("INSERT INTO journal VALUES (?, ?, ?, ?, ?)", (*entry[:4], _text(entry.body)))

    def last(self):
        """Number and time of the last entry; zeros if there is none."""
        found = self._rows("SELECT seq, at FROM journal ORDER BY seq DESC LIMIT 1")
        return found[0] if found else (0, 0.0)

    def decisions(self, ids):
        """Bodies of the decisions about these events, by id."""
        return self._of_ids("SELECT id, body FROM journal WHERE kind = 'decision' AND id", ids)

    def labels(self, ids):
        """Bodies of the newest labels of these events, by id."""
        asked = "SELECT id, body FROM journal WHERE kind = 'label' AND id"
        return self._of_ids(asked, ids, " ORDER BY seq")

    def entries(self, after=0, until=None):
        """Entries in order, each with the body of the decision that a label belongs to, or None."""
        while True:
            found = self._rows(
                "SELECT j.seq, j.at, j.kind, j.id, j.body, d.body FROM journal j LEFT JOIN journal "
                "d ON j.kind = 'label' AND d.kind = 'decision' AND d.id = j.id AND d.seq < j.seq "
                "WHERE j.seq > ? ORDER BY j.seq LIMIT 10000",
                (after,),
            )
            for seq, at, kind, id, body, decision in found:
                if until is not None and seq > until:
                    return
                yield Entry(seq, at, kind, id, _plain(body)), decision and _plain(decision)
            if not found:
                return
            after = found[-1][0]

    def prune(self, before, seq, most=None):
        """Remove the oldest entries: up to `seq`, older than a time, `most` of them at a time.

        States that would be rebuilt through them are removed as well. Returns how many went.
        """
        with self._transaction():
            first = self._rows("SELECT MIN(seq) FROM journal")[0][0]
            if first is not None and most is not None:
                seq = min(seq, first + most - 1)
            done = self._run("DELETE FROM journal WHERE seq <= ? AND at < ?", (seq, before))
            if done.rowcount:
                left = self._rows("SELECT MIN(seq) FROM journal")[0][0]
                bound = "(SELECT MAX(seq) FROM checkpoint)" if left is None else str(left - 1)
                self._run(f"DELETE FROM checkpoint WHERE seq < {bound}")
        return done.rowcount

    def save_checkpoint(self, seq, parts, keep=3):
        """Keep a state after entry `seq`, and the newest `keep` of all but the first."""
        rows = [(seq, part, content) for part, content in parts.items()]
        with self._transaction():
            self._run("DELETE FROM checkpoint WHERE seq = ?", (seq,))
            self._run_many("INSERT INTO checkpoint VALUES (?, ?, ?)", rows)
            self._run(
                "DELETE FROM checkpoint WHERE seq > 0 AND seq NOT IN "
                "(SELECT DISTINCT seq FROM checkpoint ORDER BY seq DESC LIMIT ?)",
                (keep,),
            )

    def checkpoint_seq(self, until=None):
        """Number of the newest checkpoint, none later than `until`; None without one."""
        bound = ("WHERE seq <= ?", (until,)) if until is not None else ("", ())
        return self._rows(f"SELECT MAX(seq) FROM checkpoint {bound[0]}", bound[1])[0][0]

    def checkpoint(self, until=None):
        """Number and parts of the newest checkpoint, none later than `until`; None without one."""
        seq = self.checkpoint_seq(until)
        if seq is None:
            return None
        rows = self._rows("SELECT part, content FROM checkpoint WHERE seq = ?", (seq,))
        return seq, {part: bytes(content) for part, content in rows}

    def setting(self, name):
        """A stored setting, None without it."""
        found = self._rows("SELECT value FROM setting WHERE name = ?", (name,))
        return _plain(found[0][0]) if found else None

    def save_setting(self, name, value):
        """Store a setting."""
        self._run("DELETE FROM setting WHERE name = ?", (name,))
        self._run("INSERT INTO setting VALUES (?, ?)", (name, _text(value)))

    def close(self):
        """Close the connection."""
        self._connection.close()

    def _has_tables(self):
        raise NotImplementedError

    @contextlib.contextmanager
    def _transaction(self):
        """BEGIN ... COMMIT, or ROLLBACK if anything fails; part of the one around it, if any."""
        if self._is_open:
            yield
            return
        self._connection.execute("BEGIN")
        self._is_open = True
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(Exception):  # a full disk has ended the transaction already
                self._connection.execute("ROLLBACK")
            raise
        finally:
            self._is_open = False

    def _of_ids(self, statement, ids, order=""):
        # one parameter whatever their number: the database prepares the statement once
        if not ids:
            return {}
        found = self._rows(f"{statement} {self._among}{order}", (self._list(ids),))
        return {id: _plain(body) for id, body in found}

    def _rows(self, statement, values=()):
        return self._run(statement, values).fetchall()

    def _run(self, statement, values=()):
        return self._connection.execute(statement.replace("?", self._mark), values)

    def _run_many(self, statement, rows):
        self._connection.cursor().executemany(statement.replace("?", self._mark), rows)


def open_store(url, *, create=True):
    """Open the store of a service.

    Parameters
    ----------
    url : str or Path
        A file, or ``postgresql://...``.
    create : bool, default=True
        Whether a store that does not exist is made; False: refused.
    """
    if str(url).startswith(("postgresql://", "postgres://")):
        from stakes.serve._postgres import PostgresStore

        return PostgresStore(str(url), create=create)
    from stakes.serve._sqlite import SqliteStore

    return SqliteStore(url, create=create)


def _text(value):
    return _encode(value).decode()


_encode = msgspec.json.Encoder().encode
_plain = msgspec.json.decode
