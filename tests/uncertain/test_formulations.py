import numpy as np
import pytest

from naive import uncertain as naive
from stakes.uncertain import Ellipsoid, Moments, UncertainMarginClassifier, bernstein_nu
from stakes.uncertain._formulations import FORMULATIONS, needs, uncertainty_set
from uncertain.problems import covariances, uncertain_problem


def widths(known, name):
    """Sigma(1) to Sigma(4) entry by entry."""
    out = np.zeros_like(known.mean)
    for i, j in np.ndindex(out.shape):
        c, s = (known.lower[i, j] + known.upper[i, j]) / 2, (known.upper - known.lower)[i, j] / 2
        bounds = [known.mean[i, j]] * 2
        if name.startswith("MM-SB"):
            bounds = [known.mean_lower[i, j], known.mean_upper[i, j]]
        low, high = ((m - c) / s for m in bounds)
        spread = known.var[i, j] / s**2 if name.removesuffix("-I").endswith("V") else 1.0
        out[i, j] = s * bernstein_nu(low, high, var=spread)
    return out


@pytest.mark.parametrize("solver", ["conic", "auto"])
@pytest.mark.parametrize("name", [f for f in FORMULATIONS if f != "MM-R"])
def test_agrees_with_the_literal_programme(name, solver, rng):
    known, y = uncertain_problem(rng, n=10)
    epsilon = rng.choice([0.05, 0.1, 0.4])
    cost = rng.uniform(0.5, 2, len(y))
    kappa = np.sqrt((1 - epsilon) / epsilon if name == "MM-MC" else 2 * np.log(1 / epsilon))
    C = 2.0 * cost / cost.mean()
    keywords = known.keywords()
    arrays = dict(mean=known.mean, lower=known.lower, upper=known.upper, kappa=kappa)
    if name == "MM-MC":
        keywords["var"] = arrays["cov"] = covariances(rng, *known.mean.shape)
    elif "lower" in needs(name) and name != "MM-S":
        arrays |= dict(axes=widths(known, name))
        arrays |= dict(mean_lower=known.mean_lower, mean_upper=known.mean_upper)
    value, w, _ = naive.formulation(name, y, C, **arrays)
    model = UncertainMarginClassifier(
        formulation=name, max_error=epsilon, C=2.0, tol=1e-9, solver=solver
    )
    model.fit(known.mean, y, fp_cost=cost, fn_cost=cost, **keywords)
    assert model.duality_gap_ <= 1e-9
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-4 * max(1, np.abs(w).max()))


def test_table_5_inverts_the_covariance_of_mm_mc():
    """A point that lies below b with more than epsilon, though its printed constraint holds."""
    mean, sd, w, epsilon = 5.0, 2.0, 1.0, 0.1
    known = Moments(np.array([[mean]]), var=np.array([[sd**2]]))
    kappa = np.sqrt((1 - epsilon) / epsilon)
    b = -uncertainty_set(known, "MM-MC", epsilon).support(np.array([-w]))[0]
    assert b == pytest.approx(w * mean - kappa * sd * w)  # Eq. (4)
    printed = w * mean - kappa * w / sd  # the exponent -1/2 of Table 5

    def worst_chance(b):
        """Of w x <= b, over laws on two points with this mean and this deviation."""
        q = np.linspace(0.01, 0.99, 9801)
        lower = mean - sd * np.sqrt((1 - q) / q)
        return q[w * lower <= b + 1e-12].max()

    assert worst_chance(b) == pytest.approx(epsilon, abs=1e-3)
    assert worst_chance(printed) > 6 * epsilon


def test_diagonal_covariances_are_variances(rng):
    known, y = uncertain_problem(rng)
    full = np.array([np.diag(v) for v in known.var])
    one = UncertainMarginClassifier(formulation="MM-MC", tol=1e-9).fit(known.mean, y, var=known.var)
    two = UncertainMarginClassifier(formulation="MM-MC", tol=1e-9).fit(known.mean, y, var=full)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-5)


def test_epsilon_one_is_the_mean_and_zero_the_support(rng):
    known, y = uncertain_problem(rng)

    def fit(name, epsilon):
        model = UncertainMarginClassifier(formulation=name, max_error=epsilon, tol=1e-9)
        return model.fit(known.mean, y, **known.keywords())

    mean, support = fit("MM-M", 1.0), fit("MM-S", 1.0)
    np.testing.assert_allclose(fit("MM-SM-I", 1.0).coef_, mean.coef_, atol=1e-5)
    np.testing.assert_allclose(fit("MM-SMV", 1.0).coef_, mean.coef_, atol=1e-5)
    np.testing.assert_allclose(fit("MM-SM-I", 0.0).coef_, support.coef_, atol=1e-5)
    np.testing.assert_allclose(fit("MM-SM-I", 1e-200).objective_, support.objective_, rtol=1e-6)
    with pytest.raises(ValueError, match="MM-SMV with max_error=0 is unbounded"):
        fit("MM-SMV", 0.0)


def test_less_information_is_more_conservative(rng):
    known, y = uncertain_problem(rng)
    value = {
        name: UncertainMarginClassifier(formulation=name, max_error=0.1)
        .fit(known.mean, y, **known.keywords())
        .objective_
        for name in FORMULATIONS
        if name not in ("MM-R", "MM-MC")
    }
    slack = 1 + 1e-6
    for base in ("SMV", "SM", "SBMV", "SBM"):
        assert value[f"MM-{base}-I"] <= value[f"MM-{base}"] * slack
        assert value["MM-M"] <= value[f"MM-{base}-I"] * slack <= value["MM-S"] * slack**2
    for end in ("", "-I"):
        assert value[f"MM-SMV{end}"] <= value[f"MM-SM{end}"] * slack
        assert value[f"MM-SMV{end}"] <= value[f"MM-SBMV{end}"] * slack
        assert value[f"MM-SBMV{end}"] <= value[f"MM-SBM{end}"] * slack


def test_own_sets(rng):
    known, y = uncertain_problem(rng)
    sets = Ellipsoid(known.mean, np.sqrt(9 * known.var))
    own = UncertainMarginClassifier(tol=1e-9).fit(None, y, sets=sets)
    named = UncertainMarginClassifier(formulation="MM-MC", max_error=0.1, tol=1e-9).fit(
        known.mean, y, var=known.var
    )
    np.testing.assert_allclose(own.coef_, named.coef_, atol=1e-5)
    with pytest.raises(ValueError, match="sets must have length 16"):
        UncertainMarginClassifier().fit(known.mean, y, sets=sets[:3])
    with pytest.raises(ValueError, match=r"sets must have 1 features, as X\. Got \d"):
        UncertainMarginClassifier().fit(known.mean[:, :1], y, sets=sets)


def test_replicates_as_points(rng):
    y = np.repeat([0, 1], 8)
    R = rng.normal(size=(16, 4, 2)) + 1.5 * y[:, None, None]
    R[0, 3] = np.nan
    many = UncertainMarginClassifier(formulation="MM-R", tol=1e-9).fit(None, y, replicates=R)
    flat, owner = R.reshape(-1, 2), np.repeat(y, 4)
    there = ~np.isnan(flat).any(axis=1)
    plain = UncertainMarginClassifier(formulation="MM-M", tol=1e-9).fit(flat[there], owner[there])
    np.testing.assert_allclose(many.coef_, plain.coef_, atol=1e-5)


def test_lacking_information_is_named(rng):
    known, y = uncertain_problem(rng)
    with pytest.raises(ValueError, match=r"MM-SMV-I needs lower, upper, X, var; var was.*MM-SM-I"):
        UncertainMarginClassifier().fit(known.mean, y, lower=known.lower, upper=known.upper)
    with pytest.raises(ValueError, match="MM-R needs replicates"):
        UncertainMarginClassifier(formulation="MM-R").fit(known.mean, y, var=known.var)
