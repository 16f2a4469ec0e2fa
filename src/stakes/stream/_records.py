"""Records of a stream, one by one, with the place in the input after each."""

import csv
import json
import math

from stakes.errors import InputError

_CHUNK = 1 << 14
MEND = "mend or remove it, and the same command goes on"


class Records:
    """Records out of CSV or JSON lines, from a file or from standard input.

    Parameters
    ----------
    file : binary file
        The input, at its start.
    kind : {"csv", "jsonl"}
        How it is written.
    as_text : str, default=None
        A column that is left as it is written: 007 and 7 are two ids.
    """

    def __init__(self, file, kind, as_text=None):
        self._file = file
        self._kind = kind
        self._as_text = as_text
        self._rest = b""
        self.offset = 0
        self.count = 0
        self.header = None
        self._lines = self._counted()
        if kind == "csv":
            self._rows = csv.reader(self._lines)
            self.header = next(self._rows, None)
            if not self.header:
                raise InputError("The stream has no header line; a CSV needs its column names.")

    def resume(self, offset, count):
        """Go to what comes after `count` records, which end at byte `offset`."""
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
        for _ in range(count):  # a pipe cannot be wound: it is sent again from its start
            if self.next() is None:
                raise InputError(
                    "The input ended before the place of the checkpoint; send it from its start."
                )

    @property
    def ready(self):
        """Whether a line is at hand, so that the next record need not be waited for."""
        return b"\n" in self._rest

    def next(self):
        """The next record as a dict, None at the end."""
        record = self._next()
        self.count += record is not None
        return record

    def _next(self):
        if self._kind == "csv":
            for row in self._rows:
                if not row:
                    continue
                if len(row) != len(self.header):
                    raise InputError(
                        f"The line {self._where()} has {len(row)} fields where the header has "
                        f"{len(self.header)}; {MEND}."
                    )
                pairs = zip(self.header, row, strict=True)
                return {n: v.strip() if n == self._as_text else _value(v) for n, v in pairs}
            return None
        for line in self._lines:
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise InputError(f"The line {self._where()} is not a JSON object; {MEND}.")
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
        return str(value) if name == self._as_text else float(value)

    def _where(self):
        return f"after record {self.count:,}" if self.count else "of the first record"

    def _counted(self):
        while line := self._readline():
            self.offset += len(line)
            try:
                yield line.decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InputError(f"The line {self._where()} is not UTF-8 text; {MEND}.") from None

    def _readline(self):
        """As of a file, but of a pipe no more is read than what has come."""
        parts = []
        while (end := self._rest.find(b"\n")) < 0:
            parts.append(self._rest)
            self._rest = self._file.read1(_CHUNK)
            if not self._rest:
                return b"".join(parts)
        parts.append(self._rest[: end + 1])
        self._rest = self._rest[end + 1 :]
        return b"".join(parts)


def _value(text):
    """A number where it reads as one, None where empty, else the text."""
    if text == "":
        return None
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else None
