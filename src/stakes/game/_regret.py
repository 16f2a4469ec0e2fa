"""Cost of a game played on a stream, compared with the best fit in hindsight."""

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import clone

from stakes._core.deciding import predict_with_costs
from stakes._core.plotting import column_of
from stakes.costs import COST_NAMES, Costs


def stream_regret(model, batches):
    """Cost of deciding each batch before learning it, and of the best off-line fits.

    Off-line means that all batches were known from the start: at the equilibrium of their game,
    and as if nobody moved. The first batch is only learned.

    Parameters
    ----------
    model : StackelbergClassifier
        Its settings; the costs are those of its constructor, in terms of its `pos_label`.
    batches : sequence of (X, y)
        Rows and labels in the order of time.

    Returns
    -------
    polars.DataFrame
        For each batch from the second on: cost of the stream, of the equilibrium in hindsight and
        of the plain classifier in hindsight, and the cumulative regret against the better of the
        two.

    Examples
    --------
    >>> from stakes.game import StackelbergClassifier
    >>> rng = np.random.default_rng(0)
    >>> batches = []
    >>> for month in range(3):
    ...     X = rng.normal(size=(200, 2))
    ...     y = (X[:, 0] > 0.5).astype(int)
    ...     X[y == 1, 1] += month  # the positives move
    ...     batches.append((X, y))
    >>> stream_regret(StackelbergClassifier(), batches).columns
    ['batch', 'stream', 'equilibrium', 'plain', 'regret']
    """
    batches = [(X, np.asarray(y)) for X, y in batches]
    if len(batches) < 2:
        raise ValueError("A regret needs at least two batches: the first is only learned.")
    tables = [X for X, _ in batches]
    together = sparse.vstack(tables, "csr") if sparse.issparse(tables[0]) else np.vstack(tables)
    labels = np.concatenate([y for _, y in batches])
    classes = np.unique(labels)
    hindsight = {
        "equilibrium": clone(model).fit(together, labels),
        "plain": clone(model).set_params(movement_price=np.inf).fit(together, labels),
    }
    online = clone(model).partial_fit(*batches[0], classes=classes)
    rows = []
    for k, (X, y) in enumerate(batches[1:], 2):
        row = {"batch": k, "stream": _bill(online, X, y)}
        rows.append(row | {name: _bill(one, X, y) for name, one in hindsight.items()})
        online.partial_fit(X, y)
    table = pl.DataFrame(rows)
    best = min(hindsight, key=lambda name: table[name].sum())
    return table.with_columns(regret=(pl.col("stream") - pl.col(best)).cum_sum())


def _bill(model, X, y):
    label = model.classes_[1] if model.pos_label is None else model.pos_label
    column_of(model, label)  # raises on a label that is not a class
    costs = Costs.of(len(y), **{name: getattr(model, name) for name in COST_NAMES})
    decided = np.asarray(predict_with_costs(model, X)) == label
    return float(costs.paid(y == label, decided).sum())
