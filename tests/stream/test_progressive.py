"""Progressive validation: decide, pay, then learn."""

import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Perceptron, SGDClassifier

from stakes.datasets import make_fraud
from stakes.game import StackelbergClassifier
from stakes.metrics import savings_score, weighted_sum_score
from stakes.online import AROWClassifier, CWRobustClassifier, ProbitClassifier
from stakes.online_kernel import CSDUOLClassifier, KernelCPAClassifier
from stakes.stream import ProgressDisplay, progressive


@pytest.fixture
def stream(priced):
    X, y, fp, fn = (part[:80] for part in priced)
    return X, y, dict(fp_cost=fp, fn_cost=fn)


def by_hand(model, X, y, costs, delay):
    """Probabilities from a queue of labels that have not come yet."""
    waiting, told = [], []
    for t in range(len(y)):
        known = hasattr(model, "classes_")
        told.append(model.predict_proba(X[t : t + 1])[0, 1] if known else 0.5)
        waiting.append(t)
        if len(waiting) > delay:
            i = waiting.pop(0)
            model.partial_fit(
                X[[i]], y[[i]], [0, 1], **{name: cost[[i]] for name, cost in costs.items()}
            )
    return np.array(told)


@pytest.mark.parametrize("delay", [0, 1, 7, 200])
@pytest.mark.parametrize("make", [ProbitClassifier, CWRobustClassifier])
def test_probabilities_are_those_of_a_queue(stream, delay, make):
    X, y, costs = stream
    progress = progressive(make(), X, y, delay=delay, **costs)
    np.testing.assert_array_equal(progress.probability, by_hand(make(), X, y, costs, delay))


@pytest.mark.parametrize("delay", [0, 5])
def test_sparse_streams(stream, delay):
    X, y, costs = stream
    S = sparse.csr_matrix(X)
    progress = progressive(AROWClassifier(), S, y, delay=delay, **costs)
    np.testing.assert_array_equal(
        progress.probability, by_hand(AROWClassifier(), S, y, costs, delay)
    )


def test_the_curves_end_in_the_metrics(stream):
    X, y, costs = stream
    progress = progressive(AROWClassifier(), X, y, **costs)
    decided = progress.decided.astype(int)
    assert progress.savings[-1] == pytest.approx(savings_score(y, decided, **costs))
    assert progress.weighted_sum()[-1] == pytest.approx(weighted_sum_score(y, decided))
    assert progress.regret[-1] == pytest.approx(
        progress.paid.sum() - min(progress.never.sum(), progress.always.sum())
    )
    np.testing.assert_array_equal(
        progress.decided, progress.probability > 2.0 / (2.0 + costs["fn_cost"])
    )
    assert "savings" in str(progress)


def test_it_goes_on_from_what_the_model_knows(stream):
    X, y, costs = stream
    model = AROWClassifier()
    first, second = ({k: v[s] for k, v in costs.items()} for s in (slice(40), slice(40, None)))
    parts = [
        progressive(model, X[:40], y[:40], **first).probability,
        progressive(model, X[40:], y[40:], **second).probability,
    ]
    whole = progressive(AROWClassifier(), X, y, **costs)
    np.testing.assert_array_equal(np.concatenate(parts), whole.probability)


@pytest.mark.parametrize("delay", [0, 3])
def test_other_peoples_learners(stream, delay):
    X, y, costs = stream
    with_p = progressive(SGDClassifier(loss="log_loss"), X, y, delay=delay, **costs)
    assert with_p.probability[0] == 0.5
    plain = progressive(Perceptron(), X, y, delay=delay, **costs)
    assert np.isnan(plain.probability).all()
    assert not plain.decided[: delay + 1].any()
    assert plain.decided.any()


def test_the_sign_decides_if_asked(stream):
    X, y, costs = stream
    model, slow = AROWClassifier(), AROWClassifier()
    progress = progressive(model, X, y, decide="sign", **costs)
    for t in range(10):
        if t:
            assert progress.decided[t] == (slow.predict_one(X[t]) == 1)
        slow.learn_one(X[t], y[t], **{k: v[t] for k, v in costs.items()})


@pytest.mark.parametrize("delay", [0, 3])
def test_weights_multiply_the_costs(stream, delay):
    X, y, costs = stream
    weight = np.arange(len(y)) % 3
    weighted = progressive(ProbitClassifier(), X, y, sample_weight=weight, delay=delay, **costs)
    scaled = {name: cost * weight for name, cost in costs.items()}
    expected = progressive(ProbitClassifier(), X, y, delay=delay, **scaled)
    np.testing.assert_array_equal(weighted.probability, expected.probability)
    np.testing.assert_array_equal(weighted.paid, expected.paid)
    with pytest.raises(ValueError, match="Negative values"):
        progressive(ProbitClassifier(), X, y, sample_weight=-weight)


@pytest.mark.parametrize("curve", ["cost", "regret", "savings", "weighted_sum"])
def test_display(stream, curve):
    X, y, costs = stream
    progress = progressive(AROWClassifier(), X, y, **costs)
    display = ProgressDisplay(progress, name="AROW").plot(curve=curve)
    values = getattr(progress, curve)
    np.testing.assert_array_equal(
        display.line_.get_ydata(), values() if callable(values) else values
    )
    ProgressDisplay(copy.copy(progress)).plot(display.ax_, curve=curve)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (dict(delay=-1), "delay must be"),
        (dict(decide="mood"), "decide must be"),
        (dict(classes=[1]), "both classes"),
    ],
)
def test_bad_input_is_named(stream, arguments, match):
    X, y, _ = stream
    with pytest.raises(ValueError, match=match):
        progressive(AROWClassifier(), X, y, **arguments)
    with pytest.raises(ValueError, match="curve must be"):
        ProgressDisplay(progressive(AROWClassifier(), X, y)).plot(curve="moon")


@pytest.mark.parametrize("delay", [0, 20])
def test_the_prior_decides_until_a_label_is_learnt(delay):
    data = make_fraud(200, random_state=0)
    half, rare = (
        progressive(ProbitClassifier(), data.X, data.y, delay=delay, prior=p, **data.costs)
        for p in (0.5, 0.02)
    )
    known = delay + 1  # decided before anything was known
    assert set(half.probability[:known]) == {0.5} and set(rare.probability[:known]) == {0.02}
    np.testing.assert_array_equal(half.probability[known:], rare.probability[known:])
    assert rare.decided[:known].sum() <= half.decided[:known].sum()
    with pytest.raises(ValueError, match=r"prior must be between 0 and 1\. Got 2 instead"):
        progressive(ProbitClassifier(), data.X, data.y, prior=2)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "learner",
    [CSDUOLClassifier(), KernelCPAClassifier(), StackelbergClassifier(alpha=1.0)],
    ids=repr,
)
def test_prices_reach_learners_that_give_no_probabilities(learner, form, stream):
    X, y, costs = stream
    X, y, costs = form(X[:30]), y[:30], {name: cost[:30] for name, cost in costs.items()}
    taught = clone(learner)
    for t in range(30):
        now = {name: cost[[t]] for name, cost in costs.items()}
        taught.partial_fit(X[t : t + 1], y[[t]], [0, 1], **now)
    found = progressive(clone(learner), X, y, **costs).model
    np.testing.assert_array_equal(found.decision_function(X), taught.decision_function(X))
    plain = progressive(clone(learner), X, y).model
    assert (found.decision_function(X) != plain.decision_function(X)).any()
