"""Kernel streams of fixed size: features of a Gaussian kernel under a linear online learner."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import (
    COST_CONSTRAINTS,
    CostSensitiveClassifier,
    LearnerInfo,
    canonical,
    unchanged_if_it_fails,
)
from stakes._core.intake import LARGEST, checked_sparse, validate_data
from stakes._core.learners import find_learner
from stakes._core.locks import lock_of
from stakes._core.parallel import N_JOBS
from stakes._core.sklearn_private import HasMethods, Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES
from stakes.online_kernel._docs import documented
from stakes.online_kernel._features import MAPS, by_parts, hashed_row, named_row
from stakes.online_kernel._features_state import FILE_STATE, check_file_state
from stakes.online_kernel._settings import check_unchanged, first_gamma, settle_gamma


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KernelFeaturesClassifier(CostSensitiveClassifier):
    r"""A linear online learner on a fixed number of features of a Gaussian kernel.

    Each example becomes :math:`\phi(x)` with
    :math:`\phi(x)^\top\phi(z) \approx e^{-\gamma|x - z|^2}`, next to x itself, and a learner of
    :mod:`stakes.online` does the rest: curved boundaries with calibrated probabilities and the
    decision of least expected cost, in memory and time per event that never grow.

    Parameters
    ----------
    estimator : str or estimator, default="probit"
        A learner of :mod:`stakes.online` or its name. Its costs are set to those of this learner.
    features : {"fourier", "nystroem"}, default="fourier"
        "fourier": orthogonal random Fourier features, ``O(n_components * d)`` per event.
        "nystroem": coordinates in the span of examples that are chosen as they come,
        ``O(n_components^2)`` more.
    n_components : int, default=256
        Number of features of the kernel; Fourier features come in pairs.
    gamma : float, "auto" or "scale", default="auto"
        :math:`\gamma`, as in `KernelPAClassifier`.
    passthrough : bool, default=True
        Whether the learner sees x as well, so that what is linear need not be approximated.
    n_features : int, default=4096
        Number of columns that the names of a stream of dicts are hashed to, so that new names take
        no memory. Not used for arrays and tables.
    random_state : int, RandomState or None, default=None
        Seed of the Fourier features.
    n_jobs : int or None, default=None
        Number of threads that score many rows; -1: one per core. Learning is sequential.
    [costs]

    Attributes
    ----------
    estimator_ : estimator
        The fitted learner.
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive class.
    [seen]

    Notes
    -----
    Standardize the features, as `stakes stream` does: the kernel treats all of them alike.

    References
    ----------
    .. [1] F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar. "Orthogonal random
       features". NIPS 2016.
    .. [2] Y. Engel, S. Mannor, R. Meir. "The kernel recursive least-squares algorithm". IEEE
       Transactions on Signal Processing 52, 2004. (The choice of landmarks.)

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.online_kernel import KernelFeaturesClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = (np.abs(X).sum(axis=1) + 0.3 * rng.normal(size=2000) > 2.5).astype(int)
    >>> model = KernelFeaturesClassifier(random_state=0).fit(X, y)
    >>> model.predict([[0.0, 0.1], [-2.0, 2.0], [2.0, -2.0]])
    array([0, 1, 1])
    """

    estimator: str | BaseEstimator = "probit"
    features: str = "fourier"
    n_components: int = 256
    gamma: float | str = "auto"
    passthrough: bool = True
    n_features: int = 4096
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _info = LearnerInfo(family="online_kernel", grid={"gamma": [0.01, 0.1, 1.0]})
    _accept_sparse = "csr"
    _parameter_constraints = {
        **COST_CONSTRAINTS,
        "estimator": [str, HasMethods(["learn_one", "partial_fit"])],
        "features": [StrOptions(set(MAPS))],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "gamma": [StrOptions({"auto", "scale"}), Interval(Real, 0.0, None, closed="neither")],
        "passthrough": ["boolean"],
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": N_JOBS,
    }
    _file_state = FILE_STATE
    _check_file_state = staticmethod(check_file_state)
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, True)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn from scratch, reading the examples in the given order.

        Parameters
        ----------
        [labeled]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        with unchanged_if_it_fails(self):
            X, signs = self._validate_Xy(X, y)
            self._start(X.shape[1], X)
            y = self.classes_[(signs > 0).astype(np.intp)]
            teaches = self._teaches(signs > 0, sample_weight, costs)
            self.estimator_.fit(self._features_of(X, teaches), y, sample_weight, **costs)
        self._remember_costs(costs)
        return self

    @fit_context(prefer_skip_nested_validation=False)
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
        """Learn from more examples; one call with n equals n calls with one.

        Parameters
        ----------
        [stream]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        self._stream("partial_fit", X, y, classes, sample_weight, costs)
        return self

    @fit_context(prefer_skip_nested_validation=False)
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
        [stream]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        ndarray of shape (n,)
            Probability of the positive class.
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self._stream("predict_proba_then_learn", X, y, classes, sample_weight, costs)

    def learn_one(
        self,
        x,
        y,
        *,
        classes=None,
        sample_weight=None,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Learn one example.

        Parameters
        ----------
        [one_labeled]
        [one_costs]

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        with lock_of(self) if hasattr(self, "_map") else unchanged_if_it_fails(self):
            first = not hasattr(self, "_map")
            if first:
                self._validate_params()
                self._start_with(x)
            elif self._settings() != self._started_with:
                self._check_settings()
            z = self._one(x, teaches=lambda: self._teaches_one(y, classes, sample_weight, costs))
            self.estimator_.learn_one(z, y, classes=classes, sample_weight=sample_weight, **costs)
            if first:
                self.classes_ = self.estimator_.classes_
        return self

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        [one]
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            Costs of the four outcomes in this call; all None: by the sign of the score.

        Returns
        -------
        label
        """
        check_is_fitted(self)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self.estimator_.predict_one(self._one(x), **costs)

    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability.

        Parameters
        ----------
        [one]

        Returns
        -------
        dict of label -> float
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba_one(self._one(x))

    def decision_function(self, X):
        """Score each row, as the learner does; above zero means the positive class."""
        return self._scored("decision_function", X)

    def predict_proba(self, X):
        """Probability of both classes for each row, the positive one in column 1.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n, 2)
        """
        return self._scored("predict_proba", X)

    def _scored(self, method, X):
        """What a method of the learner says of many rows, whose features are never all there."""
        X, score = self._validate_X(X), getattr(self.estimator_, method)
        return by_parts(lambda rows: score(self._features_of(rows)), X, self.n_jobs)

    def _stream(self, method, X, y, classes, sample_weight, costs):
        with unchanged_if_it_fails(self):
            first = not hasattr(self, "_map")
            X, y = validate_data(
                self, X, y, reset=first, accept_sparse="csr", dtype=np.float64, order="C"
            )
            X = canonical(X)
            if first:
                self._start(X.shape[1], X)
            else:
                self._check_settings()
            labels = self.classes_ if not first else np.unique(y if classes is None else classes)
            teaches = self._teaches(y == labels[-1], sample_weight, costs)
            learn = getattr(self.estimator_, method)
            found = learn(self._features_of(X, teaches), y, classes, sample_weight, **costs)
            self.classes_ = self.estimator_.classes_
        return found

    def _start(self, n_features, X=None):
        estimator = self.estimator
        if isinstance(estimator, str):
            estimator = find_learner(estimator, "learn_one")()
        costs = {name: getattr(self, name) for name in COST_NAMES}
        self.estimator_ = clone(estimator).set_params(**costs)
        rng = check_random_state(self.random_state)
        gamma = first_gamma(self.gamma, n_features, X)
        self._map = MAPS[self.features](n_features, self.n_components, gamma, rng)
        self._started_with = self._settings()
        self._hashed = False
        vars(self).pop("_entries", None)

    def _start_with(self, x):
        """Start a stream with its first example."""
        named = isinstance(x, dict)
        if not named and (np.ndim(x) == 0 or not np.shape(x)[-1]):
            raise ValueError("x must be a dict, an array or a sparse row of at least one feature.")
        self.n_features_in_ = self.n_features if named else np.shape(x)[-1]
        self._start(self.n_features_in_)
        self._hashed = named
        if named and self.gamma == "auto":
            self._entries = np.zeros(2, np.int64)

    def _teaches(self, positive, sample_weight, costs):
        """Which examples have a mistake that costs anything: the others change nothing."""
        regret = self._costs_of(len(positive), **costs).regret(positive)
        weight = np.asarray(1.0 if sample_weight is None else sample_weight)
        if weight.shape not in ((), positive.shape):
            raise ValueError(f"sample_weight has shape {weight.shape}; X has {len(positive)} rows.")
        return (regret > 0) & (weight > 0)

    def _teaches_one(self, y, classes, sample_weight, costs):
        labels = getattr(self, "classes_", (0, 1) if classes is None else np.unique(classes))
        return self._teaches(np.array([y == labels[1]]), sample_weight, costs)

    def _features_of(self, X, teaches=None):
        d, c = self.n_features_in_, self._map.n_components
        Z = np.empty((X.shape[0], c + d if self.passthrough else c))
        self._map.rows(X, Z[:, :c], teaches)
        if self.passthrough:
            Z[:, c:] = X.toarray() if sparse.issparse(X) else X
        return Z

    def _one(self, x, teaches=None):
        """Features of one example; `teaches`: a function that says whether it costs anything."""
        if isinstance(x, dict):
            if teaches is not None and "_entries" in vars(self):
                settle_gamma(self, self._map, len(x))
            row = self._row_of(x)
        elif sparse.issparse(x):
            row = canonical(sparse.csr_array(checked_sparse(x), dtype=np.float64))
        else:
            row = np.array(x, dtype=np.float64, ndmin=2)
        if row.shape != (1, d := self.n_features_in_):
            raise ValueError(f"x must have {d} features. Got shape {row.shape} instead.")
        values = row.data if sparse.issparse(row) else row[0]
        if not values @ values <= LARGEST * LARGEST:
            raise ValueError(
                "x must be finite, and its squares as well. Got NaN, infinity or a huge number "
                "instead; scale the features."
            )
        if teaches is not None:
            teaches = teaches() if self.features == "nystroem" else np.ones(1, bool)
        return self._features_of(row, teaches)[0]

    def _scoring_parts(self):
        """The directions of waves, or the landmarks, for the export of a model."""
        return self.features, self._map.scoring_parts()

    def _row_of(self, x):
        """A dict as a row: by its names, or hashed if the stream began with a dict."""
        if self._hashed:
            return hashed_row(x, self.n_features_in_)
        if not hasattr(self, "feature_names_in_"):
            raise ValueError("x is a dict, but the features have no names; give an array.")
        return named_row(x, self.feature_names_in_)

    def _settings(self):
        return self.features, self.n_components, self.gamma, self.passthrough, self.n_features

    def _check_settings(self):
        names = "features", "n_components", "gamma", "passthrough", "n_features"
        check_unchanged(names, self._started_with, self._settings())
