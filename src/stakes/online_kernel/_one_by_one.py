"""One example at a time, as an array, a sparse row or a dict."""

from math import inf

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import canonical, unchanged_if_it_fails
from stakes._core.intake import LARGEST, checked_sparse
from stakes._core.jit.prequential import calibrate_step, calibrated
from stakes._core.labels import check_same_classes, stream_classes
from stakes._core.locks import lock_of
from stakes._core.words import shown
from stakes.online_kernel._docs import documented
from stakes.online_kernel._file_state import KERNELS
from stakes.online_kernel._settings import settle_gamma

FLOAT64, LARGEST_SQUARE = np.dtype(np.float64), LARGEST * LARGEST
LOOKUP = ("_columns", "_name_room")  # follow from the names, so they are not saved


@documented
class OneByOne:
    """Methods for a single example; the caller is a `KernelOnline`."""

    def learn_one(self, x, y, *, classes=None, sample_weight=None):
        """Learn one example.

        Parameters
        ----------
        [one_labeled]
        sample_weight : float, default=None
            How much the example counts, see `partial_fit`; None: one.

        Returns
        -------
        self
        """
        return self._learn_one(x, y, classes, 1.0, 1.0, sample_weight)

    def predict_one(self, x, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Decide for one example; see `predict`.

        Parameters
        ----------
        [one]
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            Costs of the four outcomes in this call, for the decision of least expected cost; all
            None: by the sign of `decision_function_one`.

        Returns
        -------
        label
        """
        given = (fp_cost, fn_cost, tp_cost, tn_cost)
        if all(cost is None for cost in given):
            positive = self.decision_function_one(x) > 0
            return self._labels[int(positive)]
        p = self._probability_of(x)
        return self._labels[int(self._costs_of(1, *given).decide([p])[0])]

    def decision_function_one(self, x):
        """Score one example, see `decision_function`.

        Parameters
        ----------
        [one]

        Returns
        -------
        float
        """
        score = self._score_one(x)  # first: it reports a model that is not fitted
        return calibrated(self._calibration, score) if self._log_odds else score

    def predict_proba_one(self, x):
        """Probability of each class for one example, as a dict from label to probability.

        Parameters
        ----------
        [one]

        Returns
        -------
        dict of label -> float
        """
        p = self._probability_of(x)
        negative, positive = self._labels
        return {negative: 1.0 - p, positive: p}

    def _learn_one(self, x, y, classes, fp, fn, sample_weight):
        """Learn x at the regrets `fp` and `fn` of the two mistakes."""
        with lock_of(self):
            return self._learn_alone(x, y, classes, fp, fn, sample_weight)

    def _learn_alone(self, x, y, classes, fp, fn, sample_weight):
        if not hasattr(self, "_store"):
            with unchanged_if_it_fails(self):
                self._start_with(x, classes)
                return self._learn_one(x, y, None, fp, fn, sample_weight)
        if classes is not None:
            check_same_classes(classes, self._labels)
        negative, positive = self._labels
        if y == positive:
            sign = 1.0
        elif y == negative:
            sign = -1.0
        else:
            raise ValueError(
                f"y must be one of {shown(list(self._labels))}. Got {shown(y)} instead; other "
                "labels are given by classes= with the first example."
            )
        if self._settings() != self._started_with:
            self._check_settings()
        if sample_weight is not None:
            if not 0.0 <= sample_weight * max(fp, fn) < inf:
                raise ValueError(
                    "sample_weight must not be negative, NaN or infinite. Got "
                    f"{shown(sample_weight)}."
                )
            fp, fn = fp * sample_weight, fn * sample_weight
        store = self._store
        if not store.support.counts.flags.writeable:
            self._own()
        row = self._read_one(x, grow=True)  # last of what may raise: it may bring new features
        if "_entries" in vars(self) and (fn if sign > 0.0 else fp) > 0.0:
            settle_gamma(self, store, len(x))
        batch = store.batch_of_one(row)
        score = self._row(store, batch, sign, self._margin_of(sign, fp, fn))
        store.settle()
        if sign * score <= 0.0:
            self._mistakes[int(sign > 0.0)] += 1
        if (fn if sign > 0.0 else fp) > 0.0:
            calibrate_step(self._calibration, score, sign)
        return self

    def _own(self):
        """Make what learning changes writable, after a model was loaded as a read-only map."""
        if self._store.support.counts.flags.writeable:
            return
        self._store.own()
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, np.array(value))

    def _start_with(self, x, classes):
        self._validate_params()
        self.classes_ = stream_classes((0, 1) if classes is None else classes)
        named = isinstance(x, dict)
        if named:  # other names may follow, but for those of a Gram matrix
            names = list(x) if self.kernel == "precomputed" else []
            self.feature_names_in_ = np.array(names, dtype=object)
            self.n_features_in_ = len(names)
        else:
            self.n_features_in_ = x.shape[-1] if sparse.issparse(x) else len(x)
        self._start(self.n_features_in_)
        if named and self.gamma == "auto" and self.kernel in KERNELS:
            self._entries = np.zeros(2, np.int64)

    def _probability_of(self, x):
        score = self._score_one(x)
        return float(expit(calibrated(self._calibration, score)))

    def _score_one(self, x):
        if not hasattr(self, "_store"):
            check_is_fitted(self)
        with lock_of(self):
            store = self._store
            if not store.support.counts.flags.writeable:
                self._own()
            return store.score_one(self._read_one(x, grow=False))

    def _read_one(self, x, grow):
        """An example as a float array, or as the places and values of its nonzeros."""
        if (
            type(x) is np.ndarray
            and x.dtype is FLOAT64
            and x.shape == (self.n_features_in_,)
            and x.flags.carray
            and x.dot(x) <= LARGEST_SQUARE
        ):
            return x
        if isinstance(x, dict):
            return self._read_dict(x, grow)
        if sparse.issparse(x):
            x = checked_sparse(x) if x.ndim == 2 else x
            row = canonical(sparse.csr_array(x)) if x.ndim == 2 else sparse.csr_array(x[None])
            self._check_size(row.shape)
            self._check_finite(row.data)
            return row.indices.astype(np.int64), row.data.astype(np.float64)
        x = np.array(x, dtype=np.float64)
        self._check_size(x.shape)
        self._check_finite(x.ravel())
        return x.ravel()

    def _read_dict(self, x, grow):
        columns = self._name_columns()
        values = {name: float(value) for name, value in x.items()}  # all, before any change
        places = sorted((columns[name], v) for name, v in values.items() if name in columns)
        new = [name for name in values if name not in columns] if grow else []
        d = self.n_features_in_
        index = np.array([j for j, _ in places] + list(range(d, d + len(new))), dtype=np.int64)
        values = np.array([v for _, v in places] + [values[name] for name in new])
        self._check_finite(values)
        if new:
            self._add_names(new)
        return index, values

    def _name_columns(self):
        """Column of each name."""
        if "_columns" not in vars(self):
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise ValueError("x is a dict, but the features have no names; give an array.")
            self._columns = {name: j for j, name in enumerate(names)}
        return self._columns

    def _add_names(self, new):
        d, names = self.n_features_in_, self.feature_names_in_
        self._store.widen(d + len(new))  # may raise
        room = vars(self).get("_name_room")
        if room is None or len(room) < d + len(new):
            room = self._name_room = np.empty(2 * (d + len(new)), dtype=object)
            room[:d] = names
        room[d : d + len(new)] = new
        self.feature_names_in_ = room[: d + len(new)]
        self.n_features_in_ = d + len(new)
        self._columns.update({name: d + j for j, name in enumerate(new)})

    def _check_size(self, shape):
        d = self.n_features_in_
        if shape not in ((d,), (1, d)):
            raise ValueError(f"x must have {d} features. Got shape {shape} instead.")

    def _check_finite(self, values):
        if not values @ values <= LARGEST_SQUARE:
            raise ValueError(
                "x must be finite, and its squares as well. Got NaN, infinity or a huge number "
                "instead; scale the features."
            )
