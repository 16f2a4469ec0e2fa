"""Predictions of a linear classifier on uncertain points, with certificates."""

from dataclasses import replace
from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import CostSensitiveClassifier
from stakes._core.deciding import take_rows
from stakes._core.intake import check_bounded
from stakes._core.sklearn_private import Interval, StrOptions
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import Part, Sometimes
from stakes.costs import COST_NAMES
from stakes.uncertain._calibration import calibrated, score_of
from stakes.uncertain._certificates import MEASURES, certificates, replicate_bounds
from stakes.uncertain._docs import documented
from stakes.uncertain._frames import as_numbers
from stakes.uncertain._information import NAMES, MissingAsSet, read_information
from stakes.uncertain._moments import covariances_from_replicates
from stakes.uncertain._pipeline import refuse_untransformed
from stakes.uncertain._population import Population

PROJECTED = {"best": "gaussian", "gaussian": "gaussian", "counts": "counts"}


@documented
class UncertainPoints(CostSensitiveClassifier):
    """Base of linear classifiers of uncertain points: decisions, certificates, reviews.

    A subclass has `fit`, which sets `coef_`, `intercept_`, `missing_` and, for classical errors,
    `population_`; `calibration_`, or else `_probability` and its inverse `_score_of`; and the
    parameters `error_model`, `independent` and `confidence_level`.
    """

    _allow_nan = True
    _with_X = NAMES
    _accept_sparse = "csr"  # made dense: the errors of zeros are no zeros
    __metadata_request__predict = dict.fromkeys((*COST_NAMES, *NAMES), True)
    __metadata_request__score = dict.fromkeys((*COST_NAMES, *NAMES), True)
    __metadata_request__decision_function = dict.fromkeys(NAMES, True)
    __metadata_request__predict_proba = dict.fromkeys(NAMES, True)
    _error_constraints = {
        "error_model": [StrOptions({"berkson", "classical"})],
        "independent": ["boolean"],
        "confidence_level": [Interval(Real, 0, 1, closed="neither")],
    }
    _error_state = {
        "missing_": Part(("stakes.uncertain._information.MissingAsSet",)),
        "population_": Sometimes(Part(("stakes.uncertain._population.Population",))),
    }

    @staticmethod
    def _check_file_state(state, scope):
        for name in ("missing_", "population_"):
            if name in state:
                scope.bind("d", len(state[name].state["mean"]))
        if "missing_" in state and state["error_model"] == "classical":
            if "population_" not in state:
                raise Damaged("a classifier for classical errors knows no population")

    def decision_function(self, X, **information):
        """Score w . x + b at the expected true point, positive for `classes_[1]`.

        Parameters
        ----------
        [X]
        [information]
            Used if X is None, and for classical errors.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._scores(self._known(X, information))

    def predict_proba(self, X, **information):
        """Probability of each class, given the measurement and its error bar.

        Parameters
        ----------
        [X]
        [information]
            None: the measurements are exact.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        known = self._known(X, information)
        positive = self._probability(self._scores(known), self._variance(known, information))
        return np.column_stack([1 - positive, positive])

    def predict(self, X, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None, **information):
        """Label of each uncertain point, in the four forms of Table 3, or by least expected cost.

        Without costs by the sign at the mean X (forms 1 and 3), at the middle of the support if X
        is None (form 2), or by majority of the replicates (form 4; ties are decided at the mean);
        with classical errors always at the expected true point. With costs by least expected cost
        under `predict_proba`.

        Parameters
        ----------
        [X]
        [predict_costs]
        [information]

        Returns
        -------
        ndarray of shape (n,)
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if any(cost is not None for cost in costs.values()):
            return self._predict_from(self.predict_proba(X, **information), **costs)
        signs = self._signs(self._known(X, information), information)
        return self.classes_[(signs > 0).astype(np.intp)]

    def _predict_from(self, probabilities, **given):
        # here, so that `decide_with_costs` sees that `predict` above decides by probabilities
        return super()._predict_from(probabilities, **given)

    def score(
        self,
        X,
        y,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        **information,
    ):
        """Accuracy weighted by the regrets: the share of the money at stake that was not lost.

        Parameters
        ----------
        [X]
        y : array-like of shape (n,)
            Labels.
        [sample_weight]
        [predict_costs]
        [information]

        Returns
        -------
        float
            1 if nothing was lost, 0 if everything was; plain accuracy if all costs are equal.
        """
        check_is_fitted(self)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        y = column_or_1d(y)
        weight = self._costs_of(len(y), **given).regret(y == self.classes_[1])
        if sample_weight is not None:
            weight = weight * np.asarray(sample_weight)
        if weight.sum() <= 0:
            return 1.0
        decided = self.predict(X, **given, **information)
        return float(np.average(decided == y, weights=weight))

    def predict_certificate(
        self,
        X,
        *,
        measure="best",
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
        **information,
    ):
        r"""Bound on the probability that a measurement error has flipped the prediction.

        Parameters
        ----------
        [X]
        measure : str, default="best"
            "1", "2", "3", "4" or "c" for the bounds of Table 4, the name of a formulation (with -I
            tighter than Table 4), or "best": the smallest bound that the information allows for
            every distribution. "gaussian" is tighter and assumes Gaussian errors. With
            `replicates`, "best" is "gaussian", and "counts" holds for every distribution; both
            are bounds with probability `confidence_level` over the replicates.
        [predict_costs]
            With costs, the decision of `predict` with these costs is certified: whether it would be
            the same for the true point.
        [information]
            Some is required.

        Returns
        -------
        ndarray of shape (n,)
            :math:`\varepsilon_{opt}`, a bound on the probability that the true point is on the
            other side. It does not cover errors that a perfect measurement would make too.
        """
        known = self._known(X, information)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if any(cost is not None for cost in costs.values()):
            # the true point would be decided by its probability: where the score is above `least`
            least = self._score_of(self._costs_of(len(known), **costs).break_even)
            decided = self.predict(X, **costs, **information) == self.classes_[1]
            signs, intercept = np.where(decided, 1.0, -1.0), self.intercept_[0] - least
        else:
            signs, intercept = self._signs(known, information), self.intercept_[0]
        if self._counts_replicates(information):
            if measure in PROJECTED:
                scores = self._votes(information) + (intercept - self.intercept_[0])[..., None]
                margins = signs[:, None] * scores
                return replicate_bounds(margins, self.confidence_level, PROJECTED[measure])
            if MEASURES.get(measure, measure) == "MM-MC":
                known = with_covariances(known, information)
        return certificates(known, self.coef_[0], intercept, signs, measure, self.independent)

    def needs_review(self, X, *, max_error, measure="best", **information):
        """Predictions that are not certain enough and need a manual review.

        Parameters
        ----------
        [X]
        max_error : float
            Allowed error probability.
        measure : str, default="best"
            As in `predict_certificate`.
        [information]
            Some is required.

        Returns
        -------
        ndarray of bool of shape (n,)
        """
        if not 0 <= max_error <= 1:
            raise ValueError(f"max_error must be a probability from 0 to 1. Got {max_error}.")
        return self.predict_certificate(X, measure=measure, **information) > max_error

    def _read(self, X, given, columns=None, values=None):
        if given:
            refuse_untransformed()
        how = dict(confidence_level=self.confidence_level, columns=columns, values=values)
        return read_information(X, **how, **given)

    def _validate_known(self, X, y, given):
        """The checked information on the training points, and y in {-1, +1}."""
        if X is None:
            known = self._read(None, given)
            found, y = self._validate_Xy(known.mean, y)
        else:
            found, y = self._validate_Xy(X, y)
            found = as_numbers(found)
            known = self._read(X, given, values=found)
        check_bounded(found)
        return known, y

    def _learn_truth(self, known, given, weight):
        """Learn what stands for missing entries, and the population; return the true points."""
        self.missing_ = MissingAsSet(known, weight)
        if self.error_model == "classical":
            self.population_ = Population(self._of_measurement(known, given), weight)
        else:
            vars(self).pop("population_", None)
        return self._truth(known, given)

    def _truth(self, known, given):
        """What is known about the true points: for classical errors, shrunk to the population."""
        if self.error_model == "berkson":
            return self.missing_.fill(known)
        return self.population_.posterior(self._of_measurement(known, given))

    def _of_measurement(self, known, given):
        """Information on classical errors: that of the mean, if there are replicates."""
        if given.get("replicates") is None or spread_given(given):
            return replace(known, mean_lower=None, mean_upper=None)
        R = np.asarray(given["replicates"], np.float64)
        count = np.maximum((~np.isnan(R).any(axis=2)).sum(axis=1), 1)
        cov = covariances_from_replicates(R) / count[:, None, None]
        var = np.diagonal(cov, axis1=1, axis2=2).copy()
        nothing = dict(lower=None, upper=None, mean_lower=None, mean_upper=None)
        nothing |= {name: given[name] for name in ("lower", "upper") if given.get(name) is not None}
        return replace(known, var=var, var_upper=var, cov=cov, **nothing)

    def _known(self, X, given):
        """Information on points to predict, with missing entries filled."""
        check_is_fitted(self)
        columns = getattr(self, "feature_names_in_", None)
        if X is None:
            known = self._read(None, given, columns)
            self._validate_X(known.mean)
        else:
            known = self._read(X, given, columns, as_numbers(self._validate_X(X)))
        check_bounded(known.mean)
        return self._truth(known, given)

    def _scores(self, known):
        return known.mean @ self.coef_[0] + self.intercept_[0]

    def _probability(self, score, variance):
        return calibrated(self.calibration_, score, variance)

    def _score_of(self, probability):
        """The inverse, of an exact score."""
        return score_of(self.calibration_, probability)

    def _exact_scores(self, X):
        return X @ self.coef_[0] + self.intercept_[0]

    def _exact_probability(self, X):
        """Probability of the positive class at exact points."""
        return self._probability(self._exact_scores(X), np.zeros(len(X)))

    def _true_points(self, X, normal, **information):
        """Possible true points of each example with Gaussian errors, from normal numbers."""
        return drawn_points(self._known(X, information), normal)

    def _variance(self, known, given):
        return self._score_variance(known, given, self.coef_[0])

    def _score_variance(self, known, given, w):
        """Variance of the score of each point, zero if nothing is known about its error."""
        if not self._counts_replicates(given):
            return score_variance(known, w, self.independent)
        scores = np.asarray(given["replicates"], np.float64) @ w
        there = ~np.isnan(scores)
        count = np.maximum(there.sum(axis=1), 1)
        scores = np.where(there, scores, 0.0)
        away = np.where(there, scores - (scores.sum(axis=1) / count)[:, None], 0.0)
        return (away**2).sum(axis=1) / np.maximum(count - 1, 1)

    def _counts_replicates(self, given):
        return given.get("replicates") is not None and self.error_model == "berkson"

    def _votes(self, given):
        R = np.asarray(given["replicates"], np.float64)
        return R @ self.coef_[0] + self.intercept_[0]

    def _signs(self, known, given):
        signs = np.where(self._scores(known) > 0, 1.0, -1.0)
        if self._counts_replicates(given):
            votes = self._votes(given)
            tally = np.where(np.isnan(votes), 0, np.where(votes > 0, 1, -1)).sum(axis=1)
            signs = np.where(tally == 0, signs, np.sign(tally))
        return signs

    @staticmethod
    def _rows_of(others, rows):
        """Selected rows of error bars that are given for each example."""
        least = {"cov": 3}  # dimensions of an array per example
        return {
            name: take_rows(table, rows) if np.ndim(table) >= least.get(name, 2) else table
            for name, table in others.items()
        }


def rows_at_stake(stake, y):
    """Rows that training sees, with what is at stake in each; both classes must be among them."""
    rows = np.flatnonzero(stake > 0)
    if len(np.unique(y[rows])) < 2:
        raise ValueError(
            "Mistakes cost nothing in one of the classes, so the other is always the best "
            "decision; give both fp_cost and fn_cost, and sample_weight in both classes."
        )
    return rows


def with_covariances(known, given):
    """The information with covariances estimated from replicates, unless a spread was given.

    The range of the replicates is no support: the next measurement may be outside.
    """
    if given.get("replicates") is None or spread_given(given):
        return known
    own = {n: getattr(known, n) if given.get(n) is not None else None for n in ("lower", "upper")}
    return replace(known, cov=covariances_from_replicates(given["replicates"]), **own)


def score_variance(known, w, independent=True):
    """Variance of w . x; that of a uniform distribution if only the support is known."""
    if known.cov is not None:
        return np.maximum(np.einsum("njk,j,k->n", known.cov, w, w), 0.0)
    var = known.var
    if var is None:
        if known.lower is None:
            return np.zeros(len(known))
        var = (known.upper - known.lower) ** 2 / 12
    return var @ w**2 if independent else (np.sqrt(var) @ np.abs(w)) ** 2


def drawn_points(known, normal):
    """For each example its mean plus Gaussian errors, made of standard normal numbers."""
    if known.cov is None:
        roots = (np.diag(each) for each in np.sqrt(known.var))
    else:
        values, vectors = np.linalg.eigh(known.cov)
        roots = np.sqrt(np.maximum(values, 0.0))[:, :, None] * np.swapaxes(vectors, 1, 2)
    for mean, root in zip(known.mean, roots, strict=True):
        yield mean + normal @ root


def spread_given(given):
    """Whether variances were given, in any form."""
    return any(given.get(name) is not None for name in ("var", "std", "cov"))
