"""Forest of class-confidence trees, which the thesis names as future work."""

import copy
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import LearnerInfo
from stakes._core.parallel import N_JOBS
from stakes._core.sklearn_private import Interval, RealNotInt, StrOptions, fit_context
from stakes._core.stored.spec import Array
from stakes.tree._base import TreeBase
from stakes.tree._docs import documented
from stakes.tree._nodes import SEEDS, grow_nodes, join
from stakes.tree._walk_jit import add_leaf_values

_OWN = ("n_estimators", "random_state", "n_jobs")  # parameters in which merged forests may differ


@documented
@dataclass(kw_only=True, eq=False, repr=False)
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
    min_samples_leaf : float, default=2
        Minimum number of drawn examples in a leaf; weights count as in
        :class:`~stakes.tree.ConfidenceTreeClassifier`.
    max_features : "sqrt", int, float or None, default=1/3
        Number or share of the features tried in each node; None: all.
    bootstrap : {"plain", "balanced"} or None, default="plain"
        "plain": as many examples as there are, drawn with replacement; "balanced": from each class
        as many as the rarer one has, with all examples counted in the leaves, so that
        probabilities keep the training frequencies; None: all examples in every tree.
    smoothing : float, default=0.25
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
    [cost_matrix]
    [costs]

    Attributes
    ----------
    nodes_ : Nodes
        All trees in one set of nodes.
    roots_ : ndarray of shape (n_estimators,)
        Root of each tree.
    feature_importances_ : ndarray of shape (d,)
        Share of each feature in the total gain of the splits.
    oob_probability_ : ndarray of shape (n,)
        With `oob=True`: out-of-bag probability of the positive class; NaN for examples that every
        tree drew, or that cost nothing.
    oob_cost_ : float
        With `oob=True`: mean cost of the decisions by these probabilities.
    [fitted]

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
    (2.48, 3.24)
    """

    _file_state = {"roots_": Array("i", (None,), low=0)}

    n_estimators: int = 100
    max_features: object = 1 / 3
    bootstrap: str | None = "plain"
    smoothing: float = 0.25
    exact_rows: int = 0
    oob: bool = False
    n_jobs: int | None = None

    _parameter_constraints = TreeBase._parameter_constraints | {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            None,
            StrOptions({"sqrt"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "bootstrap": [StrOptions({"plain", "balanced"}), None],
        "oob": ["boolean"],
        "n_jobs": N_JOBS,
    }
    _info = LearnerInfo(
        family="tree",
        speed="fast",
        grid={"min_samples_leaf": [2, 10], "criterion": ["ccp_entropy", "entropy"]},
    )

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
        examples = self._validate_training(X, y, sample_weight, given)
        self._check_out_of_bag()
        settings = self._settings(self._features_tried(self.n_features_in_))
        seeds = check_random_state(self.random_state).randint(1, SEEDS, size=self.n_estimators)
        grown = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._one_tree)(examples, settings, int(seed)) for seed in seeds
        )
        self.nodes_, self.roots_ = join(grown)
        if self.oob:
            self._predict_out_of_bag(examples, given, grown, seeds)
        return self

    def merge(self, other):
        """One forest of the trees of two, which were grown on different examples.

        Parameters
        ----------
        other : ConfidenceForestClassifier
            Another forest, with the same parameters except for `n_estimators` and `random_state`,
            the same classes, features and categories.

        Returns
        -------
        ConfidenceForestClassifier
            A new forest; the two old ones do not change.
        """
        check_is_fitted(self)
        check_is_fitted(other)
        if _identity(self) != _identity(other):
            raise ValueError(
                "Only forests with equal parameters, classes, features and categories can be "
                "merged."
            )
        merged = copy.copy(self)
        merged.nodes_, (_, first) = join([self.nodes_, other.nodes_])
        merged.roots_ = np.concatenate([self.roots_, other.roots_ + first])
        merged.n_estimators = len(merged.roots_)
        merged.has_missing_ = self.has_missing_ | other.has_missing_
        shares = len(self.roots_) / len(merged.roots_), len(other.roots_) / len(merged.roots_)
        merged.mean_regret_ = shares[0] * self.mean_regret_ + shares[1] * other.mean_regret_
        for name in ("oob_probability_", "oob_cost_"):  # of rows that the other one did not see
            vars(merged).pop(name, None)
        return merged

    def _features_tried(self, d):
        tried = {"sqrt": int(np.sqrt(d)), None: d}.get(self.max_features, self.max_features)
        if not isinstance(tried, Integral):
            tried = int(tried * d)
        return min(max(tried, 1), d)

    def _one_tree(self, examples, settings, seed):
        binned, label, weight, size, regret, _ = examples
        times = self._draw(label, seed)
        nodes = grow_nodes(
            binned, label, weight * times, size * times, regret, settings, seed=seed, tested=False
        )
        if self.bootstrap == "balanced":
            nodes.recount(binned.X, label, weight, regret)
        nodes.smooth(self.smoothing, self.smoothing_target, binned.monotonic)
        return nodes

    def _draw(self, label, seed):
        """Number of times that each example is drawn for the tree of this seed."""
        n, rng = len(label), np.random.default_rng(seed)
        if self.bootstrap is None:
            return np.ones(n)
        if self.bootstrap == "plain":
            return np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        classes = [np.flatnonzero(label == k) for k in range(len(self.classes_))]
        size = min(len(rows) for rows in classes) or n
        chosen = [rng.choice(rows, size) for rows in classes if len(rows)]
        return np.bincount(np.concatenate(chosen), minlength=n).astype(np.float64)

    def _leaf_values(self, X, what):
        """Mean over the trees of a value of the leaves."""
        n_jobs, values = effective_n_jobs(self.n_jobs), getattr(self.nodes_, what)
        columns = values[:, None] if values.ndim == 1 else values
        found = []
        for column in np.ascontiguousarray(columns.T):
            out = np.zeros(len(X))
            parts = zip(np.array_split(X, n_jobs), np.array_split(out, n_jobs), strict=True)
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(add_leaf_values)(x, self.nodes_.walk, self.roots_, column, sums)
                for x, sums in parts
            )
            found.append(out / len(self.roots_))
        return found[0] if values.ndim == 1 else np.column_stack(found)

    def _check_out_of_bag(self):
        if self.oob and (self.bootstrap is None or len(self.classes_) > 2):
            raise ValueError(
                "oob=True needs two classes, for which costs are defined, and bootstrap='plain' or "
                "'balanced'; with bootstrap=None every tree sees every example."
            )

    def _predict_out_of_bag(self, examples, given, grown, seeds):
        """Set the out-of-bag probabilities of all examples, and the mean cost of the decisions."""
        X, positive, used = examples.binned.X, examples.label == 1, examples.used
        total, times = np.zeros(len(X)), np.zeros(len(X))
        for nodes, seed in zip(grown, seeds, strict=True):
            unseen = self._draw(examples.label, int(seed)) == 0
            total[unseen] += nodes.probability[nodes.leaves(X[unseen])]
            times += unseen
        out = times > 0
        probability = total[out] / times[out]
        costs = self._costs_of(len(used), **given)[used][out]
        paid = costs.paid(positive[out], costs.decide(probability))
        weight = examples.size[out]
        self.oob_cost_ = float(np.average(paid, weights=weight)) if out.any() else np.nan
        self.oob_probability_ = np.full(len(used), np.nan)
        self.oob_probability_[np.flatnonzero(used)[out]] = probability


def _identity(forest):
    """All that two forests must share to be merged, in a form that can be compared."""
    params = {k: v for k, v in forest.get_params().items() if k not in _OWN}
    known = [None if one is None else one.tolist() for one in forest.categories_]
    names = list(getattr(forest, "feature_names_in_", ()))
    return repr((params, forest.classes_.tolist(), forest.n_features_in_, names, known))
