"""Records of a stream, one by one, with the place in the input after each."""

import csv
import json
import math

from stakes.errors import InputError


class Records:
    """Records out of CSV or JSON lines, from a file or from standard input.

    Parameters
    ----------
    file : binary file
        The input, at its start.
    kind : {"csv", "jsonl"}
        How it is written.
    """

    def __init__(self, file, kind):
        self._file = file
        self._kind = kind
        self.offset = 0
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
            self.offset = offset
            return
        for _ in range(count):  # a pipe cannot be wound: it is sent again from its start
            if self.next() is None:
                raise InputError(
                    "The input ended before the place of the checkpoint; send it from its start."
                )

    def next(self):
        """The next record as a dict, None at the end."""
        if self._kind == "csv":
            for row in self._rows:
                if not row:
                    continue
                if len(row) != len(self.header):
                    raise InputError(
                        f"A line has {len(row)} fields where the header has {len(self.header)}, "
                        f"before byte {self.offset:,}; mend it."
                    )
                return {n: _value(v) for n, v in zip(self.header, row, strict=True)}
            return None
        for line in self._lines:
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise InputError(f"The line before byte {self.offset:,} is not a JSON object.")
            return {
                n: v if v is None or isinstance(v, str) else float(v) for n, v in record.items()
            }
        return None

    def _counted(self):
        while line := self._file.readline():
            self.offset += len(line)
            try:
                yield line.decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InputError(
                    f"The line before byte {self.offset:,} is not UTF-8 text."
                ) from None


def _value(text):
    """A number where it reads as one, None where empty, else the text."""
    if text == "":
        return None
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else None
