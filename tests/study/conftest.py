"""A study that is small enough for tests."""

import pytest

from stakes.compare import _contestants
from stakes.study import _run
from toy import toy


@pytest.fixture
def small(monkeypatch):
    """Two small data sets and no boosters: the tests are about the machinery."""
    sets = {"a": toy(200, name="a"), "b": toy(240, seed=1, name="b")}
    known = _contestants.baselines
    monkeypatch.setattr(_run, "load", sets.get)
    monkeypatch.setattr(
        _contestants,
        "baselines",
        lambda: [c for c in known() if not c.name.startswith(("LightGBM", "hist"))],
    )


@pytest.fixture
def run(small):
    """Run the small study."""

    def run(out, **settings):
        settings = dict(learners=["ProbitClassifier"], rows=200, repeats=1, folds=2) | settings
        return _run.run_study(["a", "b"], out=out, **settings)

    return run


@pytest.fixture
def without_times():
    """Remove from a record what differs from run to run."""

    def without_times(record):
        for one in record["sets"]:
            for fact in one["learners"]:
                del fact["fit_seconds"], fact["predict_seconds"]
        return record

    return without_times
