"""Breast cancer (WDBC) as uncertain data: each feature is a mean over cell nuclei."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from stakes.datasets._uncertain_data import UncertainData

_DESCRIPTION = (
    "Breast Cancer Wisconsin (Diagnostic), W. Wolberg, O. Mangasarian, N. Street, W. Street, UCI "
    "Machine Learning Repository, doi:10.24432/C5DW2B, CC BY 4.0, as in scikit-learn. Each of the "
    "10 features is a mean over the nuclei of one image, with its standard error and its worst "
    "value. Costs are an assumption: missing a malignant tumour costs {fn_cost:g} times a needless "
    "biopsy."
)


def load_wdbc_uncertain(*, n_nuclei=20, z=1.96, fn_cost=10.0, scale=False):
    r"""Load WDBC with the uncertainty of its features: 569 images, 10 features, 212 malignant.

    `X` contains the means. The standard error :math:`se` and the worst value :math:`w` give

    - bounds on the mean, :math:`\mu \pm z\, se`;
    - the support :math:`[\mu - (w - \mu),\ w]`, truncated at zero (no feature is negative) and
      extended to contain the bounds on the mean;
    - the variance over the nuclei, :math:`n_{nuclei}\, se^2`, but at most the largest variance of
      a variable with that mean on the support, :math:`(w - \mu)(\mu - lower)`.

    Parameters
    ----------
    n_nuclei : float, default=20
        Number of nuclei per image, which the data do not state.
    z : float, default=1.96
        Half-width of the interval of the mean in standard errors; 1.96 for 95 % if normal.
    fn_cost : float, default=10.0
        Cost of a missed malignant tumour; a false alarm costs 1.
    scale : bool, default=False
        Whether to scale the means to mean zero and variance one, and the bounds with them.

    Returns
    -------
    UncertainData
        With `lower`, `upper`, `var`, `mean_lower`, `mean_upper`.

    Notes
    -----
    Chapter 4 of the chance-constrained paper uses these columns but gives no formulas; these are
    ours. "Worst" is the mean of the three largest nuclei, so single nuclei can lie outside the
    support. Scales of the features differ by a factor of ten thousand, so margin learners need
    `scale=True`.

    Examples
    --------
    >>> data = load_wdbc_uncertain()
    >>> bool((data.mean_upper <= data.upper).all()), data.y.sum().item()
    (True, 212)
    """
    raw = load_breast_cancer()
    mean, error, worst = np.split(raw.data, 3, axis=1)
    mean_lower, mean_upper = np.maximum(mean - z * error, 0.0), mean + z * error
    upper = np.maximum(worst, mean_upper)
    lower = np.minimum(np.maximum(2 * mean - worst, 0.0), mean_lower)
    var = np.minimum(n_nuclei * error**2, (upper - mean) * (mean - lower))
    shift, unit = (mean.mean(axis=0), mean.std(axis=0)) if scale else (0.0, 1.0)
    return UncertainData(
        "wdbc",
        (mean - shift) / unit,
        (raw.target == 0).astype(np.int64),
        fp_cost=1.0,
        fn_cost=float(fn_cost),
        positive="malignant",
        description=_DESCRIPTION.format(fn_cost=fn_cost),
        lower=(lower - shift) / unit,
        upper=(upper - shift) / unit,
        var=var / unit**2,
        mean_lower=(mean_lower - shift) / unit,
        mean_upper=(mean_upper - shift) / unit,
    )
