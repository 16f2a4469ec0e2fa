"""Forest of class-confidence trees, which the thesis names as future work."""

from numbers import Integral

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from stakes._core.base import LearnerInfo
from stakes._core.sklearn_private import Interval, RealNotInt, StrOptions, fit_context
from stakes.tree._base import TREE_CONSTRAINTS, TreeBase
from stakes.tree._docs import documented
from stakes.tree._nodes import SEEDS, grow_nodes, join
from stakes.tree._walk_jit import add_leaf_values


@documented
class ConfidenceForestClassifier(TreeBase):
    r"""Average of class-confidence trees, each grown on its own bootstrap sample.

    .. math:: P(y = 1 \mid x) = \frac1T \sum_{t=1}^T \frac{n_{t1}(x)}{n_{t0}(x) + n_{t1}(x)} ,

    where :math:`n_{tk}(x)` is the smoothed weight of class k in the leaf of tree t that x reaches.
    Splits are chosen as in :class:`~stakes.tree.ConfidenceTreeClassifier`, among features drawn in
    each node; trees are not pruned.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    [criterion]
    min_samples_leaf : float, default=20
        Minimum weight of the drawn examples in a leaf.
    max_features : "sqrt", int, float or None, default=1/3
        Number or share of the features tried in each node; None: all.
    bootstrap : {"plain", "balanced"} or None, default="plain"
        "plain": as many examples as there are, drawn with replacement; "balanced": from each class
        as many as the rarer one has, with all examples counted in the leaves, so that
        probabilities keep the training frequencies; None: all examples in every tree.
    smoothing : float, default=5.0
        Examples added to a leaf, per class.
    [leaves]
    exact_rows : int, default=0
        Nodes up to this size try every threshold, not only bin edges.
    oob : bool, default=False
        Whether to predict each training example with the trees that did not draw it.
    n_jobs : int, default=None
        Number of threads; results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the bootstrap and the feature draws.
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        Class labels.
    trees_ : list of Nodes
        All trees in one set of nodes; with more than two classes, one forest per class.
    roots_ : list of ndarray of shape (n_estimators,)
        Root of each tree.
    oob_probability_ : ndarray of shape (n,)
        With `oob=True`: out-of-bag probability of the positive class; NaN for examples that every
        tree drew, or that cost nothing.
    oob_cost_ : float
        With `oob=True`: mean cost of the decisions by these probabilities.
    has_missing_ : ndarray of bool of shape (d,)
        Features with missing values in the training set.
    [seen]

    References
    ----------
    [thesis]

    Examples
    --------
    >>> from stakes.datasets import make_fraud
    >>> data = make_fraud(2000, random_state=0)
    >>> model = ConfidenceForestClassifier(n_estimators=20, oob=True, random_state=0)
    >>> model = model.fit(data.X, data.y, fp_cost=data.fp_cost, fn_cost=data.fn_cost)
    >>> no_alarm = (data.fn_cost * data.y).mean()
    >>> round(model.oob_cost_, 2), round(float(no_alarm), 2)
    (2.26, 3.24)
    """

    _parameter_constraints = {
        **TreeBase._parameter_constraints,
        **TREE_CONSTRAINTS,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            None,
            StrOptions({"sqrt"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "bootstrap": [StrOptions({"plain", "balanced"}), None],
        "oob": ["boolean"],
        "n_jobs": [None, Integral],
    }
    _info = LearnerInfo(
        family="tree",
        speed="fast",
        grid={"min_samples_leaf": [5, 20], "criterion": ["ccp_entropy", "entropy"]},
    )

    def __init__(
        self,
        *,
        n_estimators=100,
        criterion="ccp_entropy",
        branch_weight="rate",
        max_depth=None,
        min_samples_leaf=20,
        max_features=1 / 3,
        bootstrap="plain",
        smoothing=5.0,
        smoothing_target="parent",
        categorical_features=None,
        max_bins=255,
        exact_rows=0,
        oob=False,
        n_jobs=None,
        random_state=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.branch_weight = branch_weight
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.smoothing = smoothing
        self.smoothing_target = smoothing_target
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.exact_rows = exact_rows
        self.oob = oob
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Grow the trees.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; a drawn example of weight two counts as two.
        [fit_costs]
            Two classes only.

        Returns
        -------
        self
        """
        given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        binned, index, weight, regret, used = self._validate_training(X, y, sample_weight, given)
        self._check_out_of_bag()
        settings = self._settings(self._features_tried(binned.X.shape[1]))
        random = check_random_state(self.random_state)
        self.trees_, self.roots_ = [], []
        for k in range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_)):
            positive = index == k
            seeds = random.randint(1, SEEDS, size=self.n_estimators)
            grown = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._one_tree)(binned, positive, weight, regret, settings, int(seed))
                for seed in seeds
            )
            forest, roots = join(grown)
            self.trees_.append(forest)
            self.roots_.append(roots)
            if self.oob:
                costs = self._costs_of(len(used), **given)[used]
                self.oob_probability_ = np.full(len(used), np.nan)
                self.oob_probability_[used] = self._predict_out_of_bag(
                    binned.X, positive, weight, costs, grown, seeds
                )
        return self

    def importances(self, X, y, *, n_repeats=5, random_state=None, **costs):
        """Permutation importance in money: extra cost per row when a feature is shuffled.

        Parameters
        ----------
        [rows]
            They should not be training rows.
        y : array-like of shape (n,)
            Labels; two classes.
        n_repeats : int, default=5
            Number of shuffles per feature.
        random_state : int, RandomState instance or None, default=None
            Seed of the shuffles.
        **costs : float or array-like of shape (n,)
            `fp_cost`, `fn_cost`, `tp_cost`, `tn_cost`.

        Returns
        -------
        ndarray of shape (d,)
            Mean cost with the feature shuffled minus mean cost without.
        """
        X, random = self._validate_X(X).copy(), check_random_state(random_state)
        if len(self.classes_) > 2:
            raise ValueError(f"importances needs two classes. Got {len(self.classes_)} instead.")
        prices = self._costs_of(len(X), **costs)
        positive = column_or_1d(y) == self.classes_[1]

        def cost():
            probability = self._leaf_values(X, "probability")[0]
            return prices.paid(positive, prices.decide(probability)).mean()

        plain, found = cost(), np.zeros(X.shape[1])
        for f in range(X.shape[1]):
            column = X[:, f].copy()
            for _ in range(n_repeats):
                X[:, f] = random.permutation(column)
                found[f] += (cost() - plain) / n_repeats
            X[:, f] = column
        return found

    def _features_tried(self, d):
        tried = {"sqrt": int(np.sqrt(d)), None: d}.get(self.max_features, self.max_features)
        if not isinstance(tried, Integral):
            tried = int(tried * d)
        return min(max(tried, 1), d)

    def _one_tree(self, binned, positive, weight, regret, settings, seed):
        draws = weight * self._draw(positive, seed)
        nodes = grow_nodes(binned, positive, draws, regret, settings, seed=seed, tested=False)
        if self.bootstrap == "balanced":
            nodes.recount(binned.X, positive, weight, regret)
        nodes.smooth(self.smoothing, self.smoothing_target)
        return nodes

    def _draw(self, positive, seed):
        """Number of times that each example is drawn for the tree of this seed."""
        n, rng = len(positive), np.random.default_rng(seed)
        if self.bootstrap is None:
            return np.ones(n)
        if self.bootstrap == "plain":
            return np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        classes = [np.flatnonzero(~positive), np.flatnonzero(positive)]
        size = min(len(rows) for rows in classes) or n
        chosen = [rng.choice(rows, size) for rows in classes if len(rows)]
        return np.bincount(np.concatenate(chosen), minlength=n).astype(np.float64)

    def _leaf_values(self, X, what):
        """Mean over the trees of a value of the leaves, one array per forest."""
        n_jobs, found = effective_n_jobs(self.n_jobs), []
        for nodes, roots in zip(self.trees_, self.roots_, strict=True):
            walk, values, out = nodes.walk, getattr(nodes, what), np.zeros(len(X))
            parts = zip(np.array_split(X, n_jobs), np.array_split(out, n_jobs), strict=True)
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(add_leaf_values)(x, walk, roots, values, sums) for x, sums in parts
            )
            found.append(out / len(roots))
        return found

    def _check_out_of_bag(self):
        if self.oob and (self.bootstrap is None or len(self.classes_) > 2):
            raise ValueError(
                "oob=True needs two classes, for which costs are defined, and bootstrap='plain' or "
                "'balanced'; with bootstrap=None every tree sees every example."
            )

    def _predict_out_of_bag(self, X, positive, weight, costs, grown, seeds):
        total, times = np.zeros(len(X)), np.zeros(len(X))
        for nodes, seed in zip(grown, seeds, strict=True):
            unseen = self._draw(positive, int(seed)) == 0
            total[unseen] += nodes.probability[nodes.leaves(X[unseen])]
            times += unseen
        left_out = times > 0
        probability = np.full(len(X), np.nan)
        probability[left_out] = total[left_out] / times[left_out]
        decided = costs[left_out].decide(probability[left_out])
        paid = costs[left_out].paid(positive[left_out], decided)
        self.oob_cost_ = (
            float(np.average(paid, weights=weight[left_out])) if left_out.any() else np.nan
        )
        return probability
