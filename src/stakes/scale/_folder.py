"""A table in parts: the Parquet and CSV files of a folder or of a glob."""

import glob
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stakes.errors import InputError
from stakes.tables import check_file, scan_batches

SUFFIXES = (".parquet", ".pq", ".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True)
class Part:
    """One file of a table in parts.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        Its path relative to the folder.
    first : int, default=0
        Number of its first row in the whole table, from 0, where that was asked for.
    """

    path: Path
    name: str
    first: int = 0

    @property
    def is_text(self):
        """Whether the types of the columns must be guessed."""
        return check_file(self.path)[1] == "csv"

    def count_rows(self):
        """Number of rows; a Parquet file says it without being read."""
        if not self.is_text:
            with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
                return pl.scan_parquet(self.path, glob=False).select(pl.len()).collect().item()
        return sum(batch.height for batch in self.batches())  # or says what is wrong

    def batches(self, batch_rows=None):
        """Read the part in polars frames; see :func:`stakes.tables.scan_batches`."""
        return scan_batches(self.path, batch_rows)


@dataclass(frozen=True)
class PartGroup:
    """Several small parts that are read as one."""

    parts: tuple

    @property
    def path(self):
        """The first of its files, for messages."""
        return self.parts[0].path

    @property
    def name(self):
        """The name of its first part."""
        return self.parts[0].name

    @property
    def first(self):
        """Number of its first row."""
        return self.parts[0].first

    def batches(self, batch_rows=None):
        """Read the parts one after the other."""
        for part in self.parts:
            yield from part.batches(batch_rows)


def group_parts(parts, rows, least):
    """Groups of neighboring parts that have at least a number of rows each.

    Parameters
    ----------
    parts : list of Part
        The parts, with the numbers of their first rows.
    rows : int
        Number of rows of all parts.
    least : int
        Number of rows of a group.

    Returns
    -------
    list of PartGroup
    """
    groups, start = [], 0
    ends = [*(part.first for part in parts[1:]), rows]
    for k, end in enumerate(ends):
        full, rest = end - parts[start].first >= least, rows - end >= least
        if (full and rest) or k == len(parts) - 1:
            groups.append(PartGroup(tuple(parts[start : k + 1])))
            start = k + 1
    return groups


class Folder:
    r"""A table whose rows are spread over the files of a folder.

    Parameters
    ----------
    source : str or Path
        A folder, searched with all folders inside it for .parquet, .csv and .tsv files (the
        latter two also .gz), or a glob such as `payments/2024-*.parquet`. Names that start with a
        dot or an underscore are skipped, as Spark does.

    Attributes
    ----------
    root : Path
        The folder, or the part of the glob before its first wildcard.
    parts : list of Part
        The files in the order of their names.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> for month in ("01", "02"):
    ...     _ = Path(folder.name, f"{month}.csv").write_text("amount\n1\n2\n")
    >>> [part.name for part in Folder(folder.name).parts]
    ['01.csv', '02.csv']
    >>> len(Folder(f"{folder.name}/*2.csv").parts)
    1
    >>> folder.cleanup()
    """

    def __init__(self, source):
        self.source = str(source)
        if Path(source).is_dir():
            self.root = Path(source)
            found = [path for path in self.root.rglob("*") if self._is_table(path)]
        elif glob.has_magic(self.source):
            self.root = _before_wildcards(Path(source))
            matched = map(Path, glob.glob(self.source, recursive=True))
            found = [path for path in matched if self._is_table(path)]
        else:
            raise InputError(f"There is no folder {self.source!r}; give a folder or a glob.")
        if not found:
            raise InputError(
                f"{self.source!r} has no {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} files."
            )
        names = sorted((path.relative_to(self.root).as_posix(), path) for path in found)
        self.parts = [Part(path, name) for name, path in names]

    @staticmethod
    def is_meant(source):
        """Whether a path means several files: a folder, or a glob that is not itself a file.

        Examples
        --------
        >>> Folder.is_meant("payments/*.csv"), Folder.is_meant("payments.csv")
        (True, False)
        """
        path = Path(source)
        return path.is_dir() or (glob.has_magic(str(source)) and not path.exists())

    def __len__(self):
        return len(self.parts)

    @property
    def paths(self):
        """The files by their names without the suffix, by which results belong to them."""
        found = {}
        for part in self.parts:
            suffix = max((s for s in SUFFIXES if part.name.lower().endswith(s)), key=len)
            found[part.name[: -len(suffix)]] = part.path
        return found

    def would_read(self, path):
        """Whether a file in the folder `path` could be taken for a part later."""
        path, root = Path(os.path.abspath(path)), Path(os.path.abspath(self.root))
        deep = Path(self.source).is_dir() or "**" in self.source
        return path == root or (deep and path.is_relative_to(root))

    def _is_table(self, path):
        inside = path.relative_to(self.root).parts
        hidden = any(name.startswith((".", "_")) for name in inside)
        return not hidden and path.name.lower().endswith(SUFFIXES) and path.is_file()


def _before_wildcards(path):
    root = Path(path.anchor)
    for name in path.parts[len(root.parts) : -1]:
        if glob.has_magic(name):
            break
        root /= name
    return root
