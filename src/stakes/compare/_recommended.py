"""What to deploy on a table when nothing is known of it but its prices."""

from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from stakes.compare._encode import prepare
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.tree import ConfidenceForestClassifier

SMALL_STEPS = dict(learning_rate=0.05, max_leaf_nodes=7, max_iter=200)
FEW_COLUMNS = dict(learning_rate=0.05, max_iter=200, max_features=0.3, l2_regularization=1.0)


def recommended():
    """The model that the money study recommends for a table of independent rows.

    A logistic regression, two forests and three boosters, blended on rows that they have not seen
    (:class:`~stakes.decision.BlendClassifier`); costs act in the decision alone.

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
    members = {
        "linear": prepare(LogisticRegression(C=0.1, max_iter=2000), scale=True, one_hot=True),
        "forest": prepare(ConfidenceForestClassifier(), **plain),
        "extra_trees": prepare(ExtraTreesClassifier(200, min_samples_leaf=3), **plain),
        "booster": prepare(HistGradientBoostingClassifier(), **plain),
        "small_steps": prepare(HistGradientBoostingClassifier(**SMALL_STEPS), **plain),
        "few_columns": prepare(HistGradientBoostingClassifier(**FEW_COLUMNS), **plain),
    }
    blend = BlendClassifier(list(members.items()), alpha=0.01)
    return BayesDecisionClassifier(blend, costs_in_training=False)
