import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from stakes.datasets import load_wdbc_uncertain
from stakes.metrics import certified_error, nominal_error
from stakes.uncertain import UncertainMarginClassifier, UncertainScaler, moments_from_replicates
from uncertain.problems import uncertain_problem


def test_four_forms_of_prediction(rng):
    known, y = uncertain_problem(rng)
    model = UncertainMarginClassifier(formulation="MM-M").fit(known.mean, y)

    def sign(x):
        return np.where(x @ model.coef_[0] + model.intercept_[0] > 0, 1.0, -1.0)

    np.testing.assert_array_equal(model.predict(known.mean), sign(known.mean))
    support = dict(lower=known.lower, upper=known.upper)
    middle = (known.lower + known.upper) / 2
    np.testing.assert_array_equal(model.predict(None, **support), sign(middle))
    np.testing.assert_array_equal(
        model.predict(known.mean, var=known.var, **support), sign(known.mean)
    )
    R = known.mean[:, None, :] + rng.normal(size=(16, 5, 3))
    R[0, 4] = np.nan
    votes = np.where(np.isnan(R).any(axis=2), 0, sign(np.nan_to_num(R))).sum(axis=1)
    got = model.predict(None, replicates=R)
    np.testing.assert_array_equal(got[votes != 0], np.sign(votes[votes != 0]))
    tied = sign(moments_from_replicates(R).mean)[votes == 0]
    np.testing.assert_array_equal(got[votes == 0], tied)


def test_replicates_are_the_same_as_their_moments(rng):
    y = np.repeat([0, 1], 10)
    R = 0.3 * rng.normal(size=(20, 6, 2)) + 2.0 * y[:, None, None]
    known = moments_from_replicates(R)
    one = UncertainMarginClassifier(formulation="MM-SMV-I", tol=1e-9).fit(None, y, replicates=R)
    two = UncertainMarginClassifier(formulation="MM-SMV-I", tol=1e-9)
    two.fit(known.mean, y, lower=known.lower, upper=known.upper, var=known.var)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)


def test_a_weight_counts_copies(rng):
    """Also in the moments that stand for missing entries, and in the normalization of the costs."""
    known, y = uncertain_problem(rng, n=30)
    X, weight = known.mean.copy(), rng.integers(0, 4, 30)
    X[rng.random(X.shape) < 0.1] = np.nan
    fn_cost, rows = rng.uniform(1, 5, 30), np.repeat(np.arange(30), weight)
    for formulation in ("MM-S", "MM-MC"):
        one, two = (UncertainMarginClassifier(formulation=formulation, tol=1e-9) for _ in range(2))
        one.fit(X, y, weight, fn_cost=fn_cost)
        two.fit(X[rows], y[rows], fn_cost=fn_cost[rows])
        assert one.objective_ == pytest.approx(two.objective_)
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)
    np.testing.assert_allclose(one.missing_.var, two.missing_.var)


def test_missing_values_are_sets(rng):
    X = rng.normal(size=(60, 3))
    y = (X @ [1.0, -1.0, 0.5] > 0).astype(int)
    holes = X.copy()
    holes[rng.random(X.shape) < 0.05] = np.nan
    model = UncertainMarginClassifier(formulation="MM-S", C=10.0, tol=1e-9).fit(holes, y)
    low, high = np.nanmin(holes, axis=0), np.nanmax(holes, axis=0)
    by_hand = UncertainMarginClassifier(formulation="MM-S", C=10.0, tol=1e-9).fit(
        np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes),
        y,
        lower=np.where(np.isnan(holes), low, holes),
        upper=np.where(np.isnan(holes), high, holes),
    )
    np.testing.assert_allclose(model.coef_, by_hand.coef_, atol=1e-5)
    bound = model.predict_certificate(holes, measure="MM-SMV-I")
    assert (bound[~np.isnan(holes).any(axis=1)] == 0).all()  # exact points are certain
    assert ((bound >= 0) & (bound <= 1)).all() and bound.max() > 0
    assert np.isfinite(model.decision_function(holes)).all()


def test_costs_weigh_the_slacks(rng):
    known, y = uncertain_problem(rng, n=80, apart=0.5)
    heavy = UncertainMarginClassifier(formulation="MM-MC", fn_cost=4.0).fit(
        known.mean, y, var=0.02 * known.var
    )
    light = UncertainMarginClassifier(formulation="MM-MC", fp_cost=4.0).fit(
        known.mean, y, var=0.02 * known.var
    )
    assert (heavy.predict(known.mean) == 1).sum() > (light.predict(known.mean) == 1).sum()
    raw = UncertainMarginClassifier(formulation="MM-MC", C=2.0, normalize_costs=False, tol=1e-9)
    scaled = UncertainMarginClassifier(formulation="MM-MC", C=6.0, tol=1e-9)
    raw.fit(known.mean, y, var=0.02 * known.var, fp_cost=3.0, fn_cost=3.0)
    scaled.fit(known.mean, y, var=0.02 * known.var)
    np.testing.assert_allclose(raw.coef_, scaled.coef_, atol=1e-6)


def test_uncertainty_reaches_fit_inside_cross_validation(rng):
    known, y = uncertain_problem(rng, n=30)
    model = UncertainMarginClassifier(formulation="MM-SMV-I", tol=1e-9)
    given = dict(lower=known.lower, upper=known.upper, var=known.var)
    folds = StratifiedKFold(3)
    with config_context(enable_metadata_routing=True):
        scores = cross_val_predict(
            model, known.mean, y, cv=folds, params=given, method="decision_function"
        )
    for train, test in folds.split(known.mean, y):
        part = {name: array[train] for name, array in given.items()}
        by_hand = UncertainMarginClassifier(formulation="MM-SMV-I", tol=1e-9).fit(
            known.mean[train], y[train], **part
        )
        np.testing.assert_allclose(scores[test], by_hand.decision_function(known.mean[test]))


def test_error_bars_reach_priced_decisions(rng):
    """A noisy measurement far on one side is a coin toss: the prices decide."""
    known, y = uncertain_problem(rng, n=60, apart=0.6)
    model = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5)
    model.fit(known.mean, y, std=0.1)
    far = known.mean[y > 0][:1] + 3.0
    exact = model.predict_proba(far, std=1e-9)[0, 1]
    noisy = model.predict_proba(far, std=50.0)[0, 1]
    assert noisy < exact
    if model.calibration_[2] > 0:
        assert model.predict(far, fp_cost=9.0, std=1e-9)[0] == 1
        p = model.predict_proba(known.mean, std=0.1)[:, 1]
        decided = model.predict(known.mean, std=0.1, fp_cost=9.0, fn_cost=1.0)
        np.testing.assert_array_equal(decided == 1, p > 0.9)


def test_bad_information_is_named(rng):
    known, y = uncertain_problem(rng)
    fit = UncertainMarginClassifier(formulation="MM-S").fit
    with pytest.raises(TypeError, match="Unknown argument 'lowest'; use lower, upper, var"):
        fit(known.mean, y).predict(known.mean, lowest=known.lower)
    with pytest.raises(ValueError, match="lower and upper must be given together"):
        fit(known.mean, y, lower=known.lower)
    with pytest.raises(ValueError, match="X is above upper in row 0, feature 0"):
        fit(known.mean, y, lower=known.lower, upper=known.mean - 0.05)
    with pytest.raises(ValueError, match=r"lower must have the shape of X, \(16, 3\)"):
        fit(known.mean, y, lower=known.lower[:, :2], upper=known.upper)
    with pytest.raises(ValueError, match="upper has infinite values"):
        fit(known.mean, y, lower=known.lower, upper=known.upper + np.inf)
    with pytest.raises(ValueError, match="var is negative in row 0"):
        UncertainMarginClassifier(formulation="MM-MC").fit(known.mean, y, var=-known.var)
    with pytest.raises(ValueError, match="X=None needs replicates, or lower and upper"):
        fit(None, y, var=known.var)
    with pytest.raises(ValueError, match="Mistakes cost nothing in one of the classes"):
        fit(known.mean, y, fp_cost=0.0, lower=known.lower, upper=known.upper)
    hole = known.mean.copy()
    hole[:, 1] = np.nan
    with pytest.raises(ValueError, match="Feature 1 is missing in every example"):
        fit(hole, y)


def test_scaler_moves_everything_together(rng):
    known, _ = uncertain_problem(rng)
    units = np.array([1.0, 1000.0, 0.01])
    scaler = UncertainScaler().fit(known.mean * units + 5)
    moved = dict(lower=known.lower, upper=known.upper)
    moved = {name: array * units + 5 for name, array in moved.items()}
    moved["var"] = known.var * units**2
    plain = UncertainScaler().fit(known.mean)
    a = plain.transform_uncertainty(lower=known.lower, upper=known.upper, var=known.var)
    b = scaler.transform_uncertainty(**moved)
    for name in a:
        np.testing.assert_allclose(a[name], b[name], rtol=1e-9, atol=1e-9)
    cov = scaler.transform_uncertainty(var=np.array([np.diag(v) for v in moved["var"]]))["var"]
    np.testing.assert_allclose(np.diagonal(cov, axis1=1, axis2=2), b["var"])
    with pytest.raises(ValueError, match="transform_uncertainty takes lower"):
        scaler.transform_uncertainty(width=known.var)


def test_certificates_do_not_depend_on_units(rng):
    known, y = uncertain_problem(rng)
    scaler = UncertainScaler().fit(known.mean)
    moved = scaler.transform_uncertainty(**known.keywords())
    model = UncertainMarginClassifier(formulation="MM-SMV-I").fit(
        scaler.transform(known.mean), y, **moved
    )
    there = model.predict_certificate(scaler.transform(known.mean), **moved)
    model.intercept_ -= model.coef_ @ (scaler.mean_ / scaler.scale_)
    model.coef_ = model.coef_ / scaler.scale_
    here = model.predict_certificate(known.mean, **known.keywords())
    np.testing.assert_allclose(here, there, atol=1e-8)


def wdbc_errors(formulation, epsilon, C):
    """Five-fold nominal and certified error, each image as its support and the spread inside."""
    data = load_wdbc_uncertain()
    errors = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y):
        a, b = data.take(train), data.take(test)
        scaler = UncertainScaler().fit((a.lower + a.upper) / 2)
        seen, new = (
            scaler.transform_uncertainty(lower=s.lower, upper=s.upper, var=s.var) for s in (a, b)
        )
        model = UncertainMarginClassifier(formulation=formulation, max_error=epsilon, C=C)
        middle, place = (seen["lower"] + seen["upper"]) / 2, (new["lower"] + new["upper"]) / 2
        model.fit(middle, a.y, **seen)
        guess, bound = model.predict(place, **new), model.predict_certificate(place, **new)
        errors.append((nominal_error(b.y, guess), certified_error(b.y, guess, bound)))
    return np.mean(errors, axis=0)


def test_wdbc_scaled_is_far_from_the_printed_errors():
    # the paper: nominal 37.26 % at best, certified 28.82 % at best
    y = load_wdbc_uncertain().y
    assert min(np.mean(y == label) for label in np.unique(y)) == pytest.approx(0.3726, abs=5e-5)
    assert wdbc_errors("MM-M", 1.0, 0.03)[0] < 0.05
    nominal, certified = wdbc_errors("MM-SM-I", 0.8, 1.0)
    assert nominal < 0.10 and certified < 0.25


@pytest.mark.parametrize("formulation", ["MM-S", "MM-MC", "MM-SMV-I", "MM-SM-I", "MM-SBMV-I"])
def test_wdbc_leaves_a_constant_classifier_for_a_small_max_error(formulation):
    data = load_wdbc_uncertain()
    center = (data.lower + data.upper) / 2
    scaler = UncertainScaler().fit(center)
    known = scaler.transform_uncertainty(lower=data.lower, upper=data.upper, var=data.var)
    if formulation.startswith("MM-SB"):
        mean = scaler.transform(data.X)
        known |= dict(mean_lower=mean, mean_upper=mean)
    with pytest.warns(UserWarning, match="The best classifier is constant"):
        model = UncertainMarginClassifier(formulation=formulation, max_error=0.1)
        model.fit(scaler.transform(center), data.y, **known)
    plain = UncertainMarginClassifier(formulation="MM-M").fit(scaler.transform(center), data.y)
    assert np.abs(plain.coef_).max() > 0.1


def test_a_constant_classifier_warns(rng):
    known, y = uncertain_problem(rng)
    with pytest.warns(UserWarning, match="The best classifier is constant"):
        model = UncertainMarginClassifier(formulation="MM-MC", max_error=0.01)
        model.fit(known.mean, y, var=1e4 * known.var)
    assert np.abs(model.coef_).max() < 1e-3
