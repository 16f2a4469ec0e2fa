"""Standardization of measurements together with their uncertainty."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stakes._core.docs import documented
from stakes._core.intake import validate_data
from stakes._core.stored.spec import FEATURES, Array
from stakes.uncertain._frames import as_arrays
from stakes.uncertain._information import NAMES

_PLACES = ("lower", "upper", "mean_lower", "mean_upper", "replicates")


@documented()
class UncertainScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Scale features to mean 0 and standard deviation 1, and their uncertainty with them.

    .. math:: x \mapsto \frac{x - m}{s}, \qquad \text{var} \mapsto \frac{\text{var}}{s^2}, \qquad
              \text{cov} \mapsto \frac{\text{cov}_{jk}}{s_j s_k} ,

    where m and s are the mean and standard deviation of the training means. A maximum margin
    depends on the units of the features; the certificates of a given hyperplane do not.

    Attributes
    ----------
    mean_, scale_ : ndarray of shape (d,)
        m and s; a constant feature keeps its scale.
    [seen]

    Examples
    --------
    >>> X = np.array([[0.0, 10.0], [2.0, 30.0]])
    >>> scaler = UncertainScaler().fit(X)
    >>> scaler.transform(X)
    array([[-1., -1.],
           [ 1.,  1.]])
    >>> scaler.transform_uncertainty(upper=X + [1.0, 5.0])["upper"]
    array([[ 0. , -0.5],
           [ 2. ,  1.5]])
    """

    # asked for, so that a pipeline that would pass error bars on unscaled is refused in `fit`
    __metadata_request__fit = dict.fromkeys(NAMES, True)
    _file_state = FEATURES | {
        "mean_": Array("f8", ("d",), low=-1e100, high=1e100),
        "scale_": Array("f8", ("d",), low=1e-50, high=1e100),
    }

    def fit(self, X, y=None, **information):
        """Compute mean and standard deviation of each feature; missing entries are ignored.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Measurements.
        y : None
            Ignored.
        **information : array-like
            Refused: scikit-learn's `Pipeline` would pass error bars on without scaling them; use
            :class:`UncertainPipeline`.

        Returns
        -------
        self
        """
        if any(array is not None for array in information.values()):
            raise ValueError(
                "A scikit-learn Pipeline does not scale error bars; use UncertainPipeline, or "
                "scale them with transform_uncertainty."
            )
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        seen = ~np.isnan(X)
        count = np.maximum(seen.sum(axis=0), 1)
        self.mean_ = np.where(seen, X, 0).sum(axis=0) / count
        deviation = np.sqrt((np.where(seen, X - self.mean_, 0) ** 2).sum(axis=0) / count)
        # the deviation of a constant column is a rounding error
        self.scale_ = np.where(deviation > 1e-12 * (np.abs(self.mean_) + 1), deviation, 1.0)
        return self

    def transform(self, X):
        """Scale the measurements.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Measurements.

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return (X - self.mean_) / self.scale_

    def transform_uncertainty(self, **information):
        """Scale the uncertainty of the measurements.

        Parameters
        ----------
        **information : array-like
            Any of `lower`, `upper`, `mean_lower`, `mean_upper`, `replicates`, `var`, `std` and
            `cov`, in every form that `fit` of a classifier takes. Data frames are matched by name.

        Returns
        -------
        dict
            The scaled arrays, by name.
        """
        check_is_fitted(self)
        unknown = sorted(information.keys() - {*NAMES})
        if unknown:
            raise ValueError(f"transform_uncertainty takes {', '.join(NAMES)}. Got {unknown[0]!r}.")
        given = as_arrays(None, information, getattr(self, "feature_names_in_", None))
        s, scaled = self.scale_, {}
        for name, array in given.items():
            if name in _PLACES:
                scaled[name] = (array - self.mean_) / s
            elif name == "std":
                scaled[name] = array / s
            else:
                full = name == "cov" or array.ndim == 3
                scaled[name] = array / (np.outer(s, s) if full else s**2)
        return scaled

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
