"""A trained model decides about a Spark data frame, on the workers."""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stakes.compare._class_decider import load_decider
from stakes.errors import InputError
from stakes.scale import SparkTable

_LOADED = {}  # of a worker process, which Spark uses for many partitions


def predict_spark(model, frame, *, keep=(), verify=None, **costs):
    """Decide about every row of a Spark data frame.

    The model is broadcast once, and loaded once by each Python worker. The columns are those of
    `stakes predict`, without `row`: rows of a data frame have no number, so keep a column to join
    on.

    Parameters
    ----------
    model : str or Path
        A file of :func:`train_to_file`, which only this process needs to see.
    frame : pyspark.sql.DataFrame
        The rows.
    keep : sequence of str, default=()
        Columns to copy to the result.
    verify : str or Path, default=None
        File of a public key that the model must be signed with.
    **costs : str
        Costs that replace those of training, as in :func:`predict_folder`.

    Returns
    -------
    pyspark.sql.DataFrame
        Nothing is computed before it is used: write it, or collect it.
    """
    costs = {name: cost for name, cost in costs.items() if cost is not None}
    decider = load_decider(model, keep, verify=verify, **costs)
    if decider.replicates:
        raise InputError("Replicates of an example may be in several partitions; join them first.")
    empty = pl.from_arrow(frame.limit(0).toArrow())
    schema = decider.decide(empty).drop("row").to_arrow().schema
    data = Path(model).read_bytes()
    sent = frame.sparkSession.sparkContext.broadcast(data)
    score = _Score(sent, hashlib.sha256(data).hexdigest(), tuple(keep), tuple(costs.items()))
    return SparkTable(frame).map_batches(score, schema)


@dataclass(frozen=True)
class _Score:
    """Decides about the rows of a partition."""

    sent: object
    digest: str
    keep: tuple
    costs: tuple

    def __call__(self, part):
        decider = self._decider().fresh()
        for batch in part.batches():
            if batch.height:
                yield decider.decide(batch).drop("row")

    def _decider(self):
        key = self.digest, self.keep, self.costs
        if key not in _LOADED:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "model.skops")
                path.write_bytes(self.sent.value)
                _LOADED.clear()
                _LOADED[key] = load_decider(path, self.keep, **dict(self.costs))
        return _LOADED[key]
