"""Decision tree whose splits do not depend on how rare a class is."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.tree._base import TREE_CONSTRAINTS, TreeBase
from stakes.tree._build import SEEDS, grow_nodes
from stakes.tree._diagram import plot_tree
from stakes.tree._prune import prune
from stakes.tree._rules import plot_rules, rules_frame, rules_text


class ConfidenceTreeClassifier(TreeBase):
    r"""Decision tree on class confidence proportions, pruned by Fisher's exact test.

    With the share :math:`t_b` of the node's positives and :math:`f_b` of its negatives that a
    split sends into branch :math:`b`, it takes the split with the largest

    .. math:: H(\tfrac12) - \sum_b w_b\, H\!\left(\frac{t_b}{t_b + f_b}\right), \qquad
              w_b = \frac{t_b + f_b}{2} ,

    :math:`H` being the entropy or the Gini index: repeating one class changes nothing. Ties go to
    the larger Hellinger distance. A leaf decides by its expected cost.

    Parameters
    ----------
    criterion : str, default="ccp_entropy"
        One of "ccp_entropy", "ccp_gini", "hellinger", "entropy", "gini" and "cost".
        What a split is chosen by. "cost": how much less the cheaper decision of each branch costs
        than that of the node, at the costs given to `fit`.
    max_depth : int, default=None
        Most splits on a path.
    branch_weight : {"rate", "count"}, default="rate"
        :math:`w_b` of the CCP criteria: as above, or the share of the node's examples.
    pruning : {"fisher", "fisher_leaves", "error"} or None, default="fisher"
        "fisher": cut branches in which no node is significant (Algorithms 3 to 5);
        "fisher_leaves": a significant leaf keeps its branch as well; "error": C4.5's.
    p_value : float, default=1e-4
        A rule with a smaller p-value is significant.
    min_samples_leaf : float, default=2
        Least total weight of a leaf: its number of examples, if these have no weights.
    max_features : int or None, default=None
        How many features, drawn anew in each node, are tried; None: all.
    smoothing : float, default=25.0
        How many examples are added to a leaf, for each of the two classes.
    prior : {"parent", "uniform", "rate"}, default="parent"
        What the added examples are: like those of the node above, itself smoothed, so that few
        examples move a leaf little; half of each class, which with `smoothing=1.0` is Laplace's
        correction and the thesis's; or shared out as those of training.
    categorical_features : array-like of bool, int or str, default=None
        Which features are categories, coded 0 to 254; they are split into two groups.
    max_bins : int, default=255
        Bins of a number with more distinct values than this.
    exact_rows : int, default=256
        Nodes up to this size try every threshold, not only the ends of bins.
    random_state : int, RandomState instance or None, default=None
        For the draw of features.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=1.0, 1.0, 0.0, 0.0
        What the four outcomes cost; arrays of one per example go to `fit`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels.
    trees_ : list of Nodes
        The tree; with more than two classes one for each class against the rest.
    n_leaves_ : int
        Leaves of all trees.
    has_missing_ : ndarray of bool of shape (d,)
        Which features had missing values in training.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Eq. 3.16 weighs branches by rates, Algorithm 2 by counts: `branch_weight`. Line 10 of
    Algorithm 2 prints the logarithm of the negative proportion twice; the first must be that of
    the positive one. Algorithms 3 and 4 test inner nodes only, although the text promises to keep
    every significant rule; "fisher_leaves" does. Categories are divided into two groups where the
    thesis makes a branch for each; missing values go to the side that gives the larger gain.

    References
    ----------
    .. [1] W. Liu, S. Chawla, D. Cieslak, N. Chawla. "A Robust Decision Tree Algorithm for
       Imbalanced Data Sets". SDM 2010. Chapter 3 of W. Liu's thesis.

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
        criterion="ccp_entropy",
        *,
        max_depth=None,
        branch_weight="rate",
        pruning="fisher",
        p_value=1e-4,
        min_samples_leaf=2,
        max_features=None,
        smoothing=25.0,
        prior="parent",
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
        self.max_depth = max_depth
        self.branch_weight = branch_weight
        self.pruning = pruning
        self.p_value = p_value
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.smoothing = smoothing
        self.prior = prior
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
        X : {array-like, data frame} of shape (n, d)
            The examples; missing values are NaN.
        y : array-like of shape (n,)
            Their labels; two classes or more.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two counts as two.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; two classes only. Examples that cost nothing are left out.

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
            pruned.smooth(self.smoothing, self.prior)
            self.trees_.append(pruned)
        self.n_leaves_ = int(sum(nodes.is_leaf.sum() for nodes in self.trees_))
        return self

    def apply(self, X):
        """The leaf of each row, as a node's number.

        Parameters
        ----------
        X : {array-like, data frame} of shape (n, d)
            The examples.

        Returns
        -------
        ndarray of shape (n,), or (n, k) with more than two classes
        """
        X = self._validate_X(X)
        leaves = [nodes.leaves(X) for nodes in self.trees_]
        return leaves[0] if len(leaves) == 1 else np.column_stack(leaves)

    def rules(self):
        """The leaves as rules: a data frame with confidence, CCP, support and p-value.

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
        """Draw the tree, or its rules.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to; None: a new figure.
        kind : {"tree", "rules"}, default="tree"
            "tree": a box for each node with its question, counts, confidence, decision and what
            that loses of all that is at stake; "rules": leaves as points, the shares of both
            classes in them.
        max_depth : int or None, default=3
            Splits below are left out of the tree; None: all are drawn.
        label : default=None
            With more than two classes: whose tree is drawn; None: that of the first class.

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
