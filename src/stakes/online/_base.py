"""Base of the linear online learners: streams in, scores and probabilities out."""

import warnings
from abc import abstractmethod

import numpy as np
from scipy import sparse
from scipy.special import expit, ndtr
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import column_or_1d

from stakes._core.base import CostSensitiveClassifier, canonical, unchanged_if_it_fails
from stakes._core.deciding import ENOUGH
from stakes._core.intake import check_weights, checked_sparse, validate_data
from stakes._core.jit.prequential import N_NEGATIVE, N_POSITIVE, line_of
from stakes._core.labels import check_same_classes, code_positive, positive_among, stream_classes
from stakes._core.locks import lock_of
from stakes._core.passes import rows_seen_before
from stakes._core.sklearn_private import fit_context
from stakes.costs import COST_NAMES
from stakes.errors import BelowTrivialWarning
from stakes.online._before_step_jit import log_ratio
from stakes.online._file_state import FILE_STATE, check_file_state
from stakes.online._learning import EVERY, NO_SCORES, Learning
from stakes.online._merging import Mergeable
from stakes.online._one_by_one import OneByOne, weighted
from stakes.online._parameters import StreamParameters, learner
from stakes.online._state import (
    BIAS,
    BOOK,
    CALIBRATE,
    HEAD,
    N_NOT_FINITE,
    N_SEEN,
    N_UPDATES,
    SETTINGS,
    SUM_NEG,
    SUM_POS,
)

NO_COST = np.zeros(1)
TABLE = dict(accept_sparse="csr", dtype=np.float64, order="C", bounded=False)
TOO_LARGE = "X contains values whose squares overflow; scale the features or drop these rows."
LARGE = 1 << 16  # entries of X from which `fit` looks for NaN while it learns


@learner
class BinaryLinear(StreamParameters, Learning, OneByOne, Mergeable, CostSensitiveClassifier):
    """Base of the linear learners that read one example after the other.

    A subclass provides `_begin` (sets `_knows`, the array of everything that it knows, see
    `_state.py`), `_rule` (the settings of its compiled step), `_prepared` and `_pass` (many rows),
    `_step` (one row), and `_scores`. Everything that a user calls is here. The way of a batch goes
    down only: check, price, learn.
    """

    _file_state = FILE_STATE
    _check_file_state = staticmethod(check_file_state)

    _accept_sparse = "csr"
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, True)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn from scratch, in the given order unless `shuffle` is set.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels, of two classes.
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        with unchanged_if_it_fails(self):
            at_once = not _checked_later(X)
            how = dict(ensure_all_finite=at_once, indices=at_once or self._indices_at_once)
            X, y = validate_data(self, X, y, **how, **TABLE)
            self.classes_, positive = code_positive(y)
            X, signs = canonical(X), 2.0 * positive - 1.0
            c_pos, c_neg = self._regrets(X, given.values(), sample_weight, allow_zero=False)
            self._start(X.shape[1])
            rng = check_random_state(self.random_state) if self.shuffle else None
            if rng is not None:  # the order says nothing, so there is no drift to follow
                self._stop_comparing()
            self._read(X, signs, c_pos, c_neg, rng)
            if self.n_passes > 1:
                self._read_again(X, signs, c_pos, c_neg, rng)
            if self.l1:
                self._cut(self._knows, self._knows[N_SEEN] % EVERY)  # since the last one
            if self._knows[N_NOT_FINITE] > 0:
                checked_sparse(X)
                assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
                raise ValueError(TOO_LARGE)
        self._remember_costs(given)
        if self._has_prices(given):
            self._warn_if_constant_is_cheaper()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X,
        y,
        classes=None,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Continue learning; n calls with one example equal one call with n examples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.
        y : array-like of shape (n,)
            Labels.
        classes : array-like of shape (2,), default=None
            Both labels; required in the first call unless y contains both.
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        costs = fp_cost, fn_cost, tp_cost, tn_cost
        self._stream(X, y, classes, costs, sample_weight, NO_SCORES)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def predict_proba_then_learn(
        self,
        X,
        y,
        classes=None,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Do what `partial_fit` does; return the probability of each row before it was learned.

        Parameters
        ----------
        X, y, classes, sample_weight, fp_cost, fn_cost, tp_cost, tn_cost
            As in `partial_fit`.

        Returns
        -------
        ndarray of shape (n,)
            Probability of the positive class.
        """
        costs = fp_cost, fn_cost, tp_cost, tn_cost
        return self._probability(self._stream(X, y, classes, costs, sample_weight, None))

    def decision_function(self, X):
        """Score each row; a positive score means the positive class.

        With `calibration`, log-odds plus log(mean fn regret / mean fp regret): the sign is the
        decision of least expected cost at the mean costs of the stream. Without, the margin in
        units of its standard deviation.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._table_scores(X) + self._shift()

    def predict_proba(self, X):
        """Probability of both classes for each row, the positive one in column 1."""
        p = self._probability(self._table_scores(X))
        return np.column_stack([1.0 - p, p])

    def set_params(self, **params):
        """Set parameters; a stream continues with the new values.

        `covariance` and `max_memory`, which determine the form of the state, take effect in the
        next `fit`. So does `fit_intercept`; a stream that continues without `fit` raises.
        """
        with unchanged_if_it_fails(self):
            super().set_params(**params)
            if hasattr(self, "_labels"):
                self._validate_params()
                self._note_intercept()
                self._set_rule()
                self._set_half_life()
        return self

    def __getstate__(self):
        self._trim()
        return {name: value for name, value in super().__getstate__().items() if name != "_recent"}

    def __setstate__(self, state):
        super().__setstate__(state)
        for name, value in vars(self).items():  # a memory-mapped file is read-only; learning writes
            if isinstance(value, np.ndarray) and not value.flags.writeable:
                setattr(self, name, value.copy())

    @property
    def coef_(self):
        """Mean weights of the features, shape (1, d)."""
        self._trim()
        return self._mu[None, :-1].copy()

    @property
    def intercept_(self):
        """Mean weight of the intercept, shape (1,)."""
        return self._mu[-1:].copy()

    @property
    def n_updates_(self):
        """Number of examples that changed the weights."""
        return int(self._knows[N_UPDATES])

    @property
    def n_seen_(self):
        """Number of examples with a cost."""
        return int(self._knows[N_SEEN])

    @property
    def progressive_regret_(self):
        """Mean regret of the decisions during training and of both constant policies, as a dict."""
        regrets = self._knows[BOOK] / self._n_booked if self._n_booked else np.full(3, np.nan)
        names = "learner", "always negative", "always positive"
        return dict(zip(names, regrets.tolist(), strict=True))

    @abstractmethod
    def _begin(self, d):
        """Set the state before the first example of d features."""

    @abstractmethod
    def _rule(self):
        """Settings of the compiled step, a :class:`~stakes.online._state.Rule`."""

    @abstractmethod
    def _scores(self, X):
        """Scores of checked rows."""

    @property
    def _n_booked(self):
        return self._knows[N_POSITIVE] + self._knows[N_NEGATIVE]

    @property
    def _state(self):
        return self._knows[:HEAD]

    def _start(self, d):
        self._labels = tuple(self.classes_.tolist())
        if hasattr(self, "_columns"):
            del self._columns  # names of an earlier stream
        self._recent = {}
        self._spare = 0
        self._begin(d)
        self._knows[BIAS] = self.fit_intercept
        self._note_intercept()
        self._start_half_life()
        self._set_rule()
        self._set_half_life()

    def _set_rule(self):
        flags = self._weighting(), self.calibration is not None, self._knows[BIAS]
        self._knows[SETTINGS] = *self._rule(), *flags
        if len(self._rivals):
            self._rivals[:, SETTINGS] = self._knows[SETTINGS]

    def _read(self, X, signs, c_pos, c_neg, rng):
        if rng is None:
            return self._learn(X, signs, c_pos, c_neg, NO_SCORES)
        t = rng.permutation(len(signs))
        priced = (c[t] if len(c) > 1 else c for c in (c_pos, c_neg))
        return self._learn(X[t], signs[t], *priced, NO_SCORES)

    def _read_again(self, X, signs, c_pos, c_neg, rng):
        """All passes but the first: the weights learn; the calibration and the book do not."""
        self._knows[CALIBRATE] = 0.0
        self._stop_comparing()
        regret = np.where(signs > 0, c_pos, c_neg)
        with rows_seen_before(self._knows, self._scores, X, regret):
            for _ in range(self.n_passes - 1):
                self._read(X, signs, c_pos, c_neg, rng)
        self._set_rule()

    def _stream(self, X, y, classes, costs, sample_weight, out):
        with lock_of(self):
            return self._stream_alone(X, y, classes, costs, sample_weight, out)

    def _stream_alone(self, X, y, classes, costs, sample_weight, out):
        first = not hasattr(self, "_labels")
        with unchanged_if_it_fails(self):
            X, y = validate_data(self, X, y, reset=first, **TABLE)
            self._trim()
            if first:
                self.classes_ = stream_classes(np.unique(y) if classes is None else classes)
            else:
                check_same_classes(classes, self._labels)
            positive = positive_among(column_or_1d(y), self.classes_)
            X, signs = canonical(X), 2.0 * positive - 1.0
            c_pos, c_neg = self._regrets(X, costs, sample_weight)
            if first:
                self._start(X.shape[1])
            else:
                self._check_intercept()
                self._set_rule()
                self._set_half_life()
            self._refuse_overflow(X)
        out = np.empty(len(signs)) if out is None else out
        self._learn(X, signs, c_pos, c_neg, out)
        return out

    def _refuse_overflow(self, X):
        """Raise if squares of X overflow. Variances only shrink, so none overflows later."""
        entries = X.data if sparse.issparse(X) else X.ravel()
        with np.errstate(over="ignore", invalid="ignore"):
            safe = np.isfinite(self._most_variance() * (entries @ entries))
        if not safe and np.isnan(self._scores(X)).any():
            raise ValueError(f"{TOO_LARGE} Nothing was learned.")

    def _table_scores(self, X):
        self._trim()
        X = self._validate_X(X)
        scores = self._scores(X)
        if np.isnan(scores).any():
            checked_sparse(X)
            raise ValueError(TOO_LARGE)
        return scores

    def _regrets(self, X, costs, sample_weight, *, allow_zero=True):
        """Both regrets, one per row, or one for all rows if every cost is a number."""
        one_for_all = sample_weight is None and max(map(np.ndim, costs)) == 0
        costs = self._costs_of(1 if one_for_all else X.shape[0], *costs)
        c_pos, c_neg = costs.positive_regret, costs.negative_regret
        if sample_weight is not None:
            weight = check_weights(
                sample_weight,
                X,
                dtype=np.float64,
                ensure_non_negative=True,
                allow_all_zero_weights=allow_zero,  # a batch may be a single row of weight zero
            )
            c_pos, c_neg = weighted(c_pos, weight), weighted(c_neg, weight)
        return c_pos, c_neg

    def _warn_if_constant_is_cheaper(self):
        own, *constant = self._knows[BOOK]
        if self._n_booked < ENOUGH or own <= min(constant):
            return
        warnings.warn(
            f"The decisions of {type(self).__name__} during training cost more than always "
            f"{('negative', 'positive')[int(np.argmin(constant))]} (see progressive_regret_): "
            "use more rows, tune it, or choose another learner.",
            BelowTrivialWarning,
            stacklevel=4,
        )

    def _shift(self):
        c_pos, c_neg = self._knows[SUM_POS], self._knows[SUM_NEG]
        if self.calibration is None or not (c_pos > 0 and c_neg > 0):
            return 0.0
        return log_ratio(float(c_pos), float(c_neg))

    def _score_line(self):
        """Scale, slope and offset of the calibration, and what `decision_function` adds, or None.

        For the export of a model.
        """
        return None if self.calibration is None else (*line_of(self._knows), float(self._shift()))

    def _probability(self, scores):
        return ndtr(scores) if self.calibration is None else expit(scores)


def _checked_later(X):
    """Whether X is large enough that looking at it while learning saves a pass over it."""
    return (sparse.issparse(X) or isinstance(X, np.ndarray)) and np.prod(X.shape) > LARGE
