"""Probabilities from votes, what they are worth in money, and what Chapter 4 says of them."""

import warnings

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from stakes._core.sigmoid import fit_sigmoid
from stakes.costs import Costs
from stakes.datasets import load_german_credit, make_fraud
from stakes.errors import BelowTrivialWarning
from stakes.metrics import savings_score
from stakes.neighbors import ConfidenceNeighborsClassifier, MixtureConfidence
from stakes.neighbors._votes import without
from stakes.tables import prepare


class Known:
    """The true densities N(0, 1) and N(1.5, 1)."""

    def log_confidence(self, X, index):
        return norm.logpdf(X[:, 0], 1.5 * index)


def gaussians(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    return rng.normal(size=(n, 1)) + 1.5 * y[:, None], y


@pytest.mark.jit
def test_eq_4_9_is_not_the_posterior():
    """With true densities the votes tend to pi_c p(x | c)^2, and the sigmoid mends it."""
    X, y = gaussians(12_000)
    new = np.linspace(-0.5, 2.0, 11)[:, None]
    model = ConfidenceNeighborsClassifier(
        n_neighbors=300, weights="none", confidence_model=Known()
    ).fit(X, y)
    prior = np.log(y.mean() / (1 - y.mean()))
    ratio = (norm.logpdf(new, 1.5) - norm.logpdf(new))[:, 0]
    bare = model.set_params(calibration=None).predict_proba(new)[:, 1]
    np.testing.assert_allclose(logit(bare), prior + 2 * ratio, atol=0.45)
    assert np.abs(logit(bare) - (prior + ratio)).max() > 1.5
    mended = model.set_params(calibration="sigmoid").predict_proba(new)[:, 1]
    np.testing.assert_allclose(logit(mended), prior + ratio, atol=0.45)
    assert model.slope_ == pytest.approx(0.5, abs=0.08)


@pytest.mark.filterwarnings("ignore::stakes.errors.BelowTrivialWarning")
def test_probabilities_are_better_than_bare_votes(rng):
    X, y = gaussians(1500, int(rng.integers(1000)))
    train, test = slice(0, 750), slice(750, None)
    losses = [
        log_loss(
            y[test],
            ConfidenceNeighborsClassifier(n_neighbors=15, calibration=calibration)
            .fit(X[train], y[train])
            .predict_proba(X[test]),
        )
        for calibration in ("sigmoid", None)
    ]
    assert losses[0] < losses[1]


def test_no_example_votes_on_itself():
    distance, near = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]), np.array([[4, 1, 2], [5, 6, 7]])
    d, n = without(np.array([1, 9]), distance, near)
    assert n.tolist() == [[4, 2], [5, 6]] and d.tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_a_falling_sigmoid_is_the_share():
    z, positive = np.array([2.0, 1.0, -1.0, -2.0]), np.array([False, False, True, True])
    slope, intercept = fit_sigmoid(z, positive, np.array([1.0, 2.0, 0.5, 0.5]))
    assert slope == 0 and intercept == pytest.approx(logit(0.25))


def test_weights_of_the_sigmoid_are_repetitions(rng):
    z = rng.normal(size=400)
    positive = rng.random(400) < 1 / (1 + np.exp(-z))
    slope, intercept = fit_sigmoid(z, positive, np.ones(400))
    shifted, higher = fit_sigmoid(z, positive, np.where(positive, 3.0, 1.0))
    assert slope == pytest.approx(shifted, rel=0.3)
    assert higher - intercept == pytest.approx(np.log(3), abs=0.15)


def test_votes_that_lose_money_warn():
    rng = np.random.default_rng(2)
    y = rng.random(750) < 0.06
    X = rng.normal(size=(750, 2)) + 1.5 * y[:, None]
    settings = dict(weights="inverse", confidence_model="mixture")
    with pytest.warns(BelowTrivialWarning, match="do not vote for themselves"):
        ConfidenceNeighborsClassifier(n_neighbors=1, **settings).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConfidenceNeighborsClassifier(n_neighbors=1, **settings).fit(X + 9 * y[:, None], y)


def savings_and_warning(model, train, test):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(train.X, train.y)
    probability = model.predict_proba(test.X)[:, 1]
    costs = dict(fp_cost=test.fp_cost, fn_cost=test.fn_cost)
    costs |= dict(tp_cost=test.tp_cost, tn_cost=test.tn_cost)
    decided = Costs.of(len(test.y), **costs).decide(probability).astype(int)
    return savings_score(test.y, np.unique(test.y)[decided], **costs), bool(caught)


@pytest.mark.jit
@pytest.mark.parametrize("confidence", ["bayes_net", None])
def test_money_on_german_credit_and_payments(confidence):
    """Better than one answer for all; the bare votes of Eq. 4.7 are worse than that."""
    data = load_german_credit()
    order = np.random.default_rng(0).permutation(len(data.y))
    train, test = data.take(order[:500]), data.take(order[500:])
    learner = ConfidenceNeighborsClassifier(n_neighbors=11, confidence_model=confidence)
    model = prepare(learner, data.X, scale=True, one_hot=True)
    assert savings_and_warning(model, train, test)[0] > 0
    bare = prepare(
        learner.set_params(calibration=None, confidence_model=MixtureConfidence(random_state=0)),
        data.X,
        scale=True,
        one_hot=True,
    )
    assert savings_and_warning(bare, train, test)[0] < 0
    data = make_fraud(6000, random_state=0)
    train, test = data.take(slice(0, 3000)), data.take(slice(3000, None))
    learner = ConfidenceNeighborsClassifier(n_neighbors=51, confidence_model=confidence)
    assert savings_and_warning(learner, train, test)[0] > 0


def test_section_4_6_a_larger_pr_area_need_not_be_a_larger_roc_area():
    y = np.array([1, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    other = np.array([0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    score = np.arange(10, 0, -1)
    assert average_precision_score(y, score) > average_precision_score(other, score)
    assert roc_auc_score(y, score) < roc_auc_score(other, score)


@pytest.mark.parametrize(
    ("n", "positives", "printed"),
    [(1000, 300, 160.0), (625, 49, 444.3), (768, 268, 70.1), (336, 20, 260.7), (303, 138, 2.4)],
)
def test_table_4_1_cov_var_is_a_variance_over_a_mean(n, positives, printed):
    counts = np.array([positives, n - positives])
    assert counts.var(ddof=1) / counts.mean() == pytest.approx(printed, abs=0.1)  # cut, not rounded
    assert counts.std(ddof=1) / counts.mean() < 1.5  # what Section 4.6 defines


@pytest.mark.parametrize(
    ("share", "printed"), [(0.0176, 4653.2), (0.0716, 3669.5), (0.0812, 3506.9)]
)
def test_the_kddcup_rows_of_table_4_1_are_smaller_by_ten(share, printed):
    counts = 50_000 * np.array([share, 1 - share])
    assert counts.var(ddof=1) / counts.mean() == pytest.approx(10 * printed, rel=1e-3)


@pytest.mark.parametrize(
    ("n", "positives", "printed"), [(898, 40, 745), (313, 29, 207), (204, 36, 85)]
)
def test_table_5_2_cv_is_the_same_quotient(n, positives, printed):
    counts = np.array([positives, n - positives])
    assert int(counts.var(ddof=1) / counts.mean()) == printed


def test_section_4_4_1_sums_of_densities_are_no_likelihood():
    """A sum and a product rank two hypotheses differently; and x_t itself does not count."""
    first, second = np.array([0.4, 0.4]), np.array([0.9, 0.01])
    assert first.sum() < second.sum() and first.prod() > second.prod()
    X, y = gaussians(200)
    model = ConfidenceNeighborsClassifier(
        n_neighbors=200, weights="none", confidence_model=Known(), calibration=None
    ).fit(X, y)
    new = np.array([[-1.0], [2.5]])  # all 200 are neighbours of both
    ratio = (norm.logpdf(new, 1.5) - norm.logpdf(new))[:, 0]
    assert ratio[0] < 0 < ratio[1]
    np.testing.assert_allclose(*model.predict_proba(new))


def test_eq_4_12_without_mixing_weights_rises_with_every_copy_of_a_component():
    """So it has no maximum in the number of components; with the weights a copy changes nothing."""
    X = np.random.default_rng(0).normal(size=50)
    values = {"printed": [], "with weights": []}
    for q in (1, 2, 8):
        p = np.tile(norm.pdf(X), (q, 1))
        values["printed"].append(np.log(p.sum(axis=0)).sum())
        values["with weights"].append(np.log((p / q).sum(axis=0)).sum())
    np.testing.assert_allclose(np.diff(values["printed"]), 50 * np.log([2, 4]))
    np.testing.assert_allclose(np.diff(values["with weights"]), 0.0, atol=1e-9)


def test_a_mixture_without_labels_does_not_know_the_class():
    """Section 4.5.1: p(x) is the same weight for both classes at one place, p(x | y) is not."""
    X, y = gaussians(2000)
    source = MixtureConfidence(max_components=1, random_state=0)
    unlabelled = source.log_confidence(np.repeat(X[:5], 2, axis=0), np.zeros(10))
    np.testing.assert_array_equal(unlabelled[::2], unlabelled[1::2])
    by_class = source.fit(X, y).log_density([[-1.0], [2.5]])
    assert by_class[0, 0] > by_class[0, 1] and by_class[1, 0] < by_class[1, 1]
