"""Records of a stream, one by one, with the position in the input after each."""

import csv
import itertools
import json
import math
import sys
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stakes.errors import InputError

_CHUNK = 1 << 14
_LONGEST = 1 << 24  # bytes of a line; a pipe that never sends a line break must not fill the memory
_SHOWN = 10_000  # characters kept of a bad line
_KINDS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
FIX = "fix or remove it, then run the same command again to resume"
NUL = f"The line has a NUL character; {FIX}."


@dataclass(frozen=True)
class BadRecord:
    """A line that cannot be read as a record.

    Attributes
    ----------
    error : InputError
        What is wrong with it.
    text : str
        The line, at most 10,000 characters of it.
    """

    error: InputError
    text: str


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
        name = Path("-.csv" if source == "-" else str(source).removesuffix(".gz"))
        kind = _KINDS.get(name.suffix.lower())
    if kind not in ("csv", "jsonl"):
        raise InputError(
            f"The format of {str(source)!r} is unknown; give {{parameter}}: csv or jsonl.", "format"
        )
    if source != "-" and not Path(source).is_file():
        raise InputError(f"There is no file {str(source)!r}; check the path.")
    with sys.stdin.buffer if source == "-" else open(source, "rb") as file:
        # JSON lines from a pipe may come later, and nobody waits for the first
        if (source != "-" or kind == "csv") and _is_packed(file):
            name = "The input" if source == "-" else repr(str(source))
            raise InputError(
                f"{name} is compressed; unpack it, or send it through a pipe: gunzip -c FILE | "
                "stakes stream -."
            )
        yield Records(file, kind, id)


def _is_packed(file):
    """Whether a file begins like one of gzip."""
    return hasattr(file, "peek") and file.peek(2)[:2] == b"\x1f\x8b"


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
        Bytes and records read so far; bad records count as well.
    header : list of str or None
        Column names of a CSV.
    """

    def __init__(self, file, kind, id=None):
        self._file = file
        self._kind = kind
        self._id = id
        self._rest = b""
        self._read = []  # lines of the record that is being read
        self._again = deque()  # lines to be read again: all but the first of a bad record
        self.offset = 0
        self.count = 0
        self.header = None
        if kind == "csv":
            try:
                self.header = next(csv.reader(iter(self._line, None)), None)
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
            self._rest, self._again = b"", deque()
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
        return bool(self._again) or b"\n" in self._rest

    def take(self, n):
        """Up to `n` records, without waiting for more than the first; none at the end."""
        block = []
        while len(block) < n and (not block or self.ready):
            if (record := self.next()) is None:
                break
            block.append(record)
        return block

    def next(self):
        """The next record as a dict, or a :class:`BadRecord`; None at the end."""
        self._read = []
        try:
            record = self._next()
        except (InputError, csv.Error) as error:
            if isinstance(error, csv.Error):  # a huge field or a lone carriage return
                error = InputError(f"The line is not valid CSV ({error}); {FIX}.")
            record = self._bad(error)
        self.count += record is not None
        return record

    def _next(self):
        while (line := self._line()) is not None:
            if not line.strip("\r\n" if self._kind == "csv" else None):
                self._read = []
                continue
            return self._fields(line) if self._kind == "csv" else self._object(line)
        return None

    def _fields(self, line):
        whole = line.rstrip("\r\n")
        if len(line) < _SHOWN and '"' not in line and "\r" not in whole and "\0" not in line:
            row = whole.split(",")  # what csv.reader would give, in a third of its time
        else:  # more lines are read while a quoted field is open
            row = next(csv.reader(itertools.chain([line], iter(self._line, None))))
            if any("\0" in field for field in row):  # csv refuses it in old versions of Python
                raise InputError(NUL)
        if len(row) != len(self.header):
            raise InputError(
                f"The line has {len(row)} fields but the header has {len(self.header)}; {FIX}."
            )
        record = dict(zip(self.header, row, strict=True))
        if self._id in record:
            record[self._id] = record[self._id].strip()
        return record

    def _object(self, line):
        try:
            record = json.loads(line)
            if "\\" in line:  # an escape may be half of a character
                json.dumps(record, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise InputError(f"The line is not a JSON object; {FIX}.")
        if "\\u0000" in line and any("\0" in str(part) for part in (*record, *record.values())):
            raise InputError(NUL)
        return {n: self._plain(n, v) for n, v in record.items()}

    def _bad(self, error):
        """Only its first line is bad: an open quote must not swallow the records after it."""
        first, *others = self._read
        self._again.extendleft(reversed(others))
        self.offset -= sum(map(len, others))
        return BadRecord(error, first.decode("utf-8-sig", "backslashreplace")[:_SHOWN])

    def _plain(self, name, value):
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, list | dict):
            raise InputError(
                f"Field {name!r} is a list or an object; a field is a number, a "
                "text, true or false."
            )
        if name == self._id:
            return str(value)
        try:
            return value if isinstance(value, bool) else float(value)
        except OverflowError:
            return math.inf  # as 1e400 is

    def _line(self):
        """The next line as text, None at the end."""
        line = self._again.popleft() if self._again else self._readline()
        if not line:
            return None
        self.offset += len(line)
        self._read.append(line)
        if len(line) > _LONGEST:
            raise InputError(f"The line is longer than {_LONGEST:,} bytes; {FIX}.")
        try:
            return line.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"The line is not UTF-8 text; {FIX}.") from None

    def _readline(self):
        """As of a file, but no more of a pipe is read than has arrived."""
        parts, size = [], 0
        while (end := self._rest.find(b"\n")) < 0:
            parts.append(self._rest)
            size += len(self._rest)
            self._rest = b"" if size > _LONGEST else self._file.read1(_CHUNK)
            if not self._rest:
                return b"".join(parts)
        parts.append(self._rest[: end + 1])
        self._rest = self._rest[end + 1 :]
        return b"".join(parts)
