"""The regret of a stream against fits that knew all batches."""

import numpy as np
import pytest

from stakes.game import StackelbergClassifier, stream_regret


def months(n=5, seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for month in range(n):
        X = rng.normal(size=(300, 3))
        y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=300) > 0.8).astype(int)
        X[y == 1, 0] -= 0.4 * month
        found.append((X, y))
    return found


def test_costs_and_regret():
    batches = months()
    model = StackelbergClassifier(movement_price=2.0, fn_cost=5.0)
    table = stream_regret(model, batches)
    assert table["batch"].to_list() == [2, 3, 4, 5]
    # the same loop by hand
    online = StackelbergClassifier(movement_price=2.0, fn_cost=5.0).fit(*batches[0])
    offline = {}
    X, y = (np.concatenate(part) for part in zip(*batches, strict=True))
    for name, price in (("equilibrium", 2.0), ("plain", np.inf)):
        offline[name] = StackelbergClassifier(movement_price=price, fn_cost=5.0).fit(X, y)

    def bill(one, X, y):
        said = one.predict(X)
        return 5.0 * np.sum((said == 0) & (y == 1)) + np.sum((said == 1) & (y == 0))

    for row, (X, y) in zip(table.to_dicts(), batches[1:], strict=True):
        assert row["stream"] == bill(online, X, y)
        for name, one in offline.items():
            assert row[name] == bill(one, X, y)
        online.partial_fit(X, y)
    best = min(("equilibrium", "plain"), key=lambda name: table[name].sum())
    assert table["regret"][-1] == table["stream"].sum() - table[best].sum()


def test_one_batch_has_no_regret():
    with pytest.raises(ValueError, match="at least two batches"):
        stream_regret(StackelbergClassifier(), months(1))
