"""The trees and rules of Chapter 3, in every fold of repeated two-fold cross-validation.

C4.5 chooses features by gain ratio, makes a branch for each category and is pruned by its expected
errors, CART splits by Gini and is pruned by cost-complexity, as in Weka, whose versions the thesis
used.
"""

from functools import cache

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from stakes.reproduce._rows import fingerprint
from stakes.reproduce.ccpdt._c45 import C45
from stakes.sampling import WrapperSampler
from stakes.tree import AssociationRuleClassifier, ConfidenceTreeClassifier

CRITERIA = {
    "C4.5": "gain_ratio",
    "CCP-C4.5": "ccp_entropy",
    "CART": "gini",
    "CCP-CART": "ccp_gini",
    "HDDT": "hellinger",
}
# the plain trees again, scored by the unsmoothed class shares of their leaves
BARE = {name: f"{name}, no smoothing" for name in ("C4.5", "CART")}
PRUNED = {
    "C4.5, error": ("gain_ratio", "error"),
    "C4.5, Fisher": ("gain_ratio", "fisher"),
    "CCP-C4.5, error": ("ccp_entropy", "error"),
    "CCP-C4.5, Fisher": ("ccp_entropy", "fisher"),
}
SPARCCC = "SPARCCC"
SAMPLED = ("CART", "C4.5", "W+CART", "W+C4.5", "CCP-CART", "CCP-C4.5")
TREES = ("C4.5", "CCP-C4.5", "CART", "CCP-CART")  # of the tables with many classes
LAPLACE = dict(min_samples_leaf=2, smoothing=1.0, smoothing_target="uniform")
P_VALUE = 0.01  # Section 3.7.2; Table 3.6 prints the same C4.5 columns as Table 3.4


def trees_set(X, y, repeats):
    """AUC and leaves of every tree of Tables 3.3 to 3.5, AUC and number of rules of SPARCCC."""
    models = {
        name: ConfidenceTreeClassifier(criterion=criterion, pruning=None, **LAPLACE)
        for name, criterion in CRITERIA.items()
    }
    for name, bare in BARE.items():
        models[bare] = ConfidenceTreeClassifier(**models[name].get_params() | {"smoothing": 0.0})
    models |= {
        name: ConfidenceTreeClassifier(criterion=criterion, pruning=how, p_value=P_VALUE, **LAPLACE)
        for name, (criterion, how) in PRUNED.items()
    }
    models[SPARCCC] = AssociationRuleClassifier(p_value=0.001, ccr=1.0)
    found = {name: {"auc": [], "leaves": []} for name in models}
    for _, train, test in _folds(X, y, repeats):
        for name, model in models.items():
            score = model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
            found[name]["auc"].append(float(roc_auc_score(y[test], score)))
            size = model.n_rules_ if name == SPARCCC else model.n_leaves_
            found[name]["leaves"].append(size)
    return found


def sampled_set(X, y, repeats):
    """AUC of the six trees of Table 3.6 in every fold, and the wrapper's sampling levels."""
    found = {name: {"auc": [], "levels": []} for name in SAMPLED}
    for repeat, train, test in _folds(X, y, repeats):
        for name in SAMPLED:
            X_fit, y_fit = X[train], y[train]
            criterion = "gini" if "CART" in name else "gain_ratio"
            if name.startswith("W+"):
                tree = ConfidenceTreeClassifier(criterion=criterion, pruning=None, **LAPLACE)
                wrapper = WrapperSampler(tree, random_state=repeat)
                X_fit, y_fit = wrapper.fit_resample(X_fit, y_fit)
                found[name]["levels"].append((wrapper.majority_share_, wrapper.smote_share_))
            score = _pruned(name).fit(X_fit, y_fit).predict_proba(X[test])[:, 1]
            found[name]["auc"].append(float(roc_auc_score(y[test], score)))
    return found


def classes_set(X, y, category, repeats):
    """AUC for the smallest class, and leaves of all trees, in every fold (Tables 3.8 and 3.9)."""
    kinds, counts = np.unique(y, return_counts=True)
    smallest = int(counts.argmin())
    found = {name: {"auc": [], "leaves": []} for name in TREES}
    for _, train, test in _folds(X, y, repeats):
        for name in TREES:
            if name == "C4.5" and category.any():
                model = C45(category)
            else:
                model = _pruned(name, categorical_features=category)
            model.fit(X[train], y[train])
            score = model.predict_proba(X[test])[:, smallest]
            found[name]["auc"].append(roc_auc_score(y[test] == kinds[smallest], score))
            found[name]["leaves"].append(model.n_leaves_)
    return found


@cache
def today(of_set):
    """Fingerprint of today's learners: their results on a small table, with gaps and categories."""
    n = 600 if of_set is trees_set else 300
    X = np.sin(np.outer(np.arange(1.0, n + 1.0), np.sqrt([2.0, 3.0, 5.0, 7.0])))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[::-1, 3]
    if of_set is not classes_set:
        return fingerprint(of_set(X, score > 0.8, 1))
    X[:, 2:] = np.round(2.0 * X[:, 2:]) + 2.0
    X[::7, 0] = X[::5, 3] = np.nan
    y = np.digitize(score, [-1.0, 0.5, 1.0])
    return fingerprint(of_set(X, y, np.array([False, False, True, True]), 1))


def _folds(X, y, repeats):
    for repeat in range(repeats):
        halves = StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
        for train, test in halves:
            yield repeat, train, test


def _pruned(name, **options):
    """C4.5 and CART are pruned as they are, their CCP versions by Fisher's test."""
    options |= LAPLACE
    if name.startswith("CCP"):
        criterion = "ccp_gini" if "CART" in name else "ccp_entropy"
        return ConfidenceTreeClassifier(
            criterion=criterion, pruning="fisher", p_value=P_VALUE, **options
        )
    criterion, pruning = ("gini", "complexity") if "CART" in name else ("gain_ratio", "error")
    return ConfidenceTreeClassifier(criterion=criterion, pruning=pruning, **options)
