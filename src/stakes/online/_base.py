"""What the linear online learners share: streams in, scores and probabilities out."""

import copy
from abc import abstractmethod
from numbers import Integral

import numpy as np
from scipy import sparse
from scipy.special import expit, ndtr
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from stakes._jit._prequential import new_calibration
from stakes._jit._weight import AS_GIVEN, REGRET, STAKE
from stakes._sklearn import Interval, StrOptions, fit_context
from stakes.base import COST_CONSTRAINTS, CostSensitiveClassifier
from stakes.costs import COST_NAMES
from stakes.online._intake import two_classes

FLOAT64 = np.dtype(np.float64)
NO_SCORES = np.empty(0)
WEIGHTINGS = {"stake": STAKE, "regret": REGRET}
WEIGHT_CONSTRAINTS = {"weighting": [StrOptions(set(WEIGHTINGS))], "normalize_costs": ["boolean"]}
STREAM_CONSTRAINTS = {
    **COST_CONSTRAINTS,
    "calibrate": ["boolean"],
    "fit_intercept": ["boolean"],
    "n_passes": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
}


class BinaryLinear(CostSensitiveClassifier):
    """Base of the linear learners that read one example after the other.

    A learner gives `_begin` (the state before the first example), `_learn` (many examples, in
    order), `_learn_row` and `_learn_sparse_row` (one), and `_rule` (its numbers for the compiled
    loop). It finds here everything that a user calls.
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
        X, signs = self._validate_Xy(X, y)
        c_pos, c_neg = self._regrets(len(signs), fp_cost, fn_cost, tp_cost, tn_cost)
        self._start(X.shape[1])
        rng = check_random_state(self.random_state) if self.shuffle else None
        for _ in range(self.n_passes):
            if rng is None:
                self._learn(X, signs, c_pos, c_neg, NO_SCORES)
            else:
                t = rng.permutation(len(signs))
                self._learn(X[t], signs[t], c_pos[t], c_neg[t], NO_SCORES)
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

    def learn_one(
        self, x, y, *, classes=None, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn one example.

        Parameters
        ----------
        x : ndarray of shape (d,) or dict of str -> float
            The example; a float64 array is the fast way. Names that a dict brings for the first
            time become new features, names that it lacks are zero.
        y : label
            One of the two classes; 0 and 1 unless `classes` was given first.
        classes : sequence of two labels, default=None
            Needed before the first example if they are not 0 and 1.
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            What the four outcomes cost; None: the constructor's numbers.

        Returns
        -------
        self
        """
        if not hasattr(self, "_labels"):
            self._start_with(x, classes)
        negative, positive = self._labels
        if y == positive:
            sign = 1.0
        elif y == negative:
            sign = -1.0
        else:
            raise ValueError(f"y must be {negative!r} or {positive!r}. Got {y!r} instead.")
        c_pos = float(self.fn_cost if fn_cost is None else fn_cost)
        c_pos -= self.tp_cost if tp_cost is None else tp_cost
        c_neg = float(self.fp_cost if fp_cost is None else fp_cost)
        c_neg -= self.tn_cost if tn_cost is None else tn_cost
        if not (0.0 <= c_pos < np.inf and 0.0 <= c_neg < np.inf):
            self._costs_of(1, fp_cost, fn_cost, tp_cost, tn_cost)  # says what is wrong
        if isinstance(x, dict):
            index, x = self._sparse_of(x, grow=True)
            score = self._learn_sparse_row(index, x, sign, c_pos, c_neg)
        else:
            score = self._learn_row(self._row_of(x), sign, c_pos, c_neg)
        if score != score:
            raise ValueError("x must be finite, and its squares too; it has NaN, infinity or more.")
        return self

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        x : ndarray of shape (d,) or dict of str -> float
            The example; names that are not known yet count as zero.
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            What the four outcomes cost now; None for all: by the sign of the score.

        Returns
        -------
        label
        """
        score = self._score_one(x)
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        if all(cost is None for cost in given):
            return self._labels[int(score + self._shift() > 0)]
        costs = self._costs_of(1, *given)
        return self._labels[int(costs.decide(self._probability(np.array([score])))[0])]

    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability."""
        p = float(self._probability(np.array([self._score_one(x)]))[0])
        negative, positive = self._labels
        return {negative: 1.0 - p, positive: p}

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
        return self._scores(self._validate_X(X)) + self._shift()

    def predict_proba(self, X):
        """Probability of both classes for each row, the positive one in column 1."""
        p = self._probability(self._scores(self._validate_X(X)))
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
        alike = type(self) is type(other) and self.get_params() == other.get_params()
        if not alike or len(self._mu) != len(other._mu) or self._labels != other._labels:
            raise ValueError(
                "Only models of one class, with equal parameters, features and labels, can be "
                "merged."
            )
        merged = copy.deepcopy(self)
        merged._join(other)
        share = other._tally[0] / max(self._tally[0] + other._tally[0], 1.0)
        merged._cal[:6] += share * (other._cal[:6] - self._cal[:6])
        merged._cal[6:] += other._cal[6:]
        merged._tally[:5] += other._tally[:5]
        return merged

    def set_params(self, **params):
        """Set parameters; a stream goes on with the new ones."""
        super().set_params(**params)
        if hasattr(self, "_labels"):
            self._numbers = self._rule()
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
        """The numbers that the compiled loop takes from the constructor."""

    def _start(self, d):
        self._labels = tuple(self.classes_.tolist())
        self._tally = np.zeros(16)
        self._cal = new_calibration()
        self._begin(d)
        self._numbers = self._rule()

    def _start_with(self, x, classes):
        """Begin a stream with its first example."""
        self._validate_params()
        self.classes_ = two_classes((0, 1) if classes is None else classes)
        if isinstance(x, dict):
            self.n_features_in_ = 0
            self.feature_names_in_ = np.empty(0, dtype=object)
        else:
            self.n_features_in_ = len(x)
        self._start(self.n_features_in_)

    def _stream(self, X, y, classes, costs, out):
        first = not hasattr(self, "_labels")
        X, y = validate_data(
            self, X, y, reset=first, accept_sparse="csr", dtype=np.float64, order="C"
        )
        if first:
            self.classes_ = two_classes(np.unique(y) if classes is None else classes)
        y = column_or_1d(y)
        positive = y == self.classes_[1]
        if not (positive | (y == self.classes_[0])).all():
            raise ValueError(f"y has a label that is not in classes {self.classes_.tolist()}.")
        if sparse.issparse(X):
            X.sort_indices()
        signs = np.where(positive, 1.0, -1.0)
        c_pos, c_neg = self._regrets(len(signs), *costs)
        if first:
            self._start(X.shape[1])
        else:
            self._numbers = self._rule()
        out = np.empty(len(y)) if out is None else out
        self._learn(X, signs, c_pos, c_neg, out)
        return out

    def _regrets(self, n, *costs):
        costs = self._costs_of(n, *costs)
        return costs.positive_regret, costs.negative_regret

    def _weighting(self):
        """Code of how costs become weights; learners whose step reads no cost have no choice."""
        normalize = getattr(self, "normalize_costs", False)
        return WEIGHTINGS[self.weighting] if normalize else AS_GIVEN

    def _shift(self):
        c_pos, c_neg = self._tally[3], self._tally[4]
        return np.log(c_pos / c_neg) if self.calibrate and c_pos > 0 and c_neg > 0 else 0.0

    def _probability(self, scores):
        return expit(scores) if self.calibrate else ndtr(scores)

    def _row_of(self, x):
        if type(x) is not np.ndarray or x.dtype is not FLOAT64 or not x.flags.c_contiguous:
            x = np.ascontiguousarray(x, dtype=np.float64)
        if x.ndim != 1 or x.shape[0] != self.n_features_in_:
            raise ValueError(
                f"x must be one row of {self.n_features_in_} features. Got shape {x.shape} instead."
            )
        return x

    def _sparse_of(self, x, grow=False):
        """Columns and values of a dict, in the order of the columns."""
        if not hasattr(self, "_columns"):
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise ValueError(
                    "This model was started without feature names, so it takes arrays, not dicts."
                )
            self._columns = {name: j for j, name in enumerate(names)}
        columns = self._columns
        new = [name for name in x if name not in columns]
        if new and grow:
            self._grow(len(new))
            columns.update({name: self.n_features_in_ + k for k, name in enumerate(new)})
            self.feature_names_in_ = np.array([*self.feature_names_in_, *new], dtype=object)
            self.n_features_in_ += len(new)
        pairs = sorted((columns[name], float(v)) for name, v in x.items() if name in columns)
        index = np.array([j for j, _ in pairs], dtype=np.int32)
        return index, np.array([v for _, v in pairs], dtype=np.float64)

    def _score_one(self, x):
        if not hasattr(self, "_labels"):
            check_is_fitted(self)
        if isinstance(x, dict):
            index, values = self._sparse_of(x)
            return self._scores(
                sparse.csr_matrix(
                    (values, index, np.array([0, len(index)])), shape=(1, self.n_features_in_)
                )
            )[0]
        return self._scores(self._row_of(x)[None])[0]
