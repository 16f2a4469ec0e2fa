from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from naive import risk as naive
from stakes.risk import (
    conditional_value_at_risk,
    normal_conditional_value_at_risk,
    normal_value_at_risk,
    omega,
    value_at_risk,
)

number = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("tail", [0.01, 0.05, 0.29, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 2, 100])
def test_sample_equals_the_minimum(rng, tail, n):
    values = rng.normal(size=n).round(1)  # with ties
    weights = rng.integers(1, 5, n)
    for w in (None, weights):
        cvar = conditional_value_at_risk(values, tail, sample_weight=w)
        assert cvar == pytest.approx(naive.cvar(values, tail, w), abs=1e-12)
        assert value_at_risk(values, tail, sample_weight=w) == naive.var(values, tail, w)
        lower = conditional_value_at_risk(values, tail, "lower", sample_weight=w)
        assert lower == pytest.approx(-naive.cvar(-values, tail, w), abs=1e-12)
        assert value_at_risk(values, tail, "lower", sample_weight=w) == -naive.var(-values, tail, w)


def test_weights_are_repetitions(rng):
    values, weights = rng.normal(size=20), rng.integers(0, 4, 20)
    repeated = np.repeat(values, weights)
    for risk in (value_at_risk, conditional_value_at_risk):
        weighted = risk(values, 0.13, sample_weight=weights)
        assert weighted == pytest.approx(risk(repeated, 0.13), abs=1e-12)


@given(st.lists(number, min_size=1, max_size=30), st.floats(1e-3, 1), number)
def test_cvar_is_coherent(values, tail, shift):
    values = np.array(values)
    cvar = conditional_value_at_risk(values, tail)
    assert value_at_risk(values, tail) <= cvar <= values.max()
    assert cvar >= values.mean() - 1e-9 * np.abs(values).max()
    moved = conditional_value_at_risk(3 * values + shift, tail)
    assert moved == pytest.approx(3 * cvar + shift, abs=1e-6)


def test_equal_values_have_themselves_as_cvar():
    for tail in (0.03, 0.1, 0.7, 1.0):
        assert conditional_value_at_risk([0.1] * 37, tail) == 0.1


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_normal_equals_a_fine_sample(side):
    sample = stats.norm(3, 2).ppf((np.arange(200_000) + 0.5) / 200_000)
    var, cvar = (
        normal_value_at_risk(3, 2, 0.05, side),
        normal_conditional_value_at_risk(3, 2, 0.05, side),
    )
    assert var == pytest.approx(value_at_risk(sample, 0.05, side), abs=1e-3)
    assert cvar == pytest.approx(conditional_value_at_risk(sample, 0.05, side), abs=1e-3)
    assert normal_conditional_value_at_risk([0, 1], [1, 1], 0.1).shape == (2,)


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 1 / 3, 0.45, 0.5, 0.6, 0.8, 0.95])
@pytest.mark.parametrize("margin", ["unimodal", "symmetric", "arbitrary"])
def test_omega_is_the_optimum_of_the_linear_programme(epsilon, margin):
    assert omega(epsilon, margin) == pytest.approx(naive.worst_cvar(epsilon, margin), abs=1e-3)


def test_omega_is_continuous_ordered_and_falls():
    e = np.linspace(0.001, 1, 5000)
    factors = [omega(e, margin) for margin in ("gaussian", "unimodal", "symmetric", "arbitrary")]
    for smaller, larger in pairwise(factors):
        assert (smaller <= larger + 1e-12).all()
    for factor in factors:
        assert (np.diff(factor) < 0).all()
        assert factor[-1] == 0
    for margin in ("gaussian", "unimodal", "symmetric", "arbitrary"):
        for joint in (1 / 3, 1 / 2, 2 / 3):
            around = omega([joint - 1e-9, joint, joint + 1e-9], margin)
            np.testing.assert_allclose(around, around[1], atol=1e-8)
        assert omega(1e-300, margin) > 30


def test_omega_gaussian_is_the_cvar_of_the_normal():
    for e in (0.01, 0.3, 0.5, 0.9):
        tail_mean = stats.norm.expect(lambda x: x, lb=stats.norm.isf(e)) / e
        assert omega(e, "gaussian") == pytest.approx(tail_mean, rel=1e-8)


def test_printed_symmetric_factor_jumps():
    """Table I for epsilon >= 1/2 reads sqrt(1 - e) / sqrt(2 e): 0.71 at 1/2, where 1 is right."""
    printed = np.sqrt(1 - 0.5) / np.sqrt(2 * 0.5)
    assert printed == pytest.approx(0.7071, abs=1e-4)
    assert naive.worst_cvar(0.5, "symmetric") == pytest.approx(1.0, abs=1e-6)
    assert omega(0.5, "symmetric") == omega(0.5, "arbitrary") == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: value_at_risk([1.0], 0), "tail must be a share"),
        (lambda: normal_value_at_risk(0, 1, 1.5), "tail must be a share"),
        (lambda: value_at_risk([1.0], "0.5"), "tail must be a share"),
        (lambda: value_at_risk([1.0], 0.5, "left"), "side must be"),
        (lambda: normal_value_at_risk(0, -1, 0.5), "std must not be negative"),
        (lambda: normal_conditional_value_at_risk(0, [1, np.nan], 0.5), "std must not be"),
        (lambda: conditional_value_at_risk([], 0.5), "values is empty"),
        (lambda: conditional_value_at_risk([1.0], 0.5, sample_weight=[0]), "no positive weight"),
        (lambda: conditional_value_at_risk([np.nan], 0.5), "missing values"),
        (lambda: conditional_value_at_risk([1.0], 0.5, sample_weight=[-1]), "negative or missing"),
        (lambda: omega(0.5, "bimodal"), "margin must be one of"),
        (lambda: omega([0.5, 0.0], "gaussian"), "tail must lie"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
