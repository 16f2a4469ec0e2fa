"""What to deploy on a table when nothing is known of it but its prices."""

from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.tables import prepare
from stakes.tree import ConfidenceForestClassifier

SMALL_STEPS = dict(learning_rate=0.05, max_leaf_nodes=7, max_iter=200)
FEW_COLUMNS = dict(learning_rate=0.05, max_iter=200, max_features=0.3, l2_regularization=1.0)


def recommended(random_state=None):
    """The model that the money study recommends for a table of independent rows.

    A logistic regression, two forests and three boosters, blended on rows that they have not seen
    (:class:`~stakes.decision.BlendClassifier`); costs act in the decision alone.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Of the forests and boosters.

    Returns
    -------
    BayesDecisionClassifier
        Takes data frames as they come, and arrays; costs go to `predict`.

    Examples
    --------
    >>> [name for name, _ in recommended().estimator.estimators][:3]
    ['linear', 'forest', 'extra_trees']
    """
    plain = dict(scale=False, one_hot=False)
    forest = ConfidenceForestClassifier(random_state=random_state)
    extra = ExtraTreesClassifier(200, min_samples_leaf=3, random_state=random_state)
    booster = HistGradientBoostingClassifier(random_state=random_state)
    members = {
        "linear": prepare(LogisticRegression(C=0.1, max_iter=2000), scale=True, one_hot=True),
        "forest": prepare(forest, **plain),
        "extra_trees": prepare(extra, **plain),
        "booster": prepare(booster, **plain),
        "small_steps": prepare(clone(booster).set_params(**SMALL_STEPS), **plain),
        "few_columns": prepare(clone(booster).set_params(**FEW_COLUMNS), **plain),
    }
    blend = BlendClassifier(list(members.items()), alpha=0.01, random_state=0)
    return BayesDecisionClassifier(blend, costs_in_training=False)
