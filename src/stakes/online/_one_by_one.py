"""One example at a time, as an array or as a dict."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from stakes._core.docs import documented
from stakes._core.intake import LARGEST
from stakes._core.labels import check_same_classes, stream_classes
from stakes._core.locks import lock_of
from stakes._core.words import shown
from stakes.online._growing import Growing
from stakes.online._state import BIAS, N_NOT_FINITE

FLOAT64 = np.dtype(np.float64)
ndarray = np.ndarray
NOT_SQUARABLE = "x must be finite, and so must its squares; it contains NaN, infinity or larger."
NO_VALUES = np.empty(0)
MOST_RECENT = 1024  # sets of names whose columns are remembered
CONTIGUOUS = (8,)  # strides of a contiguous float64 vector


ONE = {
    "one": """\
x : ndarray of shape (d,) or dict of str -> float
    Example; a float64 array is fastest. Features that a dict does not name are zero.
""",
    "one_costs": """\
fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
    Costs of the four outcomes; None: the constructor's.
""",
}


@documented(ONE)
class OneByOne(Growing):
    """`learn_one` and `predict_one` for a learner with `_learn_row`."""

    _intercept_changed = False

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
        [one]
            New names become new features.
        y : label
            One of the two classes.
        classes : sequence of two labels, default=None
            Both labels; required with the first example unless they are 0 and 1.
        sample_weight : float, default=None
            Factor on the costs; None: one.
        [one_costs]

        Returns
        -------
        self
        """
        try:
            negative, positive = self._labels
        except AttributeError:
            given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
            try:
                self._start_with(x, classes)
                return self.learn_one(x, y, sample_weight=sample_weight, **given)
            except BaseException:
                self._unstart()
                raise
        if self._intercept_changed:
            self._check_intercept()
        if classes is not None:
            check_same_classes(classes, self._labels)
        if y == positive:
            sign = 1.0
        elif y == negative:
            sign = -1.0
        else:
            raise ValueError(
                f"y must be {shown(negative)} or {shown(positive)}. Got {shown(y)} instead; pass "
                "other labels as classes= with the first example."
            )
        # as Costs.of would, in plain Python: a line takes 0.05 of the one microsecond of a call
        c_pos = self.fn_cost if fn_cost is None else fn_cost
        if type(c_pos) is not float:
            c_pos = float(c_pos)
        c_neg = self.fp_cost if fp_cost is None else fp_cost
        if type(c_neg) is not float:
            c_neg = float(c_neg)
        c_pos -= self.tp_cost if tp_cost is None else tp_cost
        c_neg -= self.tn_cost if tn_cost is None else tn_cost
        if not (0.0 <= c_pos <= LARGEST and 0.0 <= c_neg <= LARGEST):
            self._costs_of(1, fp_cost, fn_cost, tp_cost, tn_cost)  # raises, naming the cost
        if sample_weight is not None:
            if not 0.0 <= sample_weight <= LARGEST:
                raise ValueError(
                    f"sample_weight must be from 0 to {LARGEST:g}. Got {shown(sample_weight)} "
                    "instead."
                )
            c_pos, c_neg = weighted(c_pos, sample_weight), weighted(c_neg, sample_weight)
        if (
            type(x) is ndarray
            and x.dtype is FLOAT64
            and x.strides == CONTIGUOUS
            and len(x) == self.n_features_in_
            and not self._spare
            and x.flags.writeable
        ):
            score = self._learn_row((x,), sign, c_pos, c_neg)
        elif isinstance(x, dict):
            score = self._learn_row(self._sparse_of(x, grow=True), sign, c_pos, c_neg)
        else:
            score = self._learn_row((self._row_of(x),), sign, c_pos, c_neg)
        if score != score:
            self._knows[N_NOT_FINITE] = 0.0
            raise ValueError(NOT_SQUARABLE)
        return self

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        [one]
            Unknown names are ignored.
        [one_costs]
            None for all: by the sign of the score.

        Returns
        -------
        label
        """
        score = self._score_one(x)
        if fp_cost is None and fn_cost is None and tp_cost is None and tn_cost is None:
            return self._labels[int(score + self._shift() > 0)]
        # as Costs.decide would, in plain Python
        c_pos = float(self.fn_cost if fn_cost is None else fn_cost)
        c_neg = float(self.fp_cost if fp_cost is None else fp_cost)
        c_pos -= self.tp_cost if tp_cost is None else tp_cost
        c_neg -= self.tn_cost if tn_cost is None else tn_cost
        if not (0.0 <= c_pos <= LARGEST and 0.0 <= c_neg <= LARGEST):
            self._costs_of(1, fp_cost, fn_cost, tp_cost, tn_cost)  # raises, naming the cost
        at_stake = c_pos + c_neg
        acts = at_stake > 0.0 and float(self._probability(score)) > c_neg / at_stake
        return self._labels[int(acts)]

    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability."""
        p = float(self._probability(self._score_one(x)))
        negative, positive = self._labels
        return {negative: 1.0 - p, positive: p}

    def predict_proba_rows(self, names, values):
        """Probability of `classes_[1]` for several examples, as `predict_proba_one` gives it.

        Parameters
        ----------
        names : list of tuple of str
            Names of the features of each example, none of them twice.
        values : ndarray of shape (n, k)
            Their values.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        scores = np.array([self._score_named(*row) for row in zip(names, values, strict=True)])
        return self._probability(scores)

    def _score_named(self, names, values):
        known = getattr(self, "_recent", {}).get(names)
        if known is None:
            return self._score_one(dict(zip(names, values.tolist(), strict=True)))
        index, order = known
        return self._checked(self._score_row((index, values if order is None else values[order])))

    def _start_with(self, x, classes):
        """Start a stream with its first example."""
        self._validate_params()
        self.classes_ = stream_classes((0, 1) if classes is None else classes)
        if isinstance(x, dict):
            self.n_features_in_ = 0
            self.feature_names_in_ = np.empty(0, dtype=object)
        else:
            self.n_features_in_ = len(self._row_of(x))
        self._start(self.n_features_in_)

    def _unstart(self):
        """Undo `_start_with`; a copy of vars() made before would slow down every later call."""
        kept = {*self.get_params(deep=False), "_metadata_request"}
        for name in [name for name in vars(self) if name not in kept]:
            delattr(self, name)

    def _note_intercept(self):
        """Note whether `fit_intercept` is not what the stream started with, for `learn_one`."""
        self._intercept_changed = bool(self.fit_intercept) != bool(self._knows[BIAS])

    def _check_intercept(self):
        started = bool(self._knows[BIAS])
        if bool(self.fit_intercept) != started:
            raise ValueError(
                f"This stream started with fit_intercept={started}, which cannot change before the "
                "next fit: set it back, call fit, or start a new model with sklearn.base.clone."
            )

    def _row_of(self, x):
        if sparse.issparse(x):
            raise ValueError("x must be a dict or an array; a sparse row goes to partial_fit.")
        self._trim()
        x = np.ascontiguousarray(x, dtype=np.float64)
        x = x if x.flags.writeable else x.copy()  # loops are compiled for writeable rows
        d = getattr(self, "n_features_in_", len(x))
        if x.ndim != 1 or x.shape[0] != d:
            raise ValueError(f"x must be a row of {d} features. Got shape {x.shape} instead.")
        return x

    def _sparse_of(self, x, grow=False):
        """Columns and values of a dict, sorted by column."""
        try:
            known = self._recent.get(tuple(x))  # many events have the same names
            index, order = self._remember(x) if known is None else known
            values = np.fromiter(x.values(), FLOAT64, len(x))
        except (AttributeError, KeyError, TypeError, ValueError):
            return self._sparse_of_any(x, grow)  # a new name, or a value to be converted
        return index, values if order is None else values[order]

    def _remember(self, x):
        """Columns of the names of a dict, sorted, and the order; None: they are in order."""
        found = np.fromiter(map(self._columns.__getitem__, x), np.int32, len(x))
        order = None if (found[:-1] < found[1:]).all() else np.argsort(found)
        if len(self._recent) >= MOST_RECENT:
            self._recent.clear()
        self._recent[tuple(x)] = found if order is None else found[order], order
        return self._recent[tuple(x)]

    def _read_columns(self):
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError("This model has no feature names, so x must be an array, not a dict.")
        self._columns = {name: j for j, name in enumerate(names)}
        return self._columns

    def _sparse_of_any(self, x, grow):
        with lock_of(self):
            return self._sparse_of_new(x, grow)

    def _sparse_of_new(self, x, grow):
        columns = self._columns if hasattr(self, "_columns") else self._read_columns()
        if not hasattr(self, "_recent"):
            self._recent = {}  # names of recent events -> their columns
        x = {name: float(v) for name, v in x.items()}  # all of them, before any change
        pairs = sorted((columns[name], v) for name, v in x.items() if name in columns)
        index = np.array([j for j, _ in pairs], dtype=np.int32)
        values = np.array([v for _, v in pairs], dtype=np.float64)
        new = [name for name in x if name not in columns] if grow else []
        if not new:
            return index, values
        late = np.array([x[name] for name in new], dtype=np.float64)
        self._refuse_row(index, values, late)
        d = self.n_features_in_
        self._learn_names(new)
        return np.r_[index, np.arange(d, d + len(new), dtype=np.int32)], np.r_[values, late]

    def _learn_names(self, new):
        """Take up features that no event had so far, with the weights of the prior."""
        self._grow(len(new))  # may raise
        d = self.n_features_in_
        self._columns.update({name: d + k for k, name in enumerate(new)})
        self._add_names(new)

    def _refuse_row(self, index, values, late=NO_VALUES):
        """Raise if a row, with values of features that are new, or its squares are not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            v = self._variance(index, values) + self._prior_variance() * (late @ late)
        if not np.isfinite(v):
            raise ValueError(NOT_SQUARABLE)

    def _score_one(self, x):
        try:
            d = self.n_features_in_
            self._labels  # noqa: B018
        except AttributeError:
            check_is_fitted(self)
            raise
        if isinstance(x, dict):
            row = self._sparse_of(x)
        elif (
            type(x) is ndarray
            and x.dtype is FLOAT64
            and x.strides == CONTIGUOUS
            and len(x) == d
            and not self._spare
            and x.flags.writeable
        ):
            row = (x,)
        else:
            row = (self._row_of(x),)
        return self._checked(self._score_row(row))

    def _checked(self, score):
        if score != score:
            self._knows[N_NOT_FINITE] = 0.0
            raise ValueError(NOT_SQUARABLE)
        return score

    def _score_row(self, row):
        """Score of one row: without a cost, the loops learn nothing."""
        return self._step(row, 1.0, 0.0, 0.0, self._knows)


def weighted(cost, weight):
    """Cost times weight, a number or an array; raises if the product overflows."""
    with np.errstate(over="ignore"):
        product = cost * weight
    if not np.isfinite(product).all():
        raise ValueError("sample_weight times the cost of an example overflows.")
    return product
