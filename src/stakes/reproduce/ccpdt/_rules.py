"""The SPARCCC column of Table 3.3: association rules at the thesis's thresholds."""

from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from stakes.tree import AssociationRuleClassifier

SPARCCC = "SPARCCC"
NOTE = "SPARCCC is our AssociationRuleClassifier, CCR above 1.0 and p below 0.001 as in the thesis."


def rules_set(X, y, repeats):
    """AUC and number of rules in every fold."""
    found = {"auc": [], "leaves": []}
    for repeat in range(repeats):
        for train, test in StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y):
            model = AssociationRuleClassifier(p_value=0.001, ccr=1.0).fit(X[train], y[train])
            found["auc"].append(float(roc_auc_score(y[test], model.predict_proba(X[test])[:, 1])))
            found["leaves"].append(model.n_rules_)
    return found
