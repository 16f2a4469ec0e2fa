"""Base of the kernel online learners: streams in, a kernel expansion out."""

import copy
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from operator import attrgetter

import numpy as np
from joblib import effective_n_jobs
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from stakes._core.base import CostSensitiveClassifier, canonical, unchanged_if_it_fails
from stakes._core.deciding import ENOUGH, warn_below_trivial
from stakes._core.intake import LARGEST, check_weights, validate_data
from stakes._core.jit.prequential import calibrated, new_calibration
from stakes._core.labels import check_same_classes, positive_among, stream_classes
from stakes._core.locks import lock_of
from stakes._core.parallel import N_JOBS
from stakes._core.passes import rows_seen_before
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES
from stakes.online_kernel._calibration_jit import calibrate_scores
from stakes.online_kernel._docs import documented
from stakes.online_kernel._expansion_jit import INTERCEPT, N_SEEN, N_UPDATES
from stakes.online_kernel._file_state import FILE_STATE, check_file_state
from stakes.online_kernel._gram_store import CHUNK, CallableStore, PrecomputedStore
from stakes.online_kernel._margins_jit import N_SLOTS, margin_of, margin_pass
from stakes.online_kernel._one_by_one import LOOKUP, OneByOne
from stakes.online_kernel._settings import check_unchanged, first_gamma
from stakes.online_kernel._store import SupportStore

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions({"linear", "rbf", "poly", "precomputed"}), callable],
    "gamma": [StrOptions({"auto", "scale"}), Interval(Real, 0.0, None, closed="neither")],
    "degree": [Interval(Integral, 1, 1000, closed="both")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "max_support_vectors": [Interval(Integral, 2, None, closed="left"), None],
    "half_life": [Interval(Real, 1, None, closed="left"), None],
    "n_passes": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
    "n_jobs": N_JOBS,
}
SETTINGS = ("kernel", "gamma", "degree", "coef0", "max_support_vectors", "half_life")
_settings_of = attrgetter(*SETTINGS)  # `learn_one` reads them each time
POSITIVE = [Interval(Real, 0.0, None, closed="neither")]


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class KernelOnline(OneByOne, CostSensitiveClassifier):
    r"""Base of the kernel learners that read one example after the other.

    They keep :math:`f(x) = \sum_{i \in S} \alpha_i k(x_i, x)` over the support vectors S. A learner
    gives `_pass`, one compiled pass over a batch, and `_row`, the same for one example; learners
    that take costs inherit from `PricedMargins` as well, which computes the margins
    :math:`\theta_t`.
    """

    _file_state = FILE_STATE
    _check_file_state = staticmethod(check_file_state)

    kernel: str | Callable = "rbf"
    gamma: float | str = "auto"
    degree: int = 3
    coef0: float = 0.0
    max_support_vectors: int | None = None
    half_life: float | None = None
    n_passes: int = 1
    shuffle: bool = False
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    _log_odds = False  # whether `decision_function` is that of the probability, not f
    _accept_sparse = "csr"
    _parameter_constraints = KERNEL_CONSTRAINTS
    # as published these learners ignore costs, so metadata routing must not send them any
    __metadata_request__fit = dict.fromkeys(COST_NAMES, False)
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, False)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn from scratch, reading the examples in the given order unless `shuffle`.

        Parameters
        ----------
        [labeled]
        [importance]

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more examples; one call with n equals n calls with one.

        Parameters
        ----------
        [stream]
        [importance]

        Returns
        -------
        self
        """
        self._stream(X, y, classes, sample_weight)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def decision_function_then_learn(self, X, y, classes=None, sample_weight=None):
        """Do what `partial_fit` does, and return the score of each example before it is learned.

        Parameters
        ----------
        [stream]
        [importance]

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._stream(X, y, classes, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def predict_proba_then_learn(self, X, y, classes=None, sample_weight=None):
        """Do what `partial_fit` does; return the probability of each row before it was learned.

        Parameters
        ----------
        [stream]
        [importance]

        Returns
        -------
        ndarray of shape (n,)
            Probability of the positive class.
        """
        return expit(self._stream(X, y, classes, sample_weight, log_odds=True))

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
            f(x); the log-odds of `predict_proba` in `AnomalyDetector`.
        """
        scores = self._scores(X)
        return calibrated(self._calibration, scores) if self._log_odds else scores

    def predict_proba(self, X):
        """Probability of both classes: a logistic function of f, fitted to scores before learning.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n, 2)
        """
        scores = self._scores(X)
        p = expit(calibrated(self._calibration, scores))
        return np.column_stack([1.0 - p, p])

    @property
    def support_(self):
        """Positions of the support vectors in the stream, counted from zero."""
        return self._store.index.copy()

    @property
    def support_vectors_(self):
        """The support vectors, one per row."""
        return self._store.vectors()

    @property
    def dual_coef_(self):
        """Their coefficients alpha_i, with the sign of the class; shape (1, n_vectors)."""
        return self._store.alpha[None].copy()

    @property
    def intercept_(self):
        """Constant term of f; zero except in `KernelPAUMClassifier`."""
        return self._store.support.numbers[[INTERCEPT]]

    @property
    def n_support_(self):
        """Number of support vectors of each class: (negative, positive)."""
        signs = self._store.signs
        return np.array([np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)])

    @property
    def n_seen_(self):
        """Number of examples read, with or without a cost."""
        return int(self._store.support.counts[N_SEEN])

    @property
    def n_updates_(self):
        """Number of examples that changed f."""
        return int(self._store.support.counts[N_UPDATES])

    @property
    def n_mistakes_(self):
        """Examples with y f(x) <= 0 before they were learned: (negative, positive)."""
        return self._mistakes.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @abstractmethod
    def _pass(self, store, batch, y, theta, scores):
        """Learn one batch, writing each example's score before it was learned."""

    @abstractmethod
    def _row(self, store, batch, y, theta):
        """Learn a batch of one example; return its score before."""

    def _margins(self, y, costs):
        """theta_t of each example; without costs, its weight over the mean weight so far."""
        theta, fp, fn = np.empty(len(y)), costs.negative_regret, costs.positive_regret
        margin_pass(*self._rule(), y > 0, fp, fn, self._margin_state, theta)
        return theta

    def _margin_of(self, sign, fp, fn):
        """Theta of one example; the same as `_margins`."""
        return margin_of(*self._rule(), sign > 0.0, fp, fn, self._margin_state)

    def _rule(self):
        """The first four arguments of `margin_of`."""
        return False, True, 0.0, 1.0

    def _weighted_costs(self, X, costs, sample_weight):
        costs = self._costs_of(X.shape[0], **costs)
        if sample_weight is None:
            return costs
        return costs * check_weights(sample_weight, X, dtype=np.float64, ensure_non_negative=True)

    def _fit(self, X, y, sample_weight=None, **costs):
        with unchanged_if_it_fails(self):
            X, signs = self._validate_Xy(X, y)
            if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
                raise ValueError(
                    "X must be the square Gram matrix of the examples with kernel='precomputed'. "
                    f"Got shape {X.shape} instead."
                )
            weighted = self._weighted_costs(X, costs, sample_weight)
            self._start(X.shape[1], X, signs)
            rng = check_random_state(self.random_state) if self.shuffle else None
            read = self._in_order(X, signs, weighted, rng)
            scores = self._learn(*read)
            if self.n_passes > 1:
                self._learn_again(X, signs, weighted, rng)
        self._remember_costs(costs)
        if costs and self._has_prices(costs):
            self._compare_stream_with_trivial(scores, *read[1:3])
        return self

    def _learn_again(self, X, signs, costs, rng):
        """All passes but the first, which teach the calibration nothing."""
        regret = costs.regret(signs > 0)
        with rows_seen_before(self._calibration, lambda rows: self._store.scores(rows), X, regret):
            for _ in range(self.n_passes - 1):
                self._pass_over(*self._in_order(X, signs, costs, rng))

    def _in_order(self, X, signs, costs, rng):
        t = np.arange(len(signs)) if rng is None else rng.permutation(len(signs))
        return (X, signs, costs, t) if rng is None else (X[t], signs[t], costs[t], t)

    def _compare_stream_with_trivial(self, scores, signs, costs):
        """Warn if the decisions before learning, in the first pass, were worth nothing."""
        if len(signs) < ENOUGH:
            return
        decided = costs.decide(expit(scores)) if self._log_odds else scores > 0
        warn_below_trivial(
            self,
            costs,
            signs > 0,
            decided,
            np.ones(len(signs)),
            where="the stream while it was learning",
            stacklevel=5,
        )

    def _stream(self, X, y, classes, sample_weight=None, log_odds=None, **costs):
        first = not hasattr(self, "_store")
        with unchanged_if_it_fails(self):
            if first or not self._is_plain(X, y):
                X, y = validate_data(
                    self, X, y, reset=first, accept_sparse="csr", dtype=np.float64, order="C"
                )
                y = column_or_1d(y)
            if first:
                check_classification_targets(y)
                self.classes_ = stream_classes(np.unique(y) if classes is None else classes)
            else:
                self._check_settings()
                check_same_classes(classes, self._labels)
            positive = positive_among(y, self.classes_)
            costs = self._weighted_costs(X, costs, sample_weight)
            X = canonical(X)
            if first:
                self._start(X.shape[1], X)
            return self._learn(X, np.where(positive, 1.0, -1.0), costs, log_odds=log_odds)

    def _is_plain(self, X, y):
        """Whether scikit-learn's checks, a millisecond, would find nothing to do or to refuse."""
        return (
            type(X) is type(y) is np.ndarray
            and X.dtype == np.float64
            and X.flags.carray
            and X.ndim == 2
            and X.shape == (len(y), self.n_features_in_)
            and X.size > 0
            and y.ndim == 1
            and "feature_names_in_" not in vars(self)
            and bool(-LARGEST <= X.min() and X.max() <= LARGEST)
        )

    def _start(self, n_features, X=None, signs=None):
        """Start a stream; X: its first rows, as far as they are known."""
        self._labels = tuple(self.classes_.tolist())
        self._started_with = self._settings()
        for name in ("_entries", *LOOKUP):  # of an earlier stream
            vars(self).pop(name, None)
        decay = 1.0 if self.half_life is None else 0.5 ** (1.0 / self.half_life)
        limits = self.max_support_vectors, decay
        if self.kernel == "precomputed":
            self._store = PrecomputedStore(n_features, *limits)
        elif callable(self.kernel):
            self._store = CallableStore(self.kernel, n_features, *limits)
        else:
            kernel = self.kernel, first_gamma(self.gamma, n_features, X), self.coef0, self.degree
            self._store = SupportStore(*kernel, n_features, *limits)
        self._mistakes, self._margin_state = np.zeros(2, np.int64), np.zeros(N_SLOTS)
        self._calibration = new_calibration()

    def _learn(self, X, y, costs, order=None, log_odds=None):
        """Learn some examples and return their scores, or log-odds, before.

        `order` has the example that each row is, for a precomputed kernel; None: the stream's.
        """
        scores = self._pass_over(X, y, costs, order)
        regret = costs.regret(y > 0)
        odds = calibrate_scores(self._calibration, scores, y, regret)
        return odds if (self._log_odds if log_odds is None else log_odds) else scores

    def _pass_over(self, X, y, costs, order=None):
        self._own()
        theta, scores = None, np.zeros(len(y))
        if self._store.can_fail and X.shape[0] > CHUNK:  # learn in a copy, which may be dropped
            self._store, self._margin_state = copy.deepcopy((self._store, self._margin_state))
        for start, stop, batch in self._store.batches(X, order):
            if theta is None:  # not before the store has accepted the rows
                theta = self._margins(y, costs)
            part = slice(start, stop)
            self._pass(self._store, batch, y[part], theta[part], scores[part])
            self._store.settle()
        wrong = y * scores <= 0
        self._mistakes += [np.count_nonzero(wrong & (y < 0)), np.count_nonzero(wrong & (y > 0))]
        return scores

    def _scores(self, X):
        X = self._validate_X(X)
        with lock_of(self):
            self._own()
            support = self._store.support_for(X)
        return self._store.scores(X, effective_n_jobs(self.n_jobs), support)

    def _settings(self):
        """What a stream cannot change on its way."""
        found = _settings_of(self)
        return found if isinstance(found[0], str) else ("", *found[1:])

    def _check_settings(self):
        check_unchanged(SETTINGS, self._started_with, self._settings())

    def __getstate__(self):
        state = super().__getstate__()
        for name in LOOKUP:
            state.pop(name, None)
        return state
