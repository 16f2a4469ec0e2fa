"""Areas under part of the ROC curve."""

import numpy as np
from sklearn.metrics import roc_curve

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


def _area_right_of(fpr, tpr, t):
    """Area between the piecewise linear curve and fpr = 1, above tpr = t, over 1 - t."""
    high = np.maximum(tpr, t)
    # where a segment crosses t its lower end moves along it
    rise = np.diff(tpr)
    share = np.divide(high[:-1] - tpr[:-1], rise, out=np.zeros_like(rise), where=rise > 0)
    left = fpr[:-1] + share * np.diff(fpr)
    strips = np.diff(high) * (1 - (left + fpr[1:]) / 2)
    return float(strips.sum() / (1 - t))
