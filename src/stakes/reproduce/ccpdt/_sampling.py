"""Table 3.6: trees on data that the wrapper of Section 3.6 has sampled, beside CCP trees."""

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from stakes.sampling import WrapperSampler
from stakes.tree import ConfidenceTreeClassifier

LAPLACE = dict(min_samples_leaf=2, smoothing=1.0, smoothing_target="uniform")
P_VALUE = 0.01  # as in Section 3.7.2: the printed CCP-C4.5 and C4.5 columns are those of Table 3.4
SAMPLED = ("CART", "C4.5", "W+CART", "W+C4.5", "CCP-CART", "CCP-C4.5")
NOTE = (
    "C4.5 and CART pruned by errors, CCP trees by Fisher's test. The wrapper looks at the AUC of "
    "unpruned trees in 5 x 2 folds of each training half, steps of 10 % of the majority and of "
    "100 % of the minority; the tree on its sample is pruned."
)


def sampled_set(X, y, repeats):
    """AUC of the six trees in every fold, and the levels that the wrapper chose."""
    found = {name: {"auc": [], "levels": []} for name in SAMPLED}
    for repeat in range(repeats):
        for train, test in StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y):
            for name in SAMPLED:
                X_fit, y_fit = X[train], y[train]
                criterion = "gini" if "CART" in name else "entropy"
                if name.startswith("W+"):
                    tree = ConfidenceTreeClassifier(criterion=criterion, pruning=None, **LAPLACE)
                    wrapper = WrapperSampler(tree, random_state=repeat)
                    X_fit, y_fit = wrapper.fit_resample(X_fit, y_fit)
                    found[name]["levels"].append((wrapper.majority_share_, wrapper.smote_share_))
                if name.startswith("CCP"):
                    model = ConfidenceTreeClassifier(
                        criterion=f"ccp_{criterion}", pruning="fisher", p_value=P_VALUE, **LAPLACE
                    )
                else:
                    model = ConfidenceTreeClassifier(
                        criterion=criterion, pruning="error", **LAPLACE
                    )
                score = model.fit(X_fit, y_fit).predict_proba(X[test])[:, 1]
                found[name]["auc"].append(float(roc_auc_score(y[test], score)))
    return found


def levels_told(found):
    """One line: what the wrapper chose on average over all sets and folds."""
    levels = np.array(
        [level for of_set in found.values() for n in SAMPLED for level in of_set[n]["levels"]]
    )
    kept, added = levels.mean(axis=0)
    alone = np.mean((levels[:, 0] == 1) & (levels[:, 1] == 0))
    return (
        f"On average it kept {kept:.0%} of the majority and added {added:.0%} of the minority; in "
        f"{alone:.0%} of the folds it left the data alone."
    )
