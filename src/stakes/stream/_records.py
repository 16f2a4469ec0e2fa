"""Records of a stream, one by one, with the position in the input after each."""

import csv
import json
import sys
from contextlib import contextmanager
from pathlib import Path

from stakes.errors import InputError

_CHUNK = 1 << 14
_KINDS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
FIX = "fix or remove it, then run the same command again to resume"


@contextmanager
def open_records(source, kind=None, id=None):
    """The records of a file, or of standard input if `source` is ``-``.

    Parameters
    ----------
    source : str or Path
        A .csv, .jsonl or .ndjson file, or ``-``.
    kind : {"csv", "jsonl"}, default=None
        Format; None: by the name of the file, CSV for standard input.
    id : str, default=None
        As for :class:`Records`.
    """
    if kind is None:
        kind = "csv" if source == "-" else _KINDS.get(Path(source).suffix.lower())
    if kind not in ("csv", "jsonl"):
        raise InputError(
            f"The format of {str(source)!r} is unknown; give {{parameter}}: csv or jsonl.", "format"
        )
    if source != "-" and not Path(source).is_file():
        raise InputError(f"There is no file {str(source)!r}; check the path.")
    with sys.stdin.buffer if source == "-" else open(source, "rb") as file:
        yield Records(file, kind, id)


class Records:
    """Records of CSV or JSON lines, from a file or from standard input.

    The fields of a CSV are text; who reads a field decides what it stands for.

    Parameters
    ----------
    file : binary file
        The input, at its start.
    kind : {"csv", "jsonl"}
        Its format.
    id : str, default=None
        A field that becomes text: as ids, 007 and 7 differ.

    Attributes
    ----------
    offset, count : int
        Bytes and records read so far.
    header : list of str or None
        Column names of a CSV.
    """

    def __init__(self, file, kind, id=None):
        self._file = file
        self._kind = kind
        self._id = id
        self._rest = b""
        self.offset = 0
        self.count = 0
        self.header = None
        self._lines = self._counted()
        if kind == "csv":
            self._rows = csv.reader(self._lines)
            try:
                self.header = next(self._rows, None)
            except csv.Error as error:
                raise InputError(f"The header is not valid CSV ({error}); fix it.") from None
            if not self.header:
                raise InputError("The stream has no header line; a CSV needs column names.")

    def resume(self, offset, count):
        """Continue after `count` records, which end at byte `offset`."""
        if self._file.seekable():
            self._file.seek(0, 2)
            if self._file.tell() < offset:
                raise InputError(
                    "The input is shorter than what the checkpoint has read; it is another file."
                )
            self._file.seek(offset)
            self._rest = b""
            self.offset, self.count = offset, count
            return
        for _ in range(count):  # a pipe cannot be rewound: it is sent again from its start
            if self.next() is None:
                raise InputError(
                    "The input ended before the position of the checkpoint; send it from its start."
                )

    @property
    def ready(self):
        """Whether a line has arrived, so that the next record need not be waited for."""
        return b"\n" in self._rest

    def take(self, n):
        """Up to `n` records, without waiting for more than the first; none at the end."""
        block = []
        while len(block) < n and (not block or self.ready):
            if (record := self.next()) is None:
                break
            block.append(record)
        return block

    def next(self):
        """The next record as a dict, None at the end."""
        try:
            record = self._next()
        except csv.Error as error:  # a huge field, a NUL or a lone carriage return
            raise InputError(
                f"The line {self._where()} is not valid CSV ({error}); {FIX}."
            ) from None
        self.count += record is not None
        return record

    def _next(self):
        if self._kind == "csv":
            for row in self._rows:
                if not row:
                    continue
                if len(row) != len(self.header):
                    raise InputError(
                        f"The line {self._where()} has {len(row)} fields but the header has "
                        f"{len(self.header)}; {FIX}."
                    )
                pairs = zip(self.header, row, strict=True)
                return {n: v.strip() if n == self._id else v for n, v in pairs}
            return None
        for line in self._lines:
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise InputError(f"The line {self._where()} is not a JSON object; {FIX}.")
            return {n: self._plain(n, v) for n, v in record.items()}
        return None

    def _plain(self, name, value):
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, list | dict):
            raise InputError(
                f"Field {name!r} {self._where()} is a list or an object; a field is a number, a "
                "text, true or false."
            )
        if name == self._id:
            return str(value)
        return value if isinstance(value, bool) else float(value)

    def _where(self):
        return f"after record {self.count:,}" if self.count else "of the first record"

    def _counted(self):
        while line := self._readline():
            self.offset += len(line)
            try:
                yield line.decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InputError(f"The line {self._where()} is not UTF-8 text; {FIX}.") from None

    def _readline(self):
        """As of a file, but no more of a pipe is read than has arrived."""
        parts = []
        while (end := self._rest.find(b"\n")) < 0:
            parts.append(self._rest)
            self._rest = self._file.read1(_CHUNK)
            if not self._rest:
                return b"".join(parts)
        parts.append(self._rest[: end + 1])
        self._rest = self._rest[end + 1 :]
        return b"".join(parts)
