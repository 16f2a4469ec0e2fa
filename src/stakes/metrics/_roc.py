"""Measures of a ranking: the part of the ROC curve that matters, and the H-measure."""

import numpy as np
from scipy.special import betainc
from sklearn.metrics import roc_curve

from stakes.metrics._hull_jit import roc_hull
from stakes.metrics._intake import read_scores
from stakes.metrics._rates import both_classes


def partial_auc_score(y_true, y_score, *, region="tpr", t=0.9, pos_label=None):
    r"""Area under the part of the ROC curve that matters, scaled to [0, 1].

    With `region="tpr"` only sensitivities of at least :math:`t` count, with `region="tnr"` only
    specificities of at least :math:`t`:

    .. math:: \frac{1}{1 - t}\int_t^1 tnr(tpr)\,d\,tpr \qquad\text{or}\qquad
              \frac{1}{1 - t}\int_t^1 tpr(tnr)\,d\,tnr .

    One is perfect; scores without information reach :math:`(1 - t)/2`; at :math:`t = 0` both are
    the usual area. Swapping the classes and the sign of the scores swaps the regions.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels.
    y_score : array-like of shape (n,) or (n, 2)
        Scores that grow with the belief in the positive class; ties count by halves.
    region : {"tpr", "tnr"}, default="tpr"
        TP-t-AUC or TN-t-AUC.
    t : float, default=0.9
        Where the region begins, in [0, 1).
    pos_label : label, default=None
        The positive class; by default the larger label.

    Returns
    -------
    float
        Larger is better; NaN with a warning where `y_true` has one class only.

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
        raise ValueError(f"t must lie in [0, 1). Got {t!r} instead.")
    positive, scores = read_scores(y_true, y_score, pos_label)
    if not both_classes(positive):
        return float("nan")
    fpr, tpr, _ = roc_curve(positive, scores, drop_intermediate=False)
    if region == "tnr":
        return _area_right_of(1 - tpr[::-1], 1 - fpr[::-1], t)
    return _area_right_of(fpr, tpr, t)


def h_measure(y_true, y_score, *, shape=(2.0, 2.0), pos_label=None):
    r"""Hand's H: how much less than the trivial policies a ranking costs, over all cost ratios.

    Let :math:`c = fp/(fp + fn)` be the relative price of a false alarm, distributed as
    :math:`w` = Beta(a, b). With the best threshold for each :math:`c`,

    .. math:: H = 1 - \frac{\int \min_t [c\,\pi_0\,fpr(t) + (1 - c)\pi_1\,fnr(t)]\,w(c)\,dc}
              {\int \min[c\,\pi_0, (1 - c)\pi_1]\,w(c)\,dc} .

    Unlike the area under the ROC curve the weight of the costs does not depend on the scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels.
    y_score : array-like of shape (n,) or (n, 2)
        Scores that grow with the belief in the positive class.
    shape : (float, float) or "prior", default=(2.0, 2.0)
        (a, b), or Beta(1 + :math:`\pi_1`, 1 + :math:`\pi_0`), whose mode :math:`c = \pi_1` makes
        the rarer class the dearer one to miss.
    pos_label : label, default=None
        The positive class; by default the larger label.

    Returns
    -------
    float
        Between 0 (no use) and 1 (perfect); NaN with a warning where there is one class only.

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
    if not both_classes(positive):
        return float("nan")
    prior = positive.mean()
    pair = (1 + prior, 2 - prior) if isinstance(shape, str) and shape == "prior" else shape
    if isinstance(pair, str) or np.shape(pair) != (2,) or not (np.asarray(pair) > 0).all():
        raise ValueError(f"shape must be 'prior' or two positive numbers. Got {shape!r} instead.")
    a, b = pair
    loss = _expected_loss(*hull_of(positive, scores), prior, a, b)
    trivial = _expected_loss(np.array([0.0, 1.0]), np.array([0.0, 1.0]), prior, a, b)
    return float(1 - loss / trivial)


def check_has_curve(positive):
    """Refuse to draw the ROC curve of one class: a rate of the other is undefined."""
    if positive.all() or not positive.any():
        absent = "negative" if positive.any() else "positive"
        raise ValueError(f"y_true has no {absent} example; a curve needs both classes.")


def hull_of(positive, scores):
    """The upper convex hull of the ROC curve: (fpr, tpr) from (0, 0) to (1, 1)."""
    fpr, tpr, _ = roc_curve(positive, scores, drop_intermediate=False)
    kept = roc_hull(fpr, tpr)
    return fpr[kept], tpr[kept]


def _expected_loss(fpr, tpr, prior, a, b):
    """Integral over c of the least loss on a hull; its corner j is best between two values of c."""
    gain, harm = prior * np.diff(tpr), (1 - prior) * np.diff(fpr)
    change = np.concatenate([[1.0], gain / (gain + harm), [0.0]])  # c falls along the hull
    share_c = a / (a + b) * -np.diff(betainc(a + 1, b, change))
    share_rest = b / (a + b) * -np.diff(betainc(a, b + 1, change))
    return (1 - prior) * fpr @ share_c + prior * (1 - tpr) @ share_rest


def _area_right_of(fpr, tpr, t):
    """Area between the piecewise linear curve and fpr = 1, above tpr = t, over 1 - t."""
    high = np.maximum(tpr, t)
    # where a segment crosses t its lower end moves along it
    rise = np.diff(tpr)
    share = np.divide(high[:-1] - tpr[:-1], rise, out=np.zeros_like(rise), where=rise > 0)
    left = fpr[:-1] + share * np.diff(fpr)
    strips = np.diff(high) * (1 - (left + fpr[1:]) / 2)
    return float(strips.sum() / (1 - t))
