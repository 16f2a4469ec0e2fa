"""One example at a time, as an array or as a dict."""

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import canonical, unchanged_if_it_fails
from stakes._core.intake import LARGEST, SMALLEST, checked_sparse
from stakes._core.labels import check_same_classes
from stakes._core.row_hash import hash_name
from stakes._core.words import shown
from stakes.costs import COST_NAMES
from stakes.online_forest._docs import documented
from stakes.online_forest._walk_jit import usable

ONE = np.ones(1)
FLOAT64 = np.dtype(np.float64)
CONTIGUOUS = (8,)  # strides of a contiguous float64 vector


@documented
class OneByOne:
    """`learn_one`, `predict_one` and `predict_proba_one` for a `StreamLearner`."""

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
        costs = fp_cost, fn_cost, tp_cost, tn_cost
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
        self._check_started()
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        if len(self.classes_) > 2:
            self._refuse_costs(costs)
            return self.classes_[np.argmax(self._scores(self._checked(self._row_of(x))))].item()
        score = self._score_one(self._row_of(x))
        if all(cost is None for cost in costs.values()):
            return self.classes_[int(score + self._shift() > 0)].item()
        acts = self._costs_of(1, **costs).decide(expit(np.array([score])))
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
        self._check_started()
        labels = self.classes_.tolist()
        if len(labels) == 2:
            p = float(expit(self._score_one(self._row_of(x))))
            return {labels[0]: 1.0 - p, labels[1]: p}
        p = self._probabilities(self._scores(self._checked(self._row_of(x))))[0]
        return dict(zip(labels, p.tolist(), strict=True))

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

    def _check_started(self):
        if not hasattr(self, "_started_with"):  # a hundredth of the time of check_is_fitted
            check_is_fitted(self)

    def _learn_row(self, x, y, sample_weight, costs):
        labels = self.classes_.tolist()
        try:
            index = labels.index(y)
        except ValueError:
            raise ValueError(
                f"y must be one of {labels}. Got {shown(y)} instead; pass other labels "
                "as classes= with the first example."
            ) from None
        weight = 1.0
        if sample_weight is not None:
            if not 0.0 <= sample_weight <= LARGEST:
                raise ValueError(
                    f"sample_weight must be from 0 to {LARGEST:g}. Got {shown(sample_weight)} "
                    "instead."
                )
            weight = float(sample_weight)
        if len(labels) > 2:
            self._refuse_costs(dict(zip(COST_NAMES, costs, strict=True)))
            c_pos = c_neg = 1.0
        else:
            c_pos, c_neg = self._regrets_of_one(*costs)
        self._learn_one(self._row_of(x, grow=True), index, c_pos, c_neg, weight)

    def _learn_one(self, row, index, c_pos, c_neg, weight):
        """Learn a table of one row; all others are numbers."""
        self._checked(row)
        self._learn(row, np.array([index]), *(np.array([v]) for v in (c_pos, c_neg, weight)))

    def _score_one(self, row):
        """Score of a table of one row, two classes."""
        return self._scores(self._checked(row))[0, 0]

    def _checked(self, row):
        """Return the row, unless it is infinite, or missing where that is not allowed."""
        if not usable(row[0], self._allow_nan):
            missing = "" if self._allow_nan else "NaN or "
            raise ValueError(f"x must be finite. Got {missing}infinity instead.")
        return row

    def _regrets_of_one(self, fp, fn, tp, tn):
        """Both regrets of one event; as `Costs.of` does, in plain Python."""
        c_pos = float(self.fn_cost if fn is None else fn) - (self.tp_cost if tp is None else tp)
        c_neg = float(self.fp_cost if fp is None else fp) - (self.tn_cost if tn is None else tn)
        if not (SMALLEST <= c_pos <= LARGEST and SMALLEST <= c_neg <= LARGEST):
            # raises, naming the cost, unless it is zero
            one = self._costs_of(1, fp_cost=fp, fn_cost=fn, tp_cost=tp, tn_cost=tn)
            return float(one.positive_regret[0]), float(one.negative_regret[0])
        return float(c_pos), float(c_neg)

    def _row_of(self, x, grow=False):
        """One example as a table of one row, not checked for infinity."""
        d = self.n_features_in_
        if type(x) is np.ndarray and x.dtype is FLOAT64 and x.strides == CONTIGUOUS:
            row = (x if x.flags.writeable else x.copy())[None]
        elif isinstance(x, dict):
            row = self._named_row(x, grow)
        elif sparse.issparse(x):
            row = canonical(sparse.csr_array(checked_sparse(x), dtype=np.float64)).toarray()
        else:
            row = np.array(x, dtype=np.float64, ndmin=2)
        if row.shape != (1, d):
            raise ValueError(f"x must have {d} features. Got shape {row.shape} instead.")
        return row

    def _named_row(self, x, grow):
        row = np.zeros((1, self.n_features_in_))
        if not self._is_named:
            if not hasattr(self, "feature_names_in_"):
                raise ValueError("x is a dict, but the features have no names; give an array.")
            row[0] = [x.get(name, 0.0) for name in self.feature_names_in_]
            return row
        x = {str(name): float(value) for name, value in x.items()}  # all, before any change
        n, shared = self.n_features_in_, self.n_features_in_ - self.n_features_in_ // 2
        for name, value in x.items():
            at = self._columns.get(name)
            if at is None and grow and len(self._columns) < n:
                at = self._columns[name] = len(self._columns)
            if at is not None:
                row[0, at] += value
            elif len(self._columns) == n:  # full: the second half, as the first names matter most
                at, sign = hash_name(name, shared)
                row[0, n - shared + at] += sign * value
        return row
