"""Base of the kernel online learners: streams in, a kernel expansion out."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import CostSensitiveClassifier, canonical, unchanged_if_it_fails
from stakes._core.deciding import ENOUGH, warn_below_trivial
from stakes._core.intake import check_weights, validate_data
from stakes._core.labels import check_same_classes, positive_among, stream_classes
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, Costs
from stakes.online_kernel._docs import documented
from stakes.online_kernel._expansion_jit import INTERCEPT, N_SEEN, N_UPDATES
from stakes.online_kernel._file_state import FILE_STATE, check_file_state
from stakes.online_kernel._gram_store import CallableStore, PrecomputedStore
from stakes.online_kernel._store import SupportStore

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions({"linear", "rbf", "poly", "precomputed"}), callable],
    "gamma": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "max_support_vectors": [Interval(Integral, 2, None, closed="left"), None],
    "n_passes": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
}
POSITIVE = [Interval(Real, 0.0, None, closed="neither")]


@documented
@dataclass(kw_only=True, eq=False, repr=False)  # for __init__ only: each class adds its parameters
class KernelOnline(CostSensitiveClassifier):
    r"""Base of the kernel learners that read one example after the other.

    They keep :math:`f(x) = \sum_{i \in S} \alpha_i k(x_i, x)` over the support vectors S. A learner
    gives `_pass`, one compiled pass over a batch; learners that take costs inherit from
    `PricedMargins` as well, which computes the margins :math:`\theta_t`.
    """

    _file_state = FILE_STATE
    _check_file_state = staticmethod(check_file_state)

    kernel: str | Callable = "rbf"
    gamma: float | str = "auto"
    degree: int = 3
    coef0: float = 0.0
    max_support_vectors: int | None = None
    n_passes: int = 1
    shuffle: bool = False
    random_state: int | np.random.RandomState | None = None

    _accept_sparse = "csr"
    _parameter_constraints = KERNEL_CONSTRAINTS
    # as published these learners ignore costs, so metadata routing must not send them any
    __metadata_request__fit = dict.fromkeys(COST_NAMES, False)
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, False)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from scratch, reading the examples in the given order unless `shuffle`.

        Parameters
        ----------
        [labeled]

        Returns
        -------
        self
        """
        return self._fit(X, y)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn from more examples; one call with n equals n calls with one.

        Parameters
        ----------
        [stream]

        Returns
        -------
        self
        """
        self._stream(X, y, classes)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def decision_function_then_learn(self, X, y, classes=None):
        """Do what `partial_fit` does, and return the score of each example before it is learned.

        Parameters
        ----------
        [stream]

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._stream(X, y, classes)

    def learn_one(self, x, y, *, classes=None):
        """Learn one example.

        Parameters
        ----------
        [one_labeled]

        Returns
        -------
        self
        """
        return self._learn_one(x, y, classes)

    def predict_one(self, x):
        """Decide for one example by the sign of its score.

        Parameters
        ----------
        [one]

        Returns
        -------
        label
        """
        positive = self.decision_function_one(x) > 0
        return self._labels[positive]

    def decision_function_one(self, x):
        """Score one example, see `decision_function`.

        Parameters
        ----------
        [one]

        Returns
        -------
        float
        """
        check_is_fitted(self)
        self._store.own()
        return float(self._store.scores(self._row_of(x, grow=False))[0])

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
            f(x); not a probability, so calibrate it before an expected-cost decision.
        """
        X = self._validate_X(X)
        self._store.own()
        return self._store.scores(X)

    @property
    def support_(self):
        """Positions of the support vectors in the stream, counted from zero."""
        return self._store.index[: len(self._store)].copy()

    @property
    def support_vectors_(self):
        """The support vectors, one per row."""
        return self._store.vectors()

    @property
    def dual_coef_(self):
        """Their coefficients alpha_i, with the sign of the class; shape (1, n_vectors)."""
        return self._store.alpha[None, : len(self._store)].copy()

    @property
    def intercept_(self):
        """Constant term of f; zero except in `KernelPAUMClassifier`."""
        return self._store.norm[[INTERCEPT]]

    @property
    def n_support_(self):
        """Number of support vectors of each class: (negative, positive)."""
        signs = self._store.y[: len(self._store)]
        return np.array([np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)])

    @property
    def n_seen_(self):
        """Number of examples read, with or without a cost."""
        return int(self._store.counts[N_SEEN])

    @property
    def n_updates_(self):
        """Number of examples that changed f."""
        return int(self._store.counts[N_UPDATES])

    @property
    def n_mistakes_(self):
        """Examples with y f(x) <= 0 before they were learned: (negative, positive)."""
        return self._mistakes.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def _labels(self):
        return tuple(self.classes_.tolist())

    @abstractmethod
    def _pass(self, store, batch, y, theta, scores):
        """Learn one batch, writing each example's score before it was learned."""

    def _margins(self, y, costs):
        """theta_t of each example; one for learners without costs."""
        return np.ones(len(y))

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
            self._start(X.shape[1], signs)
            rng = check_random_state(self.random_state) if self.shuffle else None
            read = self._in_order(X, signs, weighted, rng)
            scores = self._learn(*read)
            if self.n_passes > 1:
                self._learn_again(X, signs, weighted, rng)
        if costs and self._has_prices(costs):
            self._compare_stream_with_trivial(scores, *read[1:3])
        return self

    def _learn_again(self, X, signs, costs, rng):
        """All passes but the first."""
        for _ in range(self.n_passes - 1):
            KernelOnline._learn(self, *self._in_order(X, signs, costs, rng))

    def _in_order(self, X, signs, costs, rng):
        t = np.arange(len(signs)) if rng is None else rng.permutation(len(signs))
        return (X, signs, costs, t) if rng is None else (X[t], signs[t], costs[t], t)

    def _compare_stream_with_trivial(self, scores, signs, costs):
        """Warn if the decisions before learning, in the first pass, were worth nothing."""
        if len(signs) < ENOUGH:
            return
        decided = costs.decide(expit(scores)) if hasattr(self, "predict_proba") else scores > 0
        warn_below_trivial(
            self,
            costs,
            signs > 0,
            decided,
            np.ones(len(signs)),
            where="the stream while it was learning",
            stacklevel=5,
        )

    def _stream(self, X, y, classes, sample_weight=None, **costs):
        first = not hasattr(self, "_store")
        with unchanged_if_it_fails(self):
            X, y = validate_data(
                self, X, y, reset=first, accept_sparse="csr", dtype=np.float64, order="C"
            )
            check_classification_targets(y)
            y = column_or_1d(y)
            if first:
                self.classes_ = stream_classes(np.unique(y) if classes is None else classes)
            else:
                check_same_classes(classes, self._labels)
            positive = positive_among(y, self.classes_)
            costs = self._weighted_costs(X, costs, sample_weight)
            if first:
                self._start(X.shape[1])
            return self._learn(canonical(X), np.where(positive, 1.0, -1.0), costs)

    def _learn_one(self, x, y, classes, sample_weight=None, **costs):
        if not hasattr(self, "_store"):
            with unchanged_if_it_fails(self):
                self._validate_params()
                self.classes_ = stream_classes((0, 1) if classes is None else classes)
                self.n_features_in_ = len(x)
                if isinstance(x, dict):
                    self.feature_names_in_ = np.array(list(x), dtype=object)
                self._start(self.n_features_in_)
                return self._learn_one(x, y, None, sample_weight, **costs)
        check_same_classes(classes, self._labels)
        if y not in self._labels:
            raise ValueError(
                f"y must be one of {list(self._labels)}. Got {y!r} instead; other labels are "
                "given by classes= with the first example."
            )
        sign = np.array([1.0 if y == self._labels[1] else -1.0])
        costs = self._costs_of_one(costs)
        if sample_weight is not None:
            costs = costs * check_weights([sample_weight], sign, ensure_non_negative=True)
        row = self._row_of(x, grow=True)  # last: it may bring new features
        self._learn(row, sign, costs)
        return self

    def _costs_of_one(self, given):
        """The costs of one example, with a shortcut for plain valid numbers."""
        now = {name: cost for name, cost in given.items() if cost is not None}
        own = {name: getattr(self, name, neutral) for name, neutral in NEUTRAL_COSTS.items()}
        fp, fn, tp, tn = (own | now).values()
        try:
            plain = 0.0 <= fp - tn < np.inf and 0.0 <= fn - tp < np.inf
        except (TypeError, ValueError):
            plain = False
        if not plain or np.ndim(fp - tn + fn - tp):
            return self._costs_of(1, **now)
        return Costs(*(np.array([float(cost)]) for cost in (fp, fn, tp, tn)))

    def _row_of(self, x, grow):
        """One example as a table of one row; a dict may bring new features."""
        new = []
        if isinstance(x, dict):
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise ValueError("x is a dict, but the features have no names; give an array.")
            known = set(names)
            new = [name for name in x if name not in known] if grow else []
            x = [x.get(name, 0.0) for name in [*names, *new]]
        row, d = np.asarray(x, dtype=np.float64).reshape(1, -1), self.n_features_in_
        if row.shape[1] != d + len(new):
            raise ValueError(f"x must have {d} features. Got {row.shape[1]} instead.")
        if not np.isfinite(row).all():
            raise ValueError("x must be finite. Got NaN or infinity instead.")
        if new:
            self._store.widen(row.shape[1])
            self.feature_names_in_ = np.array([*names, *new], dtype=object)
            self.n_features_in_ = row.shape[1]
        return row

    def _start(self, n_features, signs=None):
        gamma = 1.0 / max(n_features, 1) if self.gamma == "auto" else self.gamma
        if self.kernel == "precomputed":
            self._store = PrecomputedStore(n_features, self.max_support_vectors)
        elif callable(self.kernel):
            self._store = CallableStore(self.kernel, self.max_support_vectors)
        else:
            self._store = SupportStore(
                self.kernel, gamma, self.coef0, self.degree, n_features, self.max_support_vectors
            )
        self._mistakes = np.zeros(2, np.int64)

    def _learn(self, X, y, costs, order=None):
        """Learn some examples and return their scores before.

        `order` has the example that each row is, for a precomputed kernel; None: the stream's.
        """
        self._own()
        theta, scores = None, np.zeros(len(y))
        for start, stop, batch in self._store.batches(X, order):
            if theta is None:  # not before the store has accepted the rows
                theta = self._margins(y, costs)
            part = slice(start, stop)
            self._pass(self._store, batch, y[part], theta[part], scores[part])
            self._store.settle()
        wrong = y * scores <= 0
        self._mistakes += [np.count_nonzero(wrong & (y < 0)), np.count_nonzero(wrong & (y > 0))]
        return scores

    def _own(self):
        """Make what learning changes writable, after a model was loaded as a read-only map."""
        if self._store.counts.flags.writeable:
            return
        self._store.own()
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, np.array(value))
