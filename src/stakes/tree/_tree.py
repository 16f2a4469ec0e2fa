"""Decision tree whose splits do not depend on the class frequencies."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.tree._base import TreeBase
from stakes.tree._complexity import prune_by_complexity
from stakes.tree._diagram import graphviz_text, plot_rules, plot_tree
from stakes.tree._docs import documented
from stakes.tree._nodes import SEEDS, grow_nodes
from stakes.tree._prune import prune
from stakes.tree._rules import Names, TreeRules, rules_frame, rules_json, rules_text


@documented
@dataclass(kw_only=True, eq=False, repr=False)
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
    pruning : {"fisher", "fisher_leaves", "error", "complexity"} or None, default="fisher"
        "fisher": remove branches without a significant inner node (Algorithms 3 to 5);
        "fisher_leaves": a significant leaf keeps its branch too; "error": as in C4.5;
        "complexity": as in CART, with the penalty per leaf that errs least in five folds.
    p_value : float, default=1e-4
        Significance level: rules with a smaller p-value are significant.
    min_samples_leaf : float, default=2
        Minimum number of examples of a leaf. Weights that are whole multiples of the smallest count
        as copies; others are scaled to Kish's effective number of examples, so that their unit does
        not matter.
    max_features : int or None, default=None
        Number of features drawn and tried in each node; None: all.
    smoothing : float, default=25.0
        Examples added to a leaf, per class.
    [leaves]
    exact_rows : int, default=256
        Nodes up to this size try every threshold, not only bin edges.
    random_state : int, RandomState instance or None, default=None
        Seed of the feature draws.
    [cost_matrix]
    [costs]

    Attributes
    ----------
    nodes_ : Nodes
        The tree.
    n_leaves_ : int
        Number of leaves.
    feature_importances_ : ndarray of shape (d,)
        Share of each feature in the total gain of the splits.
    [fitted]

    Notes
    -----
    Eq. 3.16 weighs branches by rates, Algorithm 2 by counts: `branch_weight`. Line 10 of
    Algorithm 2 prints the logarithm of the negative proportion twice; the first must be that of
    the positive one. Algorithms 3 and 4 test inner nodes only, although the text promises to keep
    every significant rule; "fisher_leaves" does. Categories are split into two groups, where the
    thesis creates a branch per category; missing values go to the side with the larger gain.

    The p-value of a rule is that of a test that was planned before the data were seen. Splits are
    searched, so that p-values on training rows are too small: read them as a pruning threshold and
    an order. :meth:`rules` with other rows gives valid ones.

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

    pruning: str | None = "fisher"
    p_value: float = 1e-4
    max_features: int | None = None
    smoothing: float = 25.0
    exact_rows: int = 256

    _parameter_constraints = TreeBase._parameter_constraints | {
        "pruning": [StrOptions({"fisher", "fisher_leaves", "error", "complexity"}), None],
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Grow and prune the tree.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight two counts as two of weight one.
        [fit_costs]
            Two classes only.

        Returns
        -------
        self
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        binned, label, weight, size, regret, _ = self._validate_training(X, y, sample_weight, given)
        d = binned.X.shape[1]
        settings = self._settings(d if self.max_features is None else min(self.max_features, d))
        seed = int(check_random_state(self.random_state).randint(1, SEEDS))
        full = grow_nodes(binned, label, weight, size, regret, settings, seed=seed)
        examples = (binned.X, label, weight, size, regret)
        if self.pruning == "complexity":
            self.nodes_ = prune_by_complexity(full, binned, examples[1:], settings, seed)
        else:
            self.nodes_ = prune(full, self.pruning, self.p_value, examples)
        self.nodes_.smooth(self.smoothing, self.smoothing_target, binned.monotonic)
        self.n_leaves_ = int(self.nodes_.is_leaf.sum())
        return self

    def apply(self, X):
        """Leaf of each row, as a node index.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.nodes_.leaves(self._validate_X(X))

    def decision_path(self, X):
        """Nodes that each row visits, as in scikit-learn.

        Parameters
        ----------
        [rows]

        Returns
        -------
        csr_matrix of shape (n, n_nodes)
            1 where the row passes the node.
        """
        leaf = self.apply(X)
        parent = np.full(len(self.nodes_), -1)
        for k in np.flatnonzero(~self.nodes_.is_leaf):
            parent[self.nodes_.left[k] : self.nodes_.left[k] + 2] = k
        rows, nodes, at = [], [], leaf.astype(np.intp)
        while (at >= 0).any():
            there = np.flatnonzero(at >= 0)
            rows.append(there)
            nodes.append(at[there])
            at = np.where(at >= 0, parent[at], -1)
        rows, nodes = np.concatenate(rows), np.concatenate(nodes)
        ones = np.ones(len(rows), dtype=np.int64)
        return sparse.csr_matrix((ones, (rows, nodes)), shape=(len(leaf), len(parent)))

    def get_depth(self):
        """Depth of the tree: the largest number of splits above a leaf."""
        check_is_fitted(self)
        return int(self.nodes_.depth.max())

    def get_n_leaves(self):
        """Number of leaves."""
        check_is_fitted(self)
        return self.n_leaves_

    def rules(self, X=None, y=None, *, feature_names=None, category_names=None, **costs):
        """The leaves as rules: decision, probability, coverage, money at stake, p-value.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d), default=None
            Rows to count examples and p-values on; None: the training rows, whose p-values are too
            small, since splits were searched for on them. With other rows a p-value is valid for
            its rule, and `p_adjusted`, by Holm's method, for all rules together.
        y : array-like of shape (n,), default=None
            Labels of these rows.
        [names]
        **costs : float
            `fp_cost`, `fn_cost`, `tp_cost`, `tn_cost` to decide at; if none is given, those of
            training.

        Returns
        -------
        polars.DataFrame
            One row per leaf, in the order of the p-values: `rule`; `decision`; `probability` of the
            positive class (of the decision, with more than two); `support`, the share of all
            examples, and `examples`, their number; `at_stake`, the regrets of all these examples,
            and `lost`, those of the examples that the decision gets wrong; `cost_ratio`, how often
            the regret of a false positive must go into that of a false negative for the decision
            to be positive; `favours`, the class whose share exceeds its share at the root most,
            its `confidence` and `ccp`; `p_value`, `log_p` and `p_adjusted`.
        """
        check_is_fitted(self)
        return rules_frame(self._rules_of(X, y, feature_names, category_names, costs))

    def to_text(self, X=None, y=None, *, feature_names=None, category_names=None, **costs):
        """The tree as indented text, with the facts of :meth:`rules` for each node.

        Parameters
        ----------
        X, y
            As for :meth:`rules`.
        [names]
        **costs : float
            As for :meth:`rules`.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return rules_text(self._rules_of(X, y, feature_names, category_names, costs))

    def to_json(self, X=None, y=None, *, feature_names=None, category_names=None, **costs):
        """The rules as JSON text, with classes, costs and a caveat on the p-values.

        Parameters
        ----------
        X, y
            As for :meth:`rules`.
        [names]
        **costs : float
            As for :meth:`rules`.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        return rules_json(self._rules_of(X, y, feature_names, category_names, costs))

    def to_graphviz(self, *, feature_names=None, category_names=None, max_depth=None, **costs):
        """The tree in the DOT language of Graphviz.

        Parameters
        ----------
        [names]
        max_depth : int or None, default=None
            Depth down to which the tree is written; None: all of it.
        **costs : float
            As for :meth:`rules`.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        rules = self._rules_of(None, None, feature_names, category_names, costs)
        return graphviz_text(rules, max_depth)

    def plot(
        self,
        ax=None,
        *,
        kind="tree",
        max_depth=3,
        feature_names=None,
        category_names=None,
        fontsize="x-small",
        **costs,
    ):
        """Plot the tree, or its rules.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; None: a new figure.
        kind : {"tree", "rules"}, default="tree"
            "tree": one box per node with its condition, counts, decision, probability and the money
            that this decision loses; "rules": leaves as points, by the share of each class that
            they hold (two classes).
        max_depth : int or None, default=3
            Depth down to which the tree is drawn; None: all of it.
        [names]
        fontsize : float or str, default="x-small"
            As in matplotlib.
        **costs : float
            As for :meth:`rules`.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        if kind not in ("tree", "rules"):
            raise ValueError(f"kind must be 'tree' or 'rules'. Got {kind!r} instead.")
        rules = self._rules_of(None, None, feature_names, category_names, costs)
        if kind == "rules":
            return plot_rules(rules, ax)
        return plot_tree(rules, ax, max_depth=max_depth, fontsize=fontsize)

    def _rules_of(self, X, y, feature_names, category_names, costs):
        rows = None if X is None else (self._validate_X(X), column_or_1d(y))
        return TreeRules(self, Names(self, feature_names, category_names), costs, rows)

    def _leaf_values(self, X, what):
        return getattr(self.nodes_, what)[self.nodes_.leaves(X)]
