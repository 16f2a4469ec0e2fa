"""Base of the learners of this folder: streams in, decisions and probabilities out."""

import warnings
from abc import abstractmethod

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from stakes._core.base import ManyClassClassifier, canonical, unchanged_if_it_fails
from stakes._core.deciding import ENOUGH
from stakes._core.intake import check_weights, validate_data
from stakes._core.labels import check_same_classes
from stakes._core.sklearn_private import fit_context
from stakes.costs import COST_NAMES
from stakes.errors import BelowTrivialWarning
from stakes.online_forest._docs import documented
from stakes.online_forest._one_by_one import ONE, OneByOne

BLOCK = 4096  # rows of a sparse matrix that are made dense at a time


@documented
class StreamLearner(OneByOne, ManyClassClassifier):
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
