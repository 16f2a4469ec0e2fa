"""What a learner must show before it decides: more than a rule without a model."""

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

POLICY = "trivial policy"  # what is chosen where the learner did not earn its place


def policy_in_place(train, costs, inner, score):
    """The cheaper trivial policy, if it beats a learner.

    Parameters
    ----------
    train : PricedData
        The training rows.
    costs : dict of arrays
        Their costs.
    inner : dict
        Scoring and folds, as :func:`~sklearn.model_selection.cross_val_score` takes them.
    score : float
        The learner's mean score there, on rows that it was not fitted on.

    Returns
    -------
    DummyClassifier or None
        The policy, unfitted; None if the learner is worth its decisions.
    """
    policies = [DummyClassifier(strategy="constant", constant=decision) for decision in (0, 1)]
    rows = np.zeros((len(train), 1))
    scores = [
        cross_val_score(policy, rows, train.y, params=costs, **inner).mean() for policy in policies
    ]
    return policies[int(np.argmax(scores))] if max(scores) > score else None
