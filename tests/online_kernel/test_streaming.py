"""Every learner of the family behind `stakes stream`: decisions, late labels, exact restart."""

import numpy as np
import pytest

from stakes._core.learners import all_estimators, find_learner
from stakes.online_kernel import KernelPerceptronClassifier
from stakes.stream import DecisionStream

LEARNERS = [one for _, one in all_estimators(["online_kernel"])]


def events(n=60, seed=0):
    rng = np.random.default_rng(seed)
    for t in range(n):
        amount = float(rng.lognormal(2.0, 1.0))
        fraud = int(amount > 12.0 and t % 3 == 0)
        event = {"amount": amount, "shop": f"s{t % 7}", "night": bool(t % 2), "note": None}
        yield event, fraud


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.__name__)
def test_a_stream_of_records(learner, tmp_path):
    stream = DecisionStream(learner(), fp_cost=1.0, fn_cost="amount", prior=0.1)
    labels = []
    for t, (event, label) in enumerate(events()):
        labels.append(label)
        decision = stream.decide(event, id=t)
        assert 0.0 <= decision.probability <= 1.0
        assert decision.action == (decision.probability > decision.break_even)
        if t >= 5:  # labels come five events late
            stream.label(t - 5, labels[t - 5])
        if t == 30:
            stream.save(tmp_path / "stream.skops")
            again = DecisionStream.load(tmp_path / "stream.skops")
            assert (
                again.decide({"amount": 3.0}, id="x")[1:]
                == stream.decide({"amount": 3.0}, id="x")[1:]
            )
    assert stream.totals.labels == 55


@pytest.mark.parametrize("name", ["kernel-features", "csduol", "duol", "kernel-pa", "anomaly"])
def test_names_on_the_command_line(name):
    assert find_learner(name, "learn_one") in LEARNERS


def test_a_single_row_of_numbers_after_rows_of_bits():
    """The row changes the layout of the vectors, and its score is that of the new one."""
    rng = np.random.default_rng(0)
    bits, rows = (rng.random((50, 5)) > 0.5).astype(float), rng.normal(size=(4, 5))
    for x in rows:
        model = KernelPerceptronClassifier().fit(bits, bits[:, 0] > 0)
        alone = model.decision_function_one(x)
        again = KernelPerceptronClassifier().fit(bits, bits[:, 0] > 0)
        assert alone == again.decision_function(x[None])[0]
