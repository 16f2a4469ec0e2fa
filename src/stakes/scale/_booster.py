"""XGBoost on tables that do not fit into memory, through its external memory."""

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from joblib import cpu_count
from sklearn.base import clone

from stakes._core.row_hash import hash_rows
from stakes.scale._verbs import number_rows, parts_of

HELD_OUT = 0.1  # share of the rows that the calibration is fitted to
MOST_HELD_OUT = 500_000
_BATCH = 500_000  # rows of a page of the external memory


def fit_booster(learner, table, encoder, n_jobs, calibrated=True):
    """Fit an XGBClassifier to all rows but those that are held out for its calibration.

    The rows are encoded, compressed to bins by XGBoost and kept on disk; each tree reads them page
    by page.

    Returns
    -------
    (XGBClassifier, ndarray, ndarray)
        The model, and the probabilities and labels of the rows that were held out.
    """
    share = min(HELD_OUT, MOST_HELD_OUT / table.rows) if calibrated else 0.0
    fit = _on_spark if hasattr(table.source, "fold") else _in_external_memory
    model = fit(learner, table, encoder, share, n_jobs)
    if not share:
        return model, np.empty(0), np.empty(0, int)
    scores = table.fold(list, _Score(model, encoder, share), _joined, numbered=True, n_jobs=n_jobs)
    probability, y = (np.concatenate(one) for one in zip(*scores, strict=True))
    return model, probability, y


def _in_external_memory(learner, table, encoder, share, n_jobs):
    import xgboost

    params = learner.get_xgb_params() | {"objective": "binary:logistic"}
    rounds, threads = params.pop("n_estimators", None) or 100, _threads(n_jobs)
    params |= {"nthread": threads, "tree_method": "hist"}
    with tempfile.TemporaryDirectory(prefix="stakes-") as folder:
        pages = _pages(xgboost, table, encoder, share, str(Path(folder, "page")))
        bins = params.get("max_bin") or 256
        data = xgboost.ExtMemQuantileDMatrix(pages, max_bin=bins, nthread=threads)
        booster = xgboost.train(params, data, num_boost_round=rounds)
        del data, pages
    return adopt_booster(learner, booster)


def _on_spark(learner, table, encoder, share, n_jobs):
    """XGBoost's Spark trainer, on rows that the workers encode; it needs all workers at once."""
    import pyarrow
    from xgboost.spark import SparkXGBClassifier

    columns = [("features", pyarrow.list_(pyarrow.float32())), ("label", pyarrow.float64())]
    encode = _Encode(table.reader, encoder, share)
    frame = table.source.map_batches(encode, pyarrow.schema(columns))
    own = ("n_jobs", "missing", "objective", "enable_categorical", "device")
    params = {k: v for k, v in learner.get_params().items() if v is not None and k not in own}
    context = frame.sparkSession.sparkContext
    how = dict(features_col="features", label_col="label", num_workers=context.defaultParallelism)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Spark about pandas and of threads
        booster = SparkXGBClassifier(**how, **params).fit(frame).get_booster()
    return adopt_booster(learner, booster)


@dataclass(frozen=True)
class _Encode:
    """Features and labels of a partition, without the rows that are held out."""

    reader: object
    encoder: object
    share: float

    def __call__(self, part):
        first = part.first
        for batch in part.batches():
            rows = self.reader.read(batch, first)
            first += batch.height
            rows = rows.take(~held_out(rows.numbers, self.share))
            Z = pl.Series("features", self.encoder.encode(rows.table).astype(np.float32))
            label = pl.Series("label", rows.y).cast(pl.Float64)
            yield pl.DataFrame([Z.cast(pl.List(pl.Float32)), label])


def held_out(numbers, share):
    """Which rows are held out, by their numbers in the whole table."""
    return hash_rows(numbers, 1) < np.uint64(share * 2**63) * np.uint64(2)


def adopt_booster(learner, booster):
    """An XGBClassifier of a trained booster."""
    model = clone(learner)
    model.load_model(bytearray(booster.save_raw("ubj")))
    return model.set_params(**learner.get_params())  # not those that it reads from the booster


def _threads(n_jobs):
    return cpu_count() if n_jobs == -1 else n_jobs


def _pages(xgboost, table, encoder, share, prefix):
    """The rows for XGBoost, read part by part in this process."""
    parts = number_rows(parts_of(table.source))

    class Pages(xgboost.DataIter):
        def __init__(self):
            super().__init__(cache_prefix=prefix, on_host=False)
            self.reset()

        def reset(self):
            self._rows = self._batches()

        def next(self, input_data):
            found = next(self._rows, None)
            if found is None:
                return False
            input_data(data=found[0], label=found[1])
            return True

        def _batches(self):
            Z, y, n = [], [], 0
            for part in parts:
                first = part.first
                for batch in part.batches():
                    rows = table.reader.read(batch, first)
                    first += batch.height
                    rows = rows.take(~held_out(rows.numbers, share))
                    Z.append(encoder.encode(rows.table).astype(np.float32))
                    y.append(rows.y)
                    n += len(rows.y)
                    if n >= _BATCH:
                        yield np.concatenate(Z), np.concatenate(y)
                        Z, y, n = [], [], 0
            if n:
                yield np.concatenate(Z), np.concatenate(y)

    return Pages()


@dataclass(frozen=True)
class _Score:
    """Probabilities and labels of the rows that were held out."""

    model: object
    encoder: object
    share: float

    def __call__(self, found, rows):
        rows = rows.take(held_out(rows.numbers, self.share))
        if len(rows.y):
            Z = self.encoder.encode(rows.table)
            found = [*found, (self.model.predict_proba(Z)[:, 1], rows.y)]
        return found


def _joined(found, more):
    return found + more
