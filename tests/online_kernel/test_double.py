"""Double updating: the dual objective never falls, and the degenerate cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.online_kernel import dual_objective, gram
from stakes._core.jit.kernel_rows import MARGIN
from stakes.online_kernel import CSDUOLClassifier, DUOLClassifier, KernelPAClassifier

stream_of = st.integers(0, 2**32 - 1)
KERNELS, C = st.sampled_from(["rbf", "linear"]), st.floats(0.2, 20)


def stream(seed, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * rng.choice([0.1, 1.0, 10.0])
    X[n // 2 :: 5] = X[: len(X[n // 2 :: 5])]  # some points come twice, perhaps with both labels
    return X, rng.choice([-1.0, 1.0], n), rng.lognormal(0, 1, n)


@settings(max_examples=25, deadline=None)
@given(
    stream_of,
    st.sampled_from(["rbf", "linear"]),
    st.floats(0.2, 20),
    st.floats(0, 0.9),
    st.booleans(),
)
def test_dual_objective_never_falls_and_is_kept(seed, kernel, C, rho, scaled):
    X, y, price = stream(seed)
    learner = CSDUOLClassifier(kernel=kernel, gamma=0.5, C=C, rho=rho, normalize_costs=False)
    learner.set_params(scale_C=scaled)
    K, before = gram(X, kernel, 0.5), 0.0
    for t in range(len(y)):
        learner.partial_fit(
            X[t : t + 1], y[t : t + 1], classes=[-1, 1], fp_cost=price[t], fn_cost=price[t]
        )
        S, coefficients = learner.support_, learner.dual_coef_[0]
        now = dual_objective(K, y, price, S, coefficients)
        assert now >= before - 1e-9 * max(1.0, abs(before))
        box = C * price[S] if scaled else C
        assert (np.abs(coefficients) <= box).all() and (y[S] * coefficients >= 0).all()
        before = now
    assert learner.dual_objective_ == pytest.approx(before, rel=1e-6, abs=1e-9)
    kept, S = learner._store.support.floats[MARGIN, : len(S)], learner.support_
    np.testing.assert_allclose(kept, y[S] * (K[np.ix_(S, S)] @ coefficients), rtol=1e-6, atol=1e-8)


@given(stream_of)
@settings(max_examples=10, deadline=None)
def test_double_updates_climb_at_least_as_high_in_their_step(seed):
    X, y, _ = stream(seed, n=12)
    both = [-1, 1]  # eleven examples may have one class only
    double = DUOLClassifier(gamma=0.5).partial_fit(X[:11], y[:11], both)
    single = DUOLClassifier(gamma=0.5).partial_fit(X[:11], y[:11], both).set_params(rho=1.0)
    double.partial_fit(X[11:], y[11:])
    single.partial_fit(X[11:], y[11:])
    assert double.dual_objective_ >= single.dual_objective_ - 1e-9


def test_rho_one_is_single_updating(rng):
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(int)
    a, b = CSDUOLClassifier(rho=1.0, gamma=0.5).fit(X, y), KernelPAClassifier(gamma=0.5).fit(X, y)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_array_equal(a.dual_coef_, b.dual_coef_)


@pytest.mark.parametrize("cost_rule", ["regret", "balanced"])
def test_theta_one_is_duol(cost_rule, rng):
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(int)
    learner = CSDUOLClassifier(
        cost_rule=cost_rule, class_ratio=1.0, fp_cost=0.05, fn_cost=0.05, gamma=0.5
    )
    np.testing.assert_array_equal(
        learner.fit(X, y).dual_coef_, DUOLClassifier(gamma=0.5).fit(X, y).dual_coef_
    )


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")  # a toy problem
def test_prices_move_the_decision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X.sum(axis=1) + rng.normal(size=200) > 1.5).astype(int)
    alarms = [
        CSDUOLClassifier(fn_cost=price, gamma=0.5).fit(X, y).predict(X).mean()
        for price in (0.2, 1.0, 5.0)
    ]
    assert alarms[0] < alarms[1] < alarms[2]
