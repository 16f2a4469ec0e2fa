"""A decision classifier of an inner estimator that was fitted elsewhere."""

import numpy as np
from sklearn.base import clone

from stakes.decision._calibrated import calibrated_on


def adopt_fitted(decider, fitted, scores=None, y=None):
    """A :class:`BayesDecisionClassifier` that takes a fitted estimator instead of fitting one.

    Parameters
    ----------
    decider : BayesDecisionClassifier
        Unfitted, without a prior; it stays as it is.
    fitted : classifier
        The fitted estimator.
    scores : array-like of shape (n,), default=None
        For a `calibration`: its `decision_function`, or its probabilities of the positive class if
        it has none, for rows that it was not fitted to.
    y : array-like of shape (n,), default=None
        Labels of these rows.

    Returns
    -------
    BayesDecisionClassifier

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes.decision import BayesDecisionClassifier
    >>> fitted = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    >>> model = adopt_fitted(BayesDecisionClassifier(LogisticRegression()), fitted)
    >>> model.predict([[0.4]]).item(), model.predict([[0.4]], fn_cost=9.0).item()
    (0, 1)
    """
    if decider.prior is not None or decider.training_prior is not None:
        raise ValueError("An estimator that is fitted already is not corrected for a prior.")
    decider = clone(decider)
    decider.estimator_ = fitted
    if decider.calibration is not None:
        how = decider.estimator, fitted, decider.calibration
        scores, y = np.asarray(scores, dtype=np.float64), np.asarray(y)
        decider.estimator_ = calibrated_on(*how, scores, y)
    decider._take_over(decider.estimator_)
    decider.prior_ = decider.training_prior_ = None
    return decider
