"""Decision tree whose splits do not depend on the class frequencies."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.tree._base import TREE_CONSTRAINTS, TreeBase
from stakes.tree._diagram import plot_tree
from stakes.tree._docs import documented
from stakes.tree._nodes import SEEDS, grow_nodes
from stakes.tree._prune import prune
from stakes.tree._rules import plot_rules, rules_frame, rules_text


@documented
class ConfidenceTreeClassifier(TreeBase):
    r"""Decision tree on class confidence proportions, pruned by Fisher's exact test.

    With the share :math:`t_b` of the node's positives and :math:`f_b` of its negatives that a
    split sends into branch :math:`b`, the best split is the one with the largest

    .. math:: H(\tfrac12) - \sum_b w_b\, H\!\left(\frac{t_b}{t_b + f_b}\right), \qquad
              w_b = \frac{t_b + f_b}{2} ,

    where :math:`H` is the entropy or the Gini index, so duplicating one class changes nothing. Ties
    go to the larger Hellinger distance. Leaves decide by expected cost.

    Parameters
    ----------
    [criterion]
    pruning : {"fisher", "fisher_leaves", "error"} or None, default="fisher"
        "fisher": remove branches without a significant inner node (Algorithms 3 to 5);
        "fisher_leaves": a significant leaf keeps its branch too; "error": as in C4.5.
    p_value : float, default=1e-4
        Significance level: rules with a smaller p-value are significant.
    min_samples_leaf : float, default=2
        Minimum total weight of a leaf; without weights, its number of examples.
    max_features : int or None, default=None
        Number of features drawn and tried in each node; None: all.
    smoothing : float, default=25.0
        Examples added to a leaf, per class.
    [leaves]
    exact_rows : int, default=256
        Nodes up to this size try every threshold, not only bin edges.
    random_state : int, RandomState instance or None, default=None
        Seed of the feature draws.
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        Class labels.
    trees_ : list of Nodes
        The tree; with more than two classes, one tree per class against the rest.
    n_leaves_ : int
        Number of leaves in all trees.
    has_missing_ : ndarray of bool of shape (d,)
        Features with missing values in the training set.
    [seen]

    Notes
    -----
    Eq. 3.16 weighs branches by rates, Algorithm 2 by counts: `branch_weight`. Line 10 of
    Algorithm 2 prints the logarithm of the negative proportion twice; the first must be that of
    the positive one. Algorithms 3 and 4 test inner nodes only, although the text promises to keep
    every significant rule; "fisher_leaves" does. Categories are split into two groups, where the
    thesis creates a branch per category; missing values go to the side with the larger gain.

    References
    ----------
    [thesis]

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(2000, weights=[0.97], flip_y=0.02, random_state=0)
    >>> model = ConfidenceTreeClassifier(max_depth=4).fit(X, y)
    >>> bool(model.rules()["p_value"][0] < 1e-4)
    True
    >>> model.n_leaves_
    7
    """

    _parameter_constraints = {
        **TreeBase._parameter_constraints,
        **TREE_CONSTRAINTS,
        "pruning": [StrOptions({"fisher", "fisher_leaves", "error"}), None],
        "p_value": [Interval(Real, 0, 1, closed="right")],
        "max_features": [None, Interval(Integral, 1, None, closed="left")],
    }
    _info = LearnerInfo(
        family="tree",
        recommended=True,
        grid={
            "criterion": ["ccp_entropy", "entropy"],
            "min_samples_leaf": [2, 20, 100],
            "p_value": [1e-4, 1e-2],
        },
    )

    def __init__(
        self,
        *,
        criterion="ccp_entropy",
        branch_weight="rate",
        max_depth=None,
        pruning="fisher",
        p_value=1e-4,
        min_samples_leaf=2,
        max_features=None,
        smoothing=25.0,
        smoothing_target="parent",
        categorical_features=None,
        max_bins=255,
        exact_rows=256,
        random_state=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.criterion = criterion
        self.branch_weight = branch_weight
        self.max_depth = max_depth
        self.pruning = pruning
        self.p_value = p_value
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.smoothing = smoothing
        self.smoothing_target = smoothing_target
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.exact_rows = exact_rows
        self.random_state = random_state
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Grow and prune the tree.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two counts as two.
        [fit_costs]
            Two classes only.

        Returns
        -------
        self
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        binned, index, weight, regret, _ = self._validate_training(X, y, sample_weight, given)
        d = binned.X.shape[1]
        settings = self._settings(d if self.max_features is None else min(self.max_features, d))
        random = check_random_state(self.random_state)
        self.trees_ = []
        for k in range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_)):
            seed = int(random.randint(1, SEEDS))
            full = grow_nodes(binned, index == k, weight, regret, settings, seed=seed)
            examples = (binned.X, index == k, weight, regret)
            pruned = prune(full, self.pruning, self.p_value, examples)
            pruned.smooth(self.smoothing, self.smoothing_target)
            self.trees_.append(pruned)
        self.n_leaves_ = int(sum(nodes.is_leaf.sum() for nodes in self.trees_))
        return self

    def apply(self, X):
        """Leaf of each row, as a node index.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,), or (n, k) with more than two classes
        """
        X = self._validate_X(X)
        leaves = [nodes.leaves(X) for nodes in self.trees_]
        return leaves[0] if len(leaves) == 1 else np.column_stack(leaves)

    def rules(self):
        """The leaves as rules, with confidence, CCP, support and p-value.

        Returns
        -------
        polars.DataFrame
        """
        check_is_fitted(self)
        return rules_frame(self)

    def to_text(self):
        """The tree as indented text.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return rules_text(self)

    def plot(self, ax=None, *, kind="tree", max_depth=3, label=None):
        """Plot the tree, or its rules.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; None: a new figure.
        kind : {"tree", "rules"}, default="tree"
            "tree": one box per node with its condition, counts, confidence, decision and the share
            of the total cost that this decision loses; "rules": leaves as points, by the share of
            each class that they hold.
        max_depth : int or None, default=3
            Depth down to which the tree is drawn; None: all of it.
        label : default=None
            With more than two classes, the class whose tree is drawn; None: the first.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        if kind not in ("tree", "rules"):
            raise ValueError(f"kind must be 'tree' or 'rules'. Got {kind!r} instead.")
        if kind == "rules":
            return plot_rules(self, ax)
        return plot_tree(self, ax, max_depth=max_depth, label=label)

    def _leaf_values(self, X, what):
        return [getattr(nodes, what)[nodes.leaves(X)] for nodes in self.trees_]
