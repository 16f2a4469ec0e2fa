"""Classifier of significant association rules that are correlated with their class."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.columns import TakesCategories, read_training
from stakes._core.intake import check_weights, example_counts
from stakes._core.labels import code_labels
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Count, Listed, Maybe, Number, labels
from stakes.tree._association_items import cut_points, item_bounds, item_codes, item_list
from stakes.tree._association_jit import first_match
from stakes.tree._association_mine import mine
from stakes.tree._association_rules import RuleList, plot_list
from stakes.tree._docs import documented
from stakes.tree._rules import Names, json_text


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AssociationRuleClassifier(TakesCategories, CostSensitiveClassifier):
    r"""Rules "if x1 is in this interval and x2 is that, then class y"; the strongest one decides.

    A rule :math:`X \to y` holds for the share :math:`t` of its class and :math:`f` of the other.
    It is kept if its class correlation ratio and Fisher's exact test are

    .. math:: CCR = t / f > 1 , \qquad p < \alpha ,

    and if each of its conditions adds significantly to the others. Rules are ordered by
    :math:`(1 - p)\, CCR / (1 + CCR)`, where :math:`CCR / (1 + CCR)` is the class confidence
    proportion; the first rule that holds for an example decides.

    Parameters
    ----------
    p_value : float, default=0.001
        Significance level :math:`\alpha` of a rule, and of each of its conditions.
    ccr : float, default=1.0
        Minimum class correlation ratio.
    max_length : int, default=3
        Maximum number of conditions of a rule.
    min_support : int, default=5
        Minimum number of examples for which a rule holds.
    beam : int, default=500
        Number of rules of each length that are kept, strongest first.
    discretize : {"entropy", "quantile"}, default="entropy"
        How numbers become intervals: Fayyad and Irani's cuts, or equal counts.
    n_bins : int, default=5
        Number of intervals with "quantile".
    smoothing : float, default=1.0
        Examples added to those that a rule decides, per class (Laplace).
    [categories]
    [costs]

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Class labels; `classes_[1]` is the positive class.
    n_rules_ : int
        Number of rules; `rules` lists them.
    mean_regret_ : float
        Mean regret of the training examples.
    cuts_ : list of ndarray
        Cut points of each number.
    categories_ : list of ndarray or None
        Categories of each categorical feature, in the order of their codes.
    [seen]

    Notes
    -----
    The thesis uses SPARCCC as a baseline without saying how it predicts: the order of the rules,
    the test of each condition and the decision by the first rule are our reading.

    Costs act in the decision only. As weights in the counts they would have no effect where they
    differ by class only, since CCR is a ratio of class rates, and would make p-values meaningless.
    The probability of an example is the smoothed class share of the training examples that the
    same rule decides, as in the leaf of a tree. Rules are searched level by level from accepted
    ones, which can miss a rule none of whose parts is accepted.

    References
    ----------
    .. [1] F. Verhein, S. Chawla. "Using Significant, Positively Associated and Relatively Class
       Correlated Rules for Associative Classification of Imbalanced Datasets". ICDM 2007.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(2000, 3))
    >>> y = ((X[:, 0] > 0.8) & (X[:, 1] > 0.7)).astype(int)
    >>> model = AssociationRuleClassifier().fit(X, y)
    >>> float((model.predict(X) == y).mean())
    1.0
    """

    p_value: float = 1e-3
    ccr: float = 1.0
    max_length: int = 3
    min_support: int = 5
    beam: int = 500
    discretize: str = "entropy"
    n_bins: int = 5
    smoothing: float = 1.0
    categorical_features: object = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _file_state = FEATURES | {
        "classes_": labels(2),
        "categories_": Listed(Maybe(Array("label", (None,))), "d"),
        "cuts_": Listed(Array("f8", (None,)), "d"),
        "mean_regret_": Number(0),
        "n_rules_": Count("rules"),
        "_start": Array("i8", ("bounds",), low=0),
        "_feature": Array("i8", ("conditions",), low=0, below="d"),
        "_code": Array("i8", ("conditions",)),
        "_favours": Array("i8", ("rules",), low=0, high=1),
        "_rule_counts": Array("f8", ("rules", 2), low=0),
        "_log_p": Array("f8", ("rules",), infinite=True),
        "_strength": Array("f8", ("rules",), infinite=True),
        "_class_counts": Array("f8", (2,), low=0),
        **dict.fromkeys(("_cell_weight", "_cell_regret"), Array("f8", ("bounds", 2), low=0)),
    }

    @staticmethod
    def _check_file_state(state, scope):
        if "_start" not in state:
            return
        scope.bind("bounds", scope.sizes["rules"] + 1)
        start = state["_start"]
        if start[0] != 0 or start[-1] != scope.sizes["conditions"] or np.any(np.diff(start) <= 0):
            raise Damaged("the conditions of a rule point outside")
        if not (state["_cell_regret"].sum(axis=1) > 0).all():
            raise Damaged("the decisions of a rule cost nothing")

    _parameter_constraints = {
        **CostSensitiveClassifier._parameter_constraints,
        "p_value": [Interval(Real, 0, 1, closed="right")],
        "ccr": [Interval(Real, 1, None, closed="left")],
        "max_length": [Interval(Integral, 1, None, closed="left")],
        "min_support": [Interval(Integral, 1, None, closed="left")],
        "beam": [Interval(Integral, 1, None, closed="left")],
        "discretize": [StrOptions({"entropy", "quantile"})],
        "n_bins": [Interval(Integral, 2, 255, closed="both")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "categorical_features": ["array-like", None],
    }
    _info = LearnerInfo(family="tree", speed="medium", grid={"p_value": [1e-3, 1e-2]})

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Discretize the numbers, search for rules, count what each of them decides.

        Parameters
        ----------
        [training]
        sample_weight : array-like of shape (n,), default=None
            Weights; they count examples as in :class:`~stakes.tree.ConfidenceTreeClassifier`.
        [fit_costs]

        Returns
        -------
        self
        """
        X, y = read_training(self, X, y)
        self.classes_, signs = code_labels(y)
        costs = self._costs_of(len(signs), fp_cost, fn_cost, tp_cost, tn_cost)
        regret = costs.regret(signs > 0)
        weight = check_weights(sample_weight, X, ensure_non_negative=True)
        used = at_stake(weight * regret)
        X, positive, regret = X[used], (signs > 0)[used], regret[used]
        weight = example_counts(weight[used])
        self.mean_regret_ = float(np.average(regret, weights=weight))
        regret = regret / self.mean_regret_
        categorical = self._categorical
        self.cuts_ = [
            np.empty(0) if c else cut_points(x, positive, self.discretize, self.n_bins, weight)
            for x, c in zip(X.T, categorical, strict=True)
        ]
        codes = item_codes(X, self.cuts_, categorical)
        feature, code = item_list(codes, categorical, [len(cuts) for cuts in self.cuts_])
        holds = codes.T[feature] == code[:, None]
        limits = ("p_value", "ccr", "min_support", "max_length", "beam")
        limits = {name: getattr(self, name) for name in limits}
        found = mine(holds, feature, positive, weight, **limits)
        self._keep(found, feature, code, np.bincount(positive, weight, 2))
        self._count_cells(self._cells(codes), positive, weight, regret)
        return self

    def decision_function(self, X):
        """Regret of deciding negative minus that of deciding positive, as a share of their sum.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
        """
        cell, regret = self.apply(X), self._cell_regret
        return ((regret[:, 1] - regret[:, 0]) / regret.sum(axis=1))[cell]

    def predict_proba(self, X):
        """Smoothed class shares of the training examples that the same rule decides.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n, 2)
        """
        cell, weight = self.apply(X), self._cell_weight + self.smoothing
        return (weight / weight.sum(axis=1, keepdims=True))[cell]

    def apply(self, X):
        """Index of the rule that decides each row; `n_rules_` if none holds.

        Parameters
        ----------
        [rows]

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        X = self._validate_X(X)
        return self._cells(item_codes(X, self.cuts_, self._categorical))

    def rules(self, X=None, y=None, *, feature_names=None, category_names=None, **costs):
        """The rules, strongest first, with what they decide, CCR, money at stake and p-value.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d), default=None
            Rows to count examples and p-values on; None: the training rows, whose p-values are too
            small, since rules were searched for on them.
        y : array-like of shape (n,), default=None
            Labels of these rows.
        [names]
        **costs : float
            `fp_cost`, `fn_cost`, `tp_cost`, `tn_cost` to decide at; if none is given, those of
            training.

        Returns
        -------
        polars.DataFrame
            `rule`; its `decision` and `probability` of the positive class; of the examples that
            the rule is the first to hold for, the number, `examples`, their regrets, `at_stake`,
            and those that the decision gets wrong, `lost`; the class that the rule `favours`, its
            `ccr`, `confidence`, `support` and `p_value` among all examples for which it holds, and
            `p_adjusted` on other rows, for all rules together (Holm). The last row, "otherwise",
            is that of the examples for which no rule holds.
        """
        return self._rules_of(X, y, feature_names, category_names, costs).frame()

    def to_text(self, X=None, y=None, *, feature_names=None, category_names=None, **costs):
        """The rules as text, one per line, and what is decided if none of them holds.

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
        rules = self._rules_of(X, y, feature_names, category_names, costs)
        lines = []
        for r in rules.frame().iter_rows(named=True):
            lines.append(
                f"if {r['rule']} then {r['decision']} (probability of {self.classes_[1]} "
                f"{r['probability']:.3g} in {r['examples']:g} examples; at stake "
                f"{r['at_stake']:,.6g}, lost {r['lost']:,.6g}"
            )
            if r["ccr"] is not None:
                lines[-1] += (
                    f"; favours {r['favours']}: ccr {r['ccr']:.3g}, confidence "
                    f"{r['confidence']:.3g}, support {r['support']:.3g}, p {r['p_value']:.2g}"
                )
        lines[-1] = lines[-1].replace("if otherwise then", "else", 1)
        return "\n".join([*(f"{line})" for line in lines), rules.caveat])

    def to_json(self, X=None, y=None, *, feature_names=None, category_names=None, **costs):
        """The rules as JSON text, with the classes and a caveat on the p-values.

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
        rules = self._rules_of(X, y, feature_names, category_names, costs)
        return json_text(rules.classes, rules.caveat, rules.frame().to_dicts())

    def plot(self, ax=None, *, max_rules=20, feature_names=None, category_names=None, **costs):
        """Plot the strongest rules: probability, decision, examples and money of each.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to plot on; None: a new figure.
        max_rules : int, default=20
            Number of rules.
        [names]
        **costs : float
            As for :meth:`rules`.

        Returns
        -------
        matplotlib Axes
        """
        rules = self._rules_of(None, None, feature_names, category_names, costs)
        return plot_list(rules, ax, max_rules=max_rules)

    def _rules_of(self, X, y, feature_names, category_names, costs):
        check_is_fitted(self)
        rows = None if X is None else (self._validate_X(X), column_or_1d(y))
        return RuleList(self, Names(self, feature_names, category_names), costs, rows)

    def _keep(self, found, feature, code, class_counts):
        self.n_rules_ = len(found.items)
        flat = np.array([i for items in found.items for i in items], dtype=np.int64)
        sizes = [len(items) for items in found.items]
        self._start = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        self._feature, self._code = feature[flat], code[flat]
        self._favours, self._rule_counts = found.favours, found.counts
        self._log_p, self._strength = found.log_p, found.strength
        self._class_counts = class_counts

    def _count_cells(self, cell, positive, weight, regret):
        """Examples and regrets of each class that each rule decides; the last cell is the rest."""
        size = 2 * (self.n_rules_ + 1)
        at = 2 * cell + positive
        self._cell_weight = np.bincount(at, weight, size).reshape(-1, 2)
        sums = np.bincount(at, weight * regret, size).reshape(-1, 2)
        total = np.bincount(positive, weight, 2)
        mean = np.bincount(positive, weight * regret, 2) / np.where(total > 0, total, 1.0)
        self._cell_regret = sums + self.smoothing * mean

    def _scoring_parts(self):
        """Conditions, rules and what they say, for the export of a model.

        Conditions (feature, above, up to), the conditions of each rule as a table of zeros and
        ones, their number, and the probabilities and scores of the rules and of the rest.
        """
        j = self._feature
        bounds = [
            item_bounds(code, None if self._categorical[f] else self.cuts_[f])
            for f, code in zip(j, self._code, strict=True)
        ]
        above, up_to = np.array(bounds).reshape(-1, 2).T
        sizes = np.diff(self._start)
        members = np.repeat(np.eye(len(sizes)), sizes, axis=0)
        weight, regret = self._cell_weight + self.smoothing, self._cell_regret
        probability = weight[:, 1] / weight.sum(axis=1)
        score = (regret[:, 1] - regret[:, 0]) / regret.sum(axis=1)
        return (j, above, up_to, members), sizes, probability, score

    def _cells(self, codes):
        out = np.empty(len(codes), dtype=np.int64)
        first_match(codes, self._start, self._feature, self._code, out)
        return out

    def _text(self, k, names):
        conditions = []
        for c in range(self._start[k], self._start[k + 1]):
            j, code = self._feature[c], self._code[c]
            name = names.features[j]
            if self.categories_[j] is not None:
                conditions.append(f"{name} = {names.category(j, code)}")
                continue
            cuts = self.cuts_[j]
            if code == 0:
                conditions.append(f"{name} <= {cuts[0]:.6g}")
            elif code == len(cuts):
                conditions.append(f"{name} > {cuts[-1]:.6g}")
            else:
                conditions.append(f"{cuts[code - 1]:.6g} < {name} <= {cuts[code]:.6g}")
        return " and ".join(conditions)
