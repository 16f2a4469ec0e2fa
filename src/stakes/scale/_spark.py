"""A Spark data frame as a table in parts: its partitions, read as Arrow batches on the workers."""

import math
import pickle
import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field

import polars as pl
from threadpoolctl import threadpool_limits

from stakes.errors import InputError

FAN = 32  # states that are merged at once, on a worker or in the driver
NUMBERED = 40  # bits of the number of a row in its partition
_STATES = "part long, state binary"


@dataclass(frozen=True)
class SparkPart:
    """One partition, while it is read on a worker.

    Parameters
    ----------
    number : int
        Number of the partition.
    arrived : iterator of pyarrow.RecordBatch
        Its rows.
    """

    number: int
    arrived: object = field(default=(), repr=False)

    @property
    def name(self):
        """The number as text."""
        return str(self.number)

    @property
    def first(self):
        """Number of its first row, which no row of another partition has."""
        return self.number << NUMBERED

    def batches(self, batch_rows=None):
        """Polars frames, of as many rows as Spark sends at a time."""
        for batch in self.arrived:
            frame = pl.from_arrow(batch)
            yield from frame.iter_slices(batch_rows) if batch_rows else [frame]


class SparkTable:
    """A Spark data frame as the source of :func:`fold_parts` and all that is built on it.

    Needs PySpark 4 and pyarrow (the extra `spark`) here and stakes on the workers. If a worker is
    lost, Spark computes its partitions again; the result is the same if the data frame is read in
    the same order then, as files are.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows; not of Spark Connect.
    """

    def __init__(self, frame):
        if not hasattr(frame, "mapInArrow") or not hasattr(frame, "sparkSession"):
            raise InputError("A SparkTable is made of a Spark data frame.")
        self.frame = frame

    def map(self, function):
        """Call a function on every partition; see :func:`map_parts`."""
        with reported():
            rows = self._states(function).collect()
        for row in sorted(rows, key=lambda row: row.part):
            yield SparkPart(row.part), pickle.loads(row.state)

    def fold(self, fold, merge):
        """Fold all rows; states are merged on the workers, in a tree, in the order of the parts."""
        states, n = self._states(fold), self.frame.rdd.getNumPartitions()
        while n > FAN:
            with _without_pandas_warning():
                groups = states.groupBy((states.part / FAN).cast("long"))
                states = groups.applyInArrow(_merger(merge), _STATES)
            n = math.ceil(n / FAN)
        with reported():
            rows = states.collect()
        state = fold.start()
        for row in sorted(rows, key=lambda row: row.part):
            state = merge(state, pickle.loads(row.state))
        return state

    def names(self):
        """Names of the partitions that have rows."""
        return [part.name for part, rows in self.map(_has_rows) if rows]

    def map_batches(self, function, schema):
        """A data frame of what a function makes of the parts, on the workers.

        Parameters
        ----------
        function : callable
            `function(part)` yields polars frames.
        schema : pyarrow.Schema
            Their columns.

        Returns
        -------
        pyspark.sql.DataFrame
            Nothing is computed before it is used.
        """
        from pyspark.sql.pandas.types import from_arrow_schema

        def run(batches):
            for frame in function(_part(batches)):
                yield from frame.to_arrow().cast(schema).to_batches()

        with _without_pandas_warning():
            return self.frame.mapInArrow(run, from_arrow_schema(schema))

    @contextmanager
    def kept(self, function, schema):
        """What :meth:`map_batches` makes of the rows as a table that Spark keeps, until the end."""
        frame = self.map_batches(function, schema).persist()
        try:
            yield SparkTable(frame)
        finally:
            frame.unpersist()

    def _states(self, function):
        def run(batches):
            import pyarrow

            part = _part(batches)
            with threadpool_limits(1, user_api="blas"):
                state = pickle.dumps(function(part))
            yield pyarrow.RecordBatch.from_pydict({"part": [part.number], "state": [state]})

        with _without_pandas_warning():
            return self.frame.mapInArrow(run, _STATES)


def _part(batches):
    from pyspark import TaskContext

    return SparkPart(TaskContext.get().partitionId(), batches)


def _merger(merge):
    def run(table):
        import pyarrow

        rows = sorted(zip(table["part"].to_pylist(), table["state"].to_pylist(), strict=True))
        state = pickle.loads(rows[0][1])
        for _, other in rows[1:]:
            state = merge(state, pickle.loads(other))
        return pyarrow.table({"part": [rows[0][0] // FAN], "state": [pickle.dumps(state)]})

    return run


def _has_rows(part):
    return any(batch.height for batch in part.batches())


@contextmanager
def reported():
    """Raise an error of a worker that the user can fix as it was, without the traces of Spark."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = re.search(r"^stakes\.errors\.InputError: (.*)$", str(error), re.MULTILINE)
        if not found:
            raise
        raise InputError(found[1]) from None


@contextmanager
def _without_pandas_warning():
    with warnings.catch_warnings():  # pandas is not used
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield
