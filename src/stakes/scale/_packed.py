"""Encoded rows of a table in parts, kept while a learner reads them again and again."""

import io
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from stakes.scale._verbs import fold_parts, map_parts, parts_of

FREE_SHARE = 0.5  # of the free space for temporary files that packed rows may take
_COLUMN = "packed"


@contextmanager
def packed(table, matrix, n_jobs=1):
    """The rows of a table, encoded once, for a learner that needs many passes over them.

    A folder's rows are kept in temporary files, if these take at most half of the free space there;
    Spark's in its cache, in memory or on the disks of its workers.

    Parameters
    ----------
    table : SurveyedTable
        The table.
    matrix : ModelMatrix
        Encodes the rows; their scales need not be known yet.
    n_jobs : int, default=1
        Number of parts in work at the same time.

    Yields
    ------
    PackedTable or SurveyedTable
        The table itself if there is no space.
    """
    if hasattr(table.source, "map_batches"):
        import pyarrow

        pack = _PackForSpark(_Pack(table.reader, matrix))
        with table.source.kept(pack, pyarrow.schema([(_COLUMN, pyarrow.binary())])) as source:
            yield PackedTable(source, table)
        return
    needed = table.rows * (8 * len(matrix.encoder_.feature_names_out_) + 9)
    if needed > FREE_SHARE * shutil.disk_usage(tempfile.gettempdir()).free:
        yield table
        return
    with tempfile.TemporaryDirectory(prefix="stakes-") as folder:
        pack = _PackToFile(_Pack(table.reader, matrix), folder)
        found = {part.name: one for part, one in map_parts(pack, table.source, n_jobs=n_jobs)}
        yield PackedTable([found[part.name] for part in parts_of(table.source)], table)


@dataclass(frozen=True)
class PackedTable:
    """A table in parts whose rows are encoded already.

    Attributes
    ----------
    source : list of PackedPart or SparkTable
        The rows.
    table : SurveyedTable
        What they were.
    """

    source: object
    table: object

    def fold(self, start, add, merge, *, n_jobs=1):
        """As :meth:`SurveyedTable.fold`, with `add(state, rows)` for :class:`PackedRows`."""
        add = partial(_add_packed, add)
        return fold_parts(self.source, start=start, add=add, merge=merge, n_jobs=n_jobs)


@dataclass(frozen=True)
class PackedRows:
    """Rows of a batch, encoded: the negative ones first.

    Attributes
    ----------
    Z : ndarray of shape (n, n_columns)
        Their features, in single precision where that is exact.
    y, regret : ndarray of shape (n,)
        As in :class:`Rows`.
    """

    Z: np.ndarray
    y: np.ndarray
    regret: np.ndarray

    @property
    def height(self):
        """Number of rows."""
        return len(self.y)

    def encoded(self, matrix):
        """The features as `matrix.encode` gave them."""
        return self.Z

    def dump(self, file):
        """Write the rows to a binary file."""
        for array in (self.Z, self.y, self.regret):
            np.save(file, array, allow_pickle=False)

    @classmethod
    def load(cls, file):
        """Read what :meth:`dump` wrote."""
        return cls(*(np.load(file, allow_pickle=False) for _ in range(3)))


@dataclass(frozen=True)
class PackedPart:
    """A file of packed rows."""

    path: Path
    name: str
    first: int = 0

    def batches(self):
        """The :class:`PackedRows` of one batch after the other."""
        end = self.path.stat().st_size
        with open(self.path, "rb") as file:
            while file.tell() < end:
                yield PackedRows.load(file)


@dataclass(frozen=True)
class _Pack:
    reader: object
    matrix: object

    def __call__(self, batch, first):
        rows = self.reader.read(batch, first)
        order = np.argsort(rows.y, kind="stable")
        Z = self.matrix.encode(rows.table)[order]
        with np.errstate(over="ignore"):
            small = Z.astype(np.float32)
        Z = small if np.array_equal(small, Z, equal_nan=True) else Z
        return PackedRows(Z, rows.y[order].astype(np.int8), rows.regret[order])


@dataclass(frozen=True)
class _PackToFile:
    pack: _Pack
    folder: str

    def __call__(self, part):
        path = Path(self.folder, f"{part.name}.packed")
        path.parent.mkdir(parents=True, exist_ok=True)
        first = part.first
        with open(path, "wb") as file:
            for batch in part.batches():
                if batch.height:
                    self.pack(batch, first).dump(file)
                first += batch.height
        return PackedPart(path, part.name)


@dataclass(frozen=True)
class _PackForSpark:
    pack: _Pack

    def __call__(self, part):
        first = part.first
        for batch in part.batches():
            if batch.height:
                file = io.BytesIO()
                self.pack(batch, first).dump(file)
                yield pl.DataFrame({_COLUMN: [file.getvalue()]})
            first += batch.height


def _add_packed(add, state, batch):
    if isinstance(batch, PackedRows):
        return add(state, batch)
    for value in batch[_COLUMN]:  # of Spark
        state = add(state, PackedRows.load(io.BytesIO(value)))
    return state
