"""Measures of a ranking: partial area under the ROC curve, and the H-measure."""

import numpy as np
from scipy.special import betainc
from sklearn.metrics import roc_curve

from stakes._core.words import shown
from stakes.metrics._docs import documented
from stakes.metrics._hull_jit import roc_hull
from stakes.metrics._intake import mean_or_total, read_scores, read_weights
from stakes.metrics._rates import both_classes


@documented
def partial_auc_score(y_true, y_score, *, region="tpr", t=0.9, pos_label=None, sample_weight=None):
    r"""Area under part of the ROC curve, scaled to [0, 1].

    With `region="tpr"` only sensitivities of at least :math:`t` count, with `region="tnr"` only
    specificities of at least :math:`t`:

    .. math:: \frac{1}{1 - t}\int_t^1 tnr(tpr)\,d\,tpr \qquad\text{or}\qquad
              \frac{1}{1 - t}\int_t^1 tpr(tnr)\,d\,tnr .

    One is perfect; uninformative scores reach :math:`(1 - t)/2`; at :math:`t = 0` both are the
    usual area. Swapping the classes and the sign of the scores swaps the regions.

    Parameters
    ----------
    [scores]
    region : {"tpr", "tnr"}, default="tpr"
        TP-t-AUC or TN-t-AUC.
    t : float, default=0.9
        Start of the region, in [0, 1).
    [pos_label]
    [weights]

    Returns
    -------
    float
        Larger is better; NaN with a warning if `y_true` has a single class.

    Notes
    -----
    Tables 3 to 6 of the CS-SVM paper print one minus this, so that smaller is better there.

    Examples
    --------
    >>> partial_auc_score([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], t=0.5)
    0.777...
    """
    if region not in ("tpr", "tnr"):
        raise ValueError(f"region must be 'tpr' or 'tnr'. Got {region!r} instead.")
    if not 0 <= t < 1:
        raise ValueError(f"t must lie in [0, 1). Got {shown(t)} instead.")
    positive, scores = read_scores(y_true, y_score, pos_label)
    weight = read_weights(sample_weight, len(scores))
    if not both_classes(positive, weight):
        return float("nan")
    fpr, tpr, _ = roc_curve(positive, scores, sample_weight=weight, drop_intermediate=False)
    if region == "tnr":
        return _area_right_of(1 - tpr[::-1], 1 - fpr[::-1], t)
    return _area_right_of(fpr, tpr, t)


@documented
def h_measure(y_true, y_score, *, shape=(2.0, 2.0), pos_label=None, sample_weight=None):
    r"""Hand's H: saving of a ranking over the best constant policy, averaged over cost ratios.

    Let :math:`c = fp/(fp + fn)` be the relative cost of a false alarm, distributed as
    :math:`w` = Beta(a, b). With the best threshold for each :math:`c`,

    .. math:: H = 1 - \frac{\int \min_t [c\,\pi_0\,fpr(t) + (1 - c)\pi_1\,fnr(t)]\,w(c)\,dc}
              {\int \min[c\,\pi_0, (1 - c)\pi_1]\,w(c)\,dc} .

    Unlike in the area under the ROC curve, the weights of the costs do not depend on the scores.

    Parameters
    ----------
    [scores]
    shape : (float, float) or "prior", default=(2.0, 2.0)
        (a, b), or "prior" for Beta(1 + :math:`\pi_1`, 1 + :math:`\pi_0`), whose mode
        :math:`c = \pi_1` makes the rarer class the more expensive one to miss.
    [pos_label]
    [weights]

    Returns
    -------
    float
        Between 0 (useless) and 1 (perfect); NaN with a warning if there is a single class.

    References
    ----------
    D. J. Hand. "Measuring classifier performance". Machine Learning 77, 2009.
    D. J. Hand, C. Anagnostopoulos. "A better Beta for the H measure of classification
    performance". Pattern Recognition Letters 40, 2014.

    Examples
    --------
    >>> round(h_measure([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]), 4)
    0.6667
    """
    positive, scores = read_scores(y_true, y_score, pos_label)
    weight = read_weights(sample_weight, len(scores))
    if not both_classes(positive, weight):
        return float("nan")
    prior = mean_or_total(positive, weight)
    pair = (1 + prior, 2 - prior) if isinstance(shape, str) and shape == "prior" else shape
    if isinstance(pair, str) or np.shape(pair) != (2,) or not (np.asarray(pair) > 0).all():
        raise ValueError(
            f"shape must be 'prior' or two positive numbers. Got {shown(shape)} instead."
        )
    a, b = pair
    loss = _expected_loss(*hull_of(positive, scores, weight), prior, a, b)
    constant = _expected_loss(np.array([0.0, 1.0]), np.array([0.0, 1.0]), prior, a, b)
    return float(1 - loss / constant)


def check_has_curve(positive):
    """Raise unless both classes are present; a curve needs the rates of both."""
    if positive.all() or not positive.any():
        absent = "negative" if positive.any() else "positive"
        raise ValueError(f"y_true has no {absent} example; a curve needs both classes.")


def hull_of(positive, scores, sample_weight=None):
    """Upper convex hull of the ROC curve: (fpr, tpr) from (0, 0) to (1, 1)."""
    fpr, tpr, _ = roc_curve(positive, scores, sample_weight=sample_weight, drop_intermediate=False)
    kept = roc_hull(fpr, tpr)
    return fpr[kept], tpr[kept]


def _expected_loss(fpr, tpr, prior, a, b):
    """Integral over c of the least loss on a hull; corner j is best between two values of c."""
    gain, harm = prior * np.diff(tpr), (1 - prior) * np.diff(fpr)
    change = np.concatenate([[1.0], gain / (gain + harm), [0.0]])  # c falls along the hull
    # integrals of c w(c) and (1 - c) w(c) over the range of each corner: Beta(a, b) densities
    # times c or 1 - c are Beta(a + 1, b) and Beta(a, b + 1) densities times their mean
    share_c = a / (a + b) * -np.diff(betainc(a + 1, b, change))
    share_rest = b / (a + b) * -np.diff(betainc(a, b + 1, change))
    return (1 - prior) * fpr @ share_c + prior * (1 - tpr) @ share_rest


def _area_right_of(fpr, tpr, t):
    """Area between the piecewise linear curve and fpr = 1, above tpr = t, over 1 - t."""
    high = np.maximum(tpr, t)
    # the lower end of a segment that crosses t moves up to t along the segment
    rise = np.diff(tpr)
    share = np.divide(high[:-1] - tpr[:-1], rise, out=np.zeros_like(rise), where=rise > 0)
    left = fpr[:-1] + share * np.diff(fpr)
    strips = np.diff(high) * (1 - (left + fpr[1:]) / 2)
    return float(strips.sum() / (1 - t))
