"""Base of the learners of this folder: streams in, decisions and probabilities out."""

import warnings
from abc import abstractmethod

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import ManyClassClassifier, canonical, unchanged_if_it_fails
from stakes._core.deciding import ENOUGH
from stakes._core.intake import LARGEST, check_weights, checked_sparse, validate_data
from stakes._core.labels import check_same_classes
from stakes._core.sklearn_private import fit_context
from stakes.costs import COST_NAMES
from stakes.errors import BelowTrivialWarning
from stakes.online_forest._docs import documented

ONE = np.ones(1)
BLOCK = 4096  # rows of a sparse matrix that are made dense at a time


@documented
class StreamLearner(ManyClassClassifier):
    """Everything that a user calls; a subclass starts, learns and scores rows.

    A subclass has `_begin(d, n_columns)`, `_learn(X, index, c_pos, c_neg, weight)`, which returns
    the scores before each row was learned, `_scores(X)`, `_check_settings()` and `_book`, which
    returns the number of decisions so far and the money of these, of never and of always acting.
    Scores are calibrated log-odds, (1, n) for two classes and (k, n) for more.
    """

    _accept_sparse = "csr"
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
            Two classes only.

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        with unchanged_if_it_fails(self):
            X, y = self._table(X, y, first=True)
            check_classification_targets(y)
            self._set_classes(y)
            row_costs = self._row_costs(X.shape[0], y, sample_weight, costs)
            if sample_weight is not None and not row_costs[-1].any():
                raise ValueError("All sample weights are zero, so there is nothing to learn.")
            self._start(X.shape[1])
            self._learn_table(X, *row_costs)
        if len(self.classes_) == 2 and self._has_prices(costs):
            self._warn_if_constant_is_cheaper()
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

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        self._stream(X, y, classes, sample_weight, costs)
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

        Returns
        -------
        ndarray of shape (n,) or (n, k)
            Probability of the positive class; of each class if there are more than two.
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        found = self._stream(X, y, classes, sample_weight, costs)
        return expit(found[0]) if len(found) == 1 else _shares(found)

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

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if not hasattr(self, "_started_with"):
            with unchanged_if_it_fails(self):
                self._validate_params()
                self._set_classes((0, 1) if classes is None else classes)
                self._start_with(x)
                self._learn_row(x, y, sample_weight, costs)
            return self
        self._check_settings()
        if classes is not None:
            check_same_classes(classes, self.classes_.tolist())
        self._learn_row(x, y, sample_weight, costs)
        return self

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        [one_costs]

        Returns
        -------
        label
        """
        check_is_fitted(self)
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        scores = self._scores(self._row_of(x))[:, 0]
        if len(scores) > 1:
            self._refuse_costs(costs)
            return self.classes_[np.argmax(scores)].item()
        if all(cost is None for cost in costs.values()):
            return self.classes_[int(scores[0] + self._shift() > 0)].item()
        acts = self._costs_of(1, **costs).decide(expit(scores))
        return self.classes_[int(acts[0])].item()

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
        p = self._probabilities(self._scores(self._row_of(x)))[0]
        return dict(zip(self.classes_.tolist(), p.tolist(), strict=True))

    def decision_function(self, X):
        """Score each row: of two classes, a positive score means the second one.

        With two classes, log-odds plus log(mean fn regret / mean fp regret): the sign is the
        decision of least expected cost at the mean costs of the stream. With more, the log-odds of
        each class against the others.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,) or (n, k)
        """
        scores = self._table_scores(self._validate_X(X))
        return scores[0] + self._shift() if len(scores) == 1 else scores.T

    def predict_proba(self, X):
        """Probability of each class for each row.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n, k)
        """
        return self._probabilities(self._table_scores(self._validate_X(X)))

    @property
    def progressive_regret_(self):
        """Mean regret of the decisions during training and of both constant policies, as a dict."""
        n, *money = self._book()
        names = "learner", "always negative", "always positive"
        return {name: one / n if n else np.nan for name, one in zip(names, money, strict=True)}

    @abstractmethod
    def _begin(self, d, n_columns):
        """Set the state before the first example of d features, `n_columns` of them in use."""

    @abstractmethod
    def _learn(self, X, index, c_pos, c_neg, weight):
        """Learn dense rows; their scores before."""

    @abstractmethod
    def _scores(self, X):
        """Scores of dense rows."""

    @abstractmethod
    def _check_settings(self):
        """Raise if a setting changed that a running stream cannot change; apply the others."""

    @abstractmethod
    def _book(self):
        """Number of decisions before learning, and their regret and that of both constants."""

    @abstractmethod
    def _shift(self):
        """Log of the ratio of the mean regrets."""

    def _start(self, d):
        self._is_named = False
        vars(self).pop("_columns", None)
        self._begin(d, d)

    def _start_with(self, x):
        """Start a stream with its first example."""
        self._is_named = isinstance(x, dict)
        vars(self).pop("_columns", None)
        if self._is_named:
            self._columns = {}
            self.n_features_in_ = self.n_features
        elif np.ndim(x) == 0 or not np.shape(x)[-1]:
            raise ValueError("x must be a dict or an array of at least one feature.")
        else:
            self.n_features_in_ = np.shape(x)[-1]
        self._begin(self.n_features_in_, 0 if self._is_named else self.n_features_in_)

    def _set_classes(self, y):
        self.classes_ = np.unique(np.asarray(y))
        if len(self.classes_) < 2:
            raise ValueError(
                f"A classifier needs at least two classes; there is only one class, "
                f"{self.classes_.tolist()}. Pass all labels as classes=."
            )

    def _table(self, X, y, first):
        X, y = validate_data(
            self,
            X,
            y,
            reset=first,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan" if self._allow_nan else True,
        )
        return canonical(X), column_or_1d(y)

    def _stream(self, X, y, classes, sample_weight, costs):
        first = not hasattr(self, "_started_with")
        with unchanged_if_it_fails(self):
            X, y = self._table(X, y, first)
            if first:
                check_classification_targets(y)
                self._set_classes(y if classes is None else classes)
            else:
                check_same_classes(classes, self.classes_.tolist())
            row_costs = self._row_costs(X.shape[0], y, sample_weight, costs)
            if first:
                self._start(X.shape[1])
            else:
                self._check_settings()
            return self._learn_table(X, *row_costs)

    def _row_costs(self, n, y, sample_weight, costs):
        """Class of each row, both regrets (one for all rows if they are numbers) and weights."""
        index = np.searchsorted(self.classes_, y)
        index[index == len(self.classes_)] = 0
        if not np.array_equal(self.classes_[index], y):
            raise ValueError(f"y contains a label that is not in classes {self.classes_.tolist()}.")
        weight = ONE
        if sample_weight is not None:
            weight = check_weights(
                sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True,
                allow_all_zero_weights=True,
            )  # fmt: skip
        if len(self.classes_) > 2:
            self._refuse_costs(costs)
            return index, ONE, ONE, weight
        one_for_all = max(map(np.ndim, costs.values())) == 0
        found = self._costs_of(1 if one_for_all else n, **costs)
        return index, found.positive_regret, found.negative_regret, weight

    def _learn_table(self, X, index, c_pos, c_neg, weight):
        if not sparse.issparse(X):
            return self._learn(_writeable(X), index, c_pos, c_neg, weight)
        found = []
        for a in range(0, X.shape[0], BLOCK):
            part = slice(a, a + BLOCK)
            per_row = (one[part] if len(one) > 1 else one for one in (c_pos, c_neg, weight))
            found.append(self._learn(X[part].toarray(), index[part], *per_row))
        return np.concatenate(found, axis=1)

    def _table_scores(self, X):
        if not sparse.issparse(X):
            return self._scores(_writeable(X))
        parts = range(0, X.shape[0], BLOCK)
        return np.concatenate([self._scores(X[a : a + BLOCK].toarray()) for a in parts], axis=1)

    def _learn_row(self, x, y, sample_weight, costs):
        found = np.flatnonzero(self.classes_ == y)
        if len(found) != 1:
            raise ValueError(
                f"y must be one of {self.classes_.tolist()}. Got {y!r} instead; pass other labels "
                "as classes= with the first example."
            )
        weight = ONE
        if sample_weight is not None:
            if not 0.0 <= sample_weight <= LARGEST:
                raise ValueError(
                    f"sample_weight must be from 0 to {LARGEST:g}. Got {sample_weight!r} instead."
                )
            weight = np.array([float(sample_weight)])
        if len(self.classes_) > 2:
            self._refuse_costs(costs)
            c_pos = c_neg = ONE
        else:
            one = self._costs_of(1, **costs)
            c_pos, c_neg = one.positive_regret, one.negative_regret
        self._learn(self._row_of(x, grow=True), found, c_pos, c_neg, weight)

    def _row_of(self, x, grow=False):
        """One example as a table of one row."""
        d = self.n_features_in_
        if isinstance(x, dict):
            row = self._named_row(x, grow)
        elif sparse.issparse(x):
            row = canonical(sparse.csr_array(checked_sparse(x), dtype=np.float64)).toarray()
        else:
            row = np.array(x, dtype=np.float64, ndmin=2)
        if row.shape != (1, d):
            raise ValueError(f"x must have {d} features. Got shape {row.shape} instead.")
        if np.isinf(row).any() or not (self._allow_nan or np.isfinite(row).all()):
            missing = "" if self._allow_nan else "NaN or "
            raise ValueError(f"x must be finite. Got {missing}infinity instead.")
        return row

    def _named_row(self, x, grow):
        row = np.zeros((1, self.n_features_in_))
        if not self._is_named:
            if not hasattr(self, "feature_names_in_"):
                raise ValueError("x is a dict, but the features have no names; give an array.")
            row[0] = [x.get(name, 0.0) for name in self.feature_names_in_]
            return row
        x = {str(name): float(value) for name, value in x.items()}  # all, before any change
        for name, value in x.items():
            at = self._columns.get(name)
            if at is None and grow and len(self._columns) < self.n_features_in_:
                at = self._columns[name] = len(self._columns)
            if at is not None:
                row[0, at] = value
        return row

    def _class_scores(self, X):
        return self.decision_function(X)

    def _probabilities(self, scores):
        if len(scores) > 1:
            return _shares(scores)
        p = expit(scores[0])
        return np.column_stack([1.0 - p, p])

    def _warn_if_constant_is_cheaper(self):
        n, own, *constant = self._book()
        if n < ENOUGH or own <= min(constant):
            return
        warnings.warn(
            f"The decisions of {type(self).__name__} during training cost more than always "
            f"{('negative', 'positive')[int(np.argmin(constant))]} (see progressive_regret_): "
            "use more rows, tune it, or choose another learner.",
            BelowTrivialWarning,
            stacklevel=4,
        )


def _shares(scores):
    """Probabilities of one-against-rest scores, (k, n) to (n, k)."""
    p = expit(scores).T
    return p / p.sum(axis=1, keepdims=True)


def _writeable(X):
    return X if X.flags.writeable else X.copy()  # the loops are compiled for writeable arrays
