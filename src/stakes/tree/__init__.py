"""Trees, forests and rules that work for rare classes."""

from stakes.tree._association import AssociationRuleClassifier
from stakes.tree._fisher import fisher_exact_p
from stakes.tree._forest import ConfidenceForestClassifier
from stakes.tree._shapley import tree_shapley
from stakes.tree._tree import ConfidenceTreeClassifier

__all__ = [
    "AssociationRuleClassifier",
    "ConfidenceForestClassifier",
    "ConfidenceTreeClassifier",
    "fisher_exact_p",
    "tree_shapley",
]
