"""Rows of a CSV, one at a time, each checked to have as many fields as the header."""

import csv
import gzip
import itertools
import zlib
from contextlib import contextmanager
from pathlib import Path

from stakes.errors import InputError

_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error)
_MOST = 2**30  # bytes of text, in which a checksum is looked for after another error


class CsvRows:
    """Rows of an open CSV as text; a quoted field may span several lines.

    polars silently pads short rows with nulls, and keeps a whole CSV in memory even when it reads
    in batches, so rows are counted, checked and cut here. Blank lines at the end are ignored.

    Parameters
    ----------
    lines : iterator of str
        Lines of the file, with their line breaks.
    path : Path
        File name, for messages and to recognize a .tsv.

    Attributes
    ----------
    header : str
        Text of the header.
    separator : str
        Comma, semicolon, tab or bar, whichever is most frequent in the header.
    """

    def __init__(self, lines, path):
        self._lines, self._path = lines, path
        self._line_number = 1
        first = next(lines, "")
        self.separator = _separator(first, path)
        self.header, self._width = self._whole(first)

    def __iter__(self):
        empty, n = [], 0
        for line in self._lines:
            self._line_number += 1
            start = self._line_number
            if not line.strip("\r\n"):
                empty.append(line)
                continue
            if '"' in line:
                line, fields = self._whole(line)
            else:
                fields = line.count(self.separator) + 1
            self._check(start, fields, empty)
            yield from empty
            yield line
            n += 1
            empty = []
        if not self._width or not n:
            what = "has a header but no rows" if self._width else "is empty"
            raise InputError(f"{str(self._path)!r} {what}; it needs a header line and data rows.")

    def _check(self, start, fields, empty):
        if fields != self._width:
            raise InputError(
                f"Line {start} of {str(self._path)!r} has {fields} fields, but the header has "
                f"{self._width}; fix that line, or put text that contains separators in double "
                "quotes."
            )
        if empty and self._width > 1:
            raise InputError(f"Line {start - 1} of {str(self._path)!r} is empty; remove it.")

    def _whole(self, line):
        """Text and number of fields of a row; reads more lines while a quoted field is open."""
        start, taken = self._line_number, []

        def more():
            for other in self._lines:
                taken.append(other)
                yield other

        lines = itertools.chain([line], more())
        try:
            fields = len(next(csv.reader(lines, delimiter=self.separator, strict=True), []))
        except csv.Error as error:
            raise InputError(
                f"Line {start} of {str(self._path)!r} has unbalanced quotes ({error}); "
                "write a quote inside quoted text twice."
            ) from None
        self._line_number += len(taken)
        return "".join([line, *taken]), fields


@contextmanager
def open_rows(path):
    """Open a file, gzipped or not, as :class:`CsvRows`."""
    path = Path(path)
    packed = path.suffix.lower() == ".gz"
    try:
        with (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", newline="") as lines:
            yield CsvRows(lines, path)
    except InputError:
        if packed:
            _check_packed(path)
        raise
    except UnicodeDecodeError as error:
        if packed:
            _check_packed(path)
        raise InputError(
            f"{str(path)!r} is not UTF-8 text ({error}); save it as a UTF-8 CSV."
        ) from None
    except _DAMAGE as error:
        raise _damaged(path, error) from None


def _check_packed(path):
    """Raise if a gzip file is damaged, which shows at its end, where the checksum is.

    Called when its text makes no sense, for that may be the reason.
    """
    try:
        with gzip.open(path) as file:
            left = _MOST
            while left > 0 and (part := file.read(2**20)):
                left -= len(part)
    except _DAMAGE as error:
        raise _damaged(path, error) from None


def _damaged(path, error):
    return InputError(
        f"{str(path)!r} is not a gzip file or is damaged ({error}); copy or compress it again."
    )


def count_rows(path):
    """Number of data rows and separator of a CSV, after checking every row."""
    with open_rows(path) as rows:
        return sum(1 for _ in rows), rows.separator


def _separator(header, path):
    if ".tsv" in [suffix.lower() for suffix in path.suffixes[-2:]]:
        return "\t"
    counts = {mark: header.count(mark) for mark in (",", ";", "\t", "|")}
    return max(counts, key=counts.get)  # ties: the comma, which is first
