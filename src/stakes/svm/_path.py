"""The CS-SVM as a function of kappa: support vectors of both classes (Figure 3)."""

from dataclasses import dataclass

import numpy as np

from stakes._core.deciding import only_scores_count
from stakes.svm._cost_sensitive import CostSensitiveSVC
from stakes.svm._kernel_svc import DualView


@dataclass(frozen=True)
class KappaPath:
    """The dual of a CS-SVM for several values of kappa.

    Attributes
    ----------
    kappas : ndarray
        The margins of the cheaper class.
    views : list of DualView
        Dual quantities of each fit.
    kkt_residuals : ndarray
        KKT residual of each fit.
    """

    kappas: np.ndarray
    views: list[DualView]
    kkt_residuals: np.ndarray

    def plot(self, axes=None):
        """Draw the support vectors per class, and their imbalance, against kappa."""
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
        exponent = -np.log2(self.kappas)
        axes[0].plot(exponent, [v.n_negative for v in self.views], "o-", label="negative")
        axes[0].plot(exponent, [v.n_positive for v in self.views], "o-", label="positive")
        axes[0].set(xlabel="-log2(kappa)", ylabel="support vectors")
        axes[0].legend()
        axes[1].plot(exponent, [v.imbalance for v in self.views], "o-")
        axes[1].set(xlabel="-log2(kappa)", ylabel="support vectors: cheaper / more expensive class")
        return np.asarray(axes)


def kappa_path(X, y, kappas, *, C=1.0, fn_cost=1.0, **options):
    """Fit CS-SVMs that differ only in kappa, each starting from the one before.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The examples.
    y : array-like of shape (n,)
        Two classes.
    kappas : sequence of float
        Margins of the cheaper class, in (0, 1].
    C, fn_cost : float, default=1.0
        As in :class:`CostSensitiveSVC`.
    **options : dict
        Its other parameters; the slope is that of the paper unless given.

    Returns
    -------
    KappaPath

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), np.arange(200) < 20
    >>> path = kappa_path(X + 1.5 * y[:, None], y, [1.0, 0.1, 0.001], fn_cost=10.0)
    >>> [view.n_negative for view in path.views]
    [62, 22, 16]
    """
    options = dict(slope="paper", calibration=None) | options
    model = CostSensitiveSVC(C=C, fn_cost=fn_cost, warm_start=True, approximation=None, **options)
    views, residuals = [], []
    with only_scores_count():
        for kappa in kappas:
            model.set_params(kappa=kappa).fit(X, y)
            views.append(model.dual_view())
            residuals.append(model.kkt_residual_)
    return KappaPath(np.asarray(kappas, dtype=np.float64), views, np.array(residuals))
