"""The rows of a CSV one after the other, each checked to have as many fields as the header."""

import csv
import gzip
import itertools
from contextlib import contextmanager
from pathlib import Path

from stakes.errors import InputError


class CsvRows:
    """The rows of an open CSV as text, a quoted field with line breaks in one piece.

    polars fills short rows up with nulls without a word, and keeps a whole CSV in memory even
    where it is asked for batches; so rows are counted, checked and cut here. Empty lines at the
    end do not count.

    Parameters
    ----------
    lines : iterator of str
        The file, line breaks kept.
    path : Path
        For messages, and to tell a .tsv.

    Attributes
    ----------
    header : str
        The header's text.
    separator : str
        Comma, semicolon, tab or bar: the most frequent one of the header.
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
            raise InputError(
                f"{str(self._path)!r} {what}; a header line and rows below it are needed."
            )

    def _check(self, start, fields, empty):
        if fields != self._width:
            raise InputError(
                f"Line {start} of {str(self._path)!r} has {fields} fields where the header has "
                f"{self._width}; mend that line, or put text that has separators in it between "
                "double quotes."
            )
        if empty and self._width > 1:
            raise InputError(f"Line {start - 1} of {str(self._path)!r} is empty; remove it.")

    def _whole(self, line):
        """A row's text and number of fields, reading on where a quoted field spans lines."""
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
                f"Line {start} of {str(self._path)!r} has quotes that do not match ({error}); "
                "a quote inside quoted text is written twice."
            ) from None
        self._line_number += len(taken)
        return "".join([line, *taken]), fields


@contextmanager
def open_rows(path):
    """The :class:`CsvRows` of a file, gzipped or not."""
    path = Path(path)
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
            yield CsvRows(lines, path)
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise InputError(
            f"{str(path)!r} cannot be read as text in UTF-8 ({error}); save it as a CSV in UTF-8."
        ) from None


def count_rows(path):
    """Number of data rows and the separator of a CSV, after a look at every row."""
    with open_rows(path) as rows:
        return sum(1 for _ in rows), rows.separator


def _separator(header, path):
    if ".tsv" in [suffix.lower() for suffix in path.suffixes[-2:]]:
        return "\t"
    counts = {mark: header.count(mark) for mark in (",", ";", "\t", "|")}
    return max(counts, key=counts.get)  # the first of equals: the comma
