"""What the kernel online learners share: streams in, a kernel expansion out."""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from stakes._core.base import CostSensitiveClassifier, canonical, unchanged_if_it_fails
from stakes._core.deciding import ENOUGH, warn_below_trivial
from stakes._core.labels import check_same_classes, positive_among, stream_classes
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES, NEUTRAL_COSTS, Costs
from stakes.online_kernel._gram_store import CallableStore, GramStore
from stakes.online_kernel._passes_jit import single_pass
from stakes.online_kernel._store import SupportStore

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions({"linear", "rbf", "poly"}), callable],
    "gamma": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="neither")],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "budget": [Interval(Integral, 2, None, closed="left"), None],
    "n_passes": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
}
POSITIVE = [Interval(Real, 0.0, None, closed="neither")]


class KernelOnline(CostSensitiveClassifier):
    r"""Base of the kernel learners that read one example after the other.

    They keep :math:`f(x) = \sum_{i \in S} \alpha_i k(x_i, x)` over the support vectors S. A learner
    gives `_pass`, one compiled pass over a batch; a learner that takes prices comes with
    `PricedMargins` in front, which gives the margins :math:`\theta_t`.
    """

    _accept_sparse = "csr"
    _parameter_constraints = KERNEL_CONSTRAINTS
    # as published these learners know no prices, so routing must not send them any
    __metadata_request__fit = dict.fromkeys(COST_NAMES, False)
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, False)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from scratch, reading the examples in the given order unless `shuffle`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels, of two classes.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None):
        """Learn on from more examples; n calls with one example equal one call with n.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like of shape (2,), default=None
            Both labels; needed in the first call unless its y has them both.

        Returns
        -------
        self
        """
        self._stream(X, y, classes)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def score_then_learn(self, X, y, classes=None):
        """Do what `partial_fit` does, and tell how each example scored before it was learned.

        Parameters
        ----------
        X, y, classes
            As in `partial_fit`.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` of every row at the moment before it was learned.
        """
        return self._stream(X, y, classes)

    def learn_one(self, x, y, *, classes=None):
        """Learn one example.

        Parameters
        ----------
        x : array-like of shape (d,) or dict of str -> float
            The example. Names that a dict brings for the first time become new features, names
            that it lacks are zero.
        y : label
            One of the two classes; 0 and 1 unless `classes` was given first.
        classes : sequence of two labels, default=None
            Needed before the first example if they are not 0 and 1.

        Returns
        -------
        self
        """
        return self._learn_one(x, y, classes)

    def predict_one(self, x):
        """Decide for one example by the sign of its score.

        Parameters
        ----------
        x : array-like of shape (d,) or dict of str -> float
            The example; names that are not known yet count as zero.

        Returns
        -------
        label
        """
        positive = self.score_one(x) > 0
        return self._labels[positive]

    def score_one(self, x):
        """f(x) of one example; see `predict_one`."""
        check_is_fitted(self)
        self._store.own()
        return float(self._store.scores(self._row_of(x, grow=False))[0])

    def decision_function(self, X):
        """Score each row; above zero means the positive class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.

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
        """Where in the stream the support vectors stood, counted from zero."""
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
        """The constant term of f; zero except in `KernelPAUM`."""
        return self._store.norm[1:].copy()

    @property
    def n_support_(self):
        """How many support vectors there are of each class: (negative, positive)."""
        signs = self._store.y[: len(self._store)]
        return np.array([np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)])

    @property
    def n_seen_(self):
        """How many examples were read, with or without a cost."""
        return int(self._store.counts[2])

    @property
    def n_updates_(self):
        """How many examples changed f."""
        return int(self._store.counts[3])

    @property
    def n_mistakes_(self):
        """Examples with y f(x) <= 0 before they were learned: (negative, positive)."""
        return self._mistakes.copy()

    @property
    def _labels(self):
        return tuple(self.classes_.tolist())

    @abstractmethod
    def _pass(self, store, batch, y, theta, scores):
        """Learn one batch, writing each example's score before it was learned."""

    def _margins(self, y, costs):
        """theta_t of each example; one for learners without prices."""
        return np.ones(len(y))

    def _fit(self, X, y, *given):
        with unchanged_if_it_fails(self):
            X, signs = self._validate_Xy(X, y)
            costs = self._costs_of(len(signs), *given)
            self._start(X.shape[1], signs)
            rng = check_random_state(self.random_state) if self.shuffle else None
            read = X, signs, costs
            for _ in range(self.n_passes):
                if rng is not None:
                    order = rng.permutation(len(signs))
                    read = X[order], signs[order], costs[order]
                scores = self._learn(*read)
        if given and self._has_prices(dict(zip(COST_NAMES, given, strict=True))):
            self._compare_stream_with_trivial(scores, *read[1:])
        return self

    def _compare_stream_with_trivial(self, scores, signs, costs):
        """Warn if the decisions before learning, in the last pass, were worth nothing."""
        if len(signs) < ENOUGH:
            return
        decided = costs.decide(expit(scores)) if hasattr(self, "predict_proba") else scores > 0
        warn_below_trivial(
            self,
            costs,
            signs > 0,
            decided,
            np.ones(len(signs)),
            where="the stream while it learnt",
            stacklevel=5,
        )

    def _stream(self, X, y, classes, *costs):
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
            costs = self._costs_of(len(y), *costs)
            if first:
                self._start(X.shape[1])
            return self._learn(canonical(X), np.where(positive, 1.0, -1.0), costs)

    def _learn_one(self, x, y, classes, *costs):
        if not hasattr(self, "_store"):
            with unchanged_if_it_fails(self):
                self._validate_params()
                self.classes_ = stream_classes((0, 1) if classes is None else classes)
                self.n_features_in_ = len(x)
                if isinstance(x, dict):
                    self.feature_names_in_ = np.array(list(x), dtype=object)
                self._start(self.n_features_in_)
                return self._learn_one(x, y, None, *costs)
        check_same_classes(classes, self._labels)
        if y not in self._labels:
            raise ValueError(
                f"y must be one of {list(self._labels)}. Got {y!r} instead; other labels are "
                "given by classes= with the first example."
            )
        row = self._row_of(x, grow=True)
        sign = np.array([1.0 if y == self._labels[1] else -1.0])
        self._learn(row, sign, self._one_price(costs))
        return self

    def _one_price(self, costs):
        """The costs of one example, checked the short way where they are plain and right."""
        own = (getattr(self, name, default) for name, default in NEUTRAL_COSTS.items())
        given = costs or (None,) * 4
        fp, fn, tp, tn = (
            mine if now is None else now for now, mine in zip(given, own, strict=True)
        )
        try:
            plain = 0.0 <= fp - tn < np.inf and 0.0 <= fn - tp < np.inf
        except (TypeError, ValueError):
            plain = False
        if not plain or np.ndim(fp - tn + fn - tp):
            return self._costs_of(1, *costs)
        return Costs(*(np.array([float(price)]) for price in (fp, fn, tp, tn)))

    def _row_of(self, x, grow):
        """One example as a table of one row; a dict may bring new features."""
        if isinstance(x, dict):
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise ValueError("x is a dict, but the features have no names; give an array.")
            known = set(names)
            new = [name for name in x if name not in known]
            if new and grow:
                self.feature_names_in_ = names = np.array([*names, *new], dtype=object)
                self.n_features_in_ = len(names)
                self._store.widen(len(names))
            x = [x.get(name, 0.0) for name in names]
        row = np.asarray(x, dtype=np.float64).reshape(1, -1)
        if row.shape[1] != self.n_features_in_:
            raise ValueError(
                f"x must have {self.n_features_in_} features. Got {row.shape[1]} instead."
            )
        if not np.isfinite(row).all():
            raise ValueError("x must be finite; it has NaN or infinity.")
        return row

    def _start(self, n_features, signs=None):
        gamma = 1.0 / max(n_features, 1) if self.gamma == "auto" else self.gamma
        if callable(self.kernel):
            self._store = CallableStore(self.kernel, self.budget)
        else:
            self._store = SupportStore(
                self.kernel, gamma, self.coef0, self.degree, n_features, self.budget
            )
        self._mistakes = np.zeros(2, np.int64)

    def _learn(self, X, y, costs):
        self._own()
        theta = self._margins(y, costs)
        scores = np.zeros(len(y))
        for start, stop, batch in self._store.batches(X):
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

    def _learn_gram(self, gram, y, order):
        """Learn the rows `order` of a given Gram matrix; return their scores before learning."""
        self.classes_ = np.array([0, 1])
        self._start(1, y)
        self._store = GramStore(gram, self.budget)
        return self._learn(np.asarray(order)[:, None], y[order], self._costs_of(len(order)))


class SingleUpdate(KernelOnline):
    """Base of the learners that add at most one vector a step and move no other."""

    _rule_code = None

    def _pass(self, store, batch, y, theta, scores):
        single_pass(
            store.support,
            store.pairs,
            batch,
            y,
            theta,
            self._rule_code,
            np.asarray(self._rule_numbers(), dtype=np.float64),
            store.alpha,
            store.y,
            store.f,
            store.theta,
            store.index,
            store.counts,
            store.norm,
            store.budget,
            scores,
        )

    def _rule_numbers(self):
        """The rule's own parameters, for the compiled loop."""
        return np.zeros(1)
