"""What the linear online learners share: streams in, scores and probabilities out."""

import copy
import warnings
from abc import abstractmethod
from numbers import Integral

import numpy as np
from scipy.special import expit, ndtr
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from stakes._core.base import (
    COST_CONSTRAINTS,
    CostSensitiveClassifier,
    canonical,
    unchanged_if_it_fails,
)
from stakes._core.deciding import ENOUGH
from stakes._core.jit.weight import AS_GIVEN, CLASS, REGRET, STAKE
from stakes._core.labels import check_same_classes, stream_classes
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES
from stakes.errors import BelowTrivialWarning
from stakes.online._intake import binary_signs, checked_later, signs_of
from stakes.online._one_by_one import OneByOne
from stakes.online._state import BOOK, CALIBRATION, HEAD, NUMBERS, TALLY

NO_SCORES = np.empty(0)
NO_COST = np.zeros(1)
TOO_LARGE = "X has rows too large to be squared; scale the features or leave these rows out."
WEIGHTINGS = {"class": CLASS, "stake": STAKE, "regret": REGRET}
WEIGHT_CONSTRAINTS = {"weighting": [StrOptions(set(WEIGHTINGS))], "normalize_costs": ["boolean"]}
STREAM_CONSTRAINTS = {
    **COST_CONSTRAINTS,
    "calibration": [StrOptions({"sigmoid"}), None],
    "fit_intercept": ["boolean"],
    "n_passes": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
}


class BinaryLinear(OneByOne, CostSensitiveClassifier):
    """Base of the linear learners that read one example after the other.

    A learner gives `_begin` (sets `_knows`, the array of all that it knows, see `_state.py`),
    `_learn` (many examples, in order), `_learn_row` and `_learn_sparse_row` (one), and `_rule` (its
    numbers for the compiled loop). It finds here everything that a user calls.
    """

    _accept_sparse = "csr"
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, True)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Learn from scratch, reading the examples in the given order unless `shuffle`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels, of two classes.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; None: the constructor's numbers.

        Returns
        -------
        self
        """
        with unchanged_if_it_fails(self):
            X, signs = self._validate_Xy(X, y)
            c_pos, c_neg = self._regrets(len(signs), fp_cost, fn_cost, tp_cost, tn_cost)
            self._start(X.shape[1])
            rng = check_random_state(self.random_state) if self.shuffle else None
            for _ in range(self.n_passes):
                if rng is None:
                    self._learn(X, signs, c_pos, c_neg, NO_SCORES)
                else:
                    t = rng.permutation(len(signs))
                    priced = (c[t] if len(c) > 1 else c for c in (c_pos, c_neg))
                    self._learn(X[t], signs[t], *priced, NO_SCORES)
            if self._tally[5] > 0:
                assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
                raise ValueError(TOO_LARGE)
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if self._has_prices(given):
            self._warn_if_trivial_is_cheaper()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X, y, classes=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn on from more examples; n calls with one example equal one call with n.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like of shape (2,), default=None
            Both labels; needed in the first call unless its y has them both.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; None: the constructor's numbers.

        Returns
        -------
        self
        """
        self._stream(X, y, classes, (fp_cost, fn_cost, tp_cost, tn_cost), NO_SCORES)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def predict_then_learn(
        self, X, y, classes=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Do what `partial_fit` does, and tell what was thought of each example before.

        Parameters
        ----------
        X, y, classes, fp_cost, fn_cost, tp_cost, tn_cost
            As in `partial_fit`.

        Returns
        -------
        ndarray of shape (n,)
            Probability of the positive class of every row at the moment before it was learnt.
        """
        costs = (fp_cost, fn_cost, tp_cost, tn_cost)
        return self._probability(self._stream(X, y, classes, costs, None))

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Where scores are calibrated, the log-odds plus log(mean fn regret / mean fp regret): the
        decision of least expected cost at the mean costs of the stream. Else the probit.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._table_scores(X) + self._shift()

    def predict_proba(self, X):
        """Probability of both classes for each row, the positive one in column 1."""
        p = self._probability(self._table_scores(X))
        return np.column_stack([1.0 - p, p])

    def merge(self, other):
        """Join two models that started alike and learnt from different examples.

        Parameters
        ----------
        other : same class
            The other model, on the same features and classes.

        Returns
        -------
        merged : same class
            A new model; both old ones are left as they are.
        """
        check_is_fitted(self)
        check_is_fitted(other)
        alike = type(self) is type(other) and _same_params(self, other) and _same_names(self, other)
        if not alike or len(self._mu) != len(other._mu) or self._labels != other._labels:
            raise ValueError(
                "Only models of one class, with equal parameters and labels, and equal features "
                "in one order, can be merged."
            )
        merged = copy.deepcopy(self)
        merged._join(other)
        share = other._tally[0] / max(self._tally[0] + other._tally[0], 1.0)
        merged._cal[:6] += share * (other._cal[:6] - self._cal[:6])
        merged._cal[6:8] += other._cal[6:8]
        merged._tally[:] += other._tally
        merged._book[:] += other._book
        return merged

    def set_params(self, **params):
        """Set parameters; a stream goes on with the new ones.

        `covariance` and `max_memory`, the forms of what is known, change with the next `fit`.
        """
        with unchanged_if_it_fails(self):
            super().set_params(**params)
            if hasattr(self, "_labels"):
                self._validate_params()
                self._set_rule()
        return self

    def __setstate__(self, state):
        super().__setstate__(state)
        for name, value in vars(self).items():  # a memory-mapped file is read-only; learning writes
            if isinstance(value, np.ndarray) and not value.flags.writeable:
                setattr(self, name, value.copy())

    @property
    def coef_(self):
        """Mean weights of the features, shape (1, d)."""
        return self._mu[None, :-1].copy()

    @property
    def intercept_(self):
        """Mean weight of the constant, shape (1,)."""
        return self._mu[-1:].copy()

    @property
    def n_updates_(self):
        """How many examples moved the weights."""
        return int(self._tally[1])

    @property
    def n_seen_(self):
        """How many examples with a cost were read."""
        return int(self._tally[0])

    @property
    def progressive_regret_(self):
        """Mean regret of the decisions while learning and of both trivial policies, as a dict."""
        n = self._cal[6] + self._cal[7]
        names = "learner", "always negative", "always positive"
        regrets = self._book / n if n > 0 else np.full(3, np.nan)
        return dict(zip(names, regrets.tolist(), strict=True))

    @abstractmethod
    def _begin(self, d):
        """Set the state before the first example of d features."""

    @abstractmethod
    def _learn(self, X, signs, c_pos, c_neg, out):
        """Learn the rows in order; write scores before learning to `out` if it has room."""

    @abstractmethod
    def _scores(self, X):
        """Scores of checked rows."""

    @abstractmethod
    def _rule(self):
        """Code of the learner's rule, and the rule's own two numbers."""

    @property
    def _state(self):
        return self._knows[:HEAD]

    @property
    def _tally(self):
        return self._state[TALLY]

    @property
    def _book(self):
        return self._state[BOOK]

    @property
    def _cal(self):
        return self._state[CALIBRATION]

    def _start(self, d):
        self._labels = tuple(self.classes_.tolist())
        if hasattr(self, "_columns"):
            del self._columns  # where the names of an earlier stream stood
        self._begin(d)
        self._set_rule()

    def _set_rule(self):
        flags = self._weighting(), self.calibration is not None, self.fit_intercept
        self._state[NUMBERS] = *self._rule(), *flags

    def _stream(self, X, y, classes, costs, out):
        first = not hasattr(self, "_labels")
        with unchanged_if_it_fails(self):
            X, y = validate_data(
                self, X, y, reset=first, accept_sparse="csr", dtype=np.float64, order="C"
            )
            if first:
                self.classes_ = stream_classes(np.unique(y) if classes is None else classes)
            else:
                check_same_classes(classes, self._labels)
            X, signs = canonical(X), signs_of(column_or_1d(y), self.classes_)
            c_pos, c_neg = self._regrets(len(signs), *costs)
            if first:
                self._start(X.shape[1])
            else:
                self._set_rule()
        out = np.empty(len(signs)) if out is None else out
        passed_over = self._tally[5]
        self._learn(X, signs, c_pos, c_neg, out)
        if self._tally[5] > passed_over:
            raise ValueError(f"{TOO_LARGE} The others of this call were learnt.")
        return out

    def _table_scores(self, X):
        scores = self._scores(self._validate_X(X))
        if np.isnan(scores).any():
            raise ValueError(TOO_LARGE)
        return scores

    def _validate_Xy(self, X, y):
        """The checked rows and int8 signs; a large X is checked for NaN while it is learnt."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite=not checked_later(X),
        )
        self.classes_, signs = binary_signs(y)
        return canonical(X), signs

    def _regrets(self, n, *costs):
        """Both regrets, one for each of n rows, or one for all if every cost is a number."""
        own = (getattr(self, name) for name in COST_NAMES)
        chosen = [mine if now is None else now for now, mine in zip(costs, own, strict=True)]
        one = all(np.ndim(cost) == 0 for cost in chosen)
        costs = self._costs_of(1 if one else n, *chosen)
        return costs.positive_regret, costs.negative_regret

    def _weighting(self):
        """Code of how costs become weights; learners whose step reads no cost have no choice."""
        normalize = getattr(self, "normalize_costs", False)
        return WEIGHTINGS[self.weighting] if normalize else AS_GIVEN

    def _warn_if_trivial_is_cheaper(self):
        own, *trivial = self._book
        if self._tally[0] < ENOUGH or own <= min(trivial):
            return
        warnings.warn(
            f"The decisions of {type(self).__name__} while it learnt cost more than always "
            f"{('negative', 'positive')[int(np.argmin(trivial))]} (see progressive_regret_): "
            "give it more rows or passes, tune it, or take another learner.",
            BelowTrivialWarning,
            stacklevel=4,
        )

    def _shift(self):
        c_pos, c_neg = self._tally[3], self._tally[4]
        if self.calibration is None or not (c_pos > 0 and c_neg > 0):
            return 0.0
        return np.log(c_pos / c_neg)

    def _probability(self, scores):
        return ndtr(scores) if self.calibration is None else expit(scores)


def _same_params(model, other):
    """Whether all parameters are equal, arrays among them."""
    mine, others = model.get_params(), other.get_params()
    return all(np.array_equal(value, others[name]) for name, value in mine.items())


def _same_names(model, other):
    """Whether the features have the same names in the same order, where both know names."""
    names = [getattr(one, "feature_names_in_", None) for one in (model, other)]
    return names[0] is None or names[1] is None or np.array_equal(*names)
