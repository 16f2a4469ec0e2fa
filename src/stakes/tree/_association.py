"""Classifier of significant association rules that are correlated with their class."""

from numbers import Integral, Real

import numpy as np
import polars as pl
from sklearn.utils.validation import check_is_fitted

from stakes._core.base import CostSensitiveClassifier, LearnerInfo, at_stake
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import FEATURES, Array, Count, Listed, labels
from stakes.tree._association_items import cut_points, item_codes, item_list
from stakes.tree._association_jit import first_match
from stakes.tree._association_mine import mine
from stakes.tree._base import TreeBase
from stakes.tree._bins import check_codes
from stakes.tree._docs import documented


@documented
class AssociationRuleClassifier(CostSensitiveClassifier):
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
    cuts_ : list of ndarray
        Cut points of each number.
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

    _file_state = FEATURES | {
        "classes_": labels(2),
        "_categorical": Array("b", ("d",)),
        "cuts_": Listed(Array("f8", (None,)), "d"),
        "n_rules_": Count("rules"),
        "_start": Array("i8", ("bounds",), low=0),
        "_feature": Array("i8", ("conditions",), low=0, below="d"),
        "_code": Array("i8", ("conditions",)),
        "_favours": Array("i8", ("rules",), low=0, high=1),
        "_rule_counts": Array("f8", ("rules", 2), low=0),
        "_log_p": Array("f8", ("rules",), infinite=True),
        "_strength": Array("f8", ("rules",), infinite=True),
        "_class_counts": Array("i8", (2,), low=0),
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

    _allow_nan = True
    _categorical_mask = TreeBase._categorical_mask
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

    def __init__(
        self,
        *,
        p_value=1e-3,
        ccr=1.0,
        max_length=3,
        min_support=5,
        beam=500,
        discretize="entropy",
        n_bins=5,
        smoothing=1.0,
        categorical_features=None,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
    ):
        self.p_value = p_value
        self.ccr = ccr
        self.max_length = max_length
        self.min_support = min_support
        self.beam = beam
        self.discretize = discretize
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.fp_cost = fp_cost
        self.fn_cost = fn_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Discretize the numbers, search for rules, count what each of them decides.

        Parameters
        ----------
        [training]
        [fit_costs]

        Returns
        -------
        self
        """
        X, signs = self._validate_Xy(X, y)
        costs = self._costs_of(len(signs), fp_cost, fn_cost, tp_cost, tn_cost)
        regret = costs.regret(signs > 0)
        used = at_stake(regret)
        X, positive, regret = X[used], (signs > 0)[used], regret[used] / regret[used].mean()
        self._categorical = self._categorical_mask(X.shape[1])
        for j in np.flatnonzero(self._categorical):
            check_codes(X[:, j], j)
        self.cuts_ = [
            np.empty(0) if category else cut_points(x, positive, self.discretize, self.n_bins)
            for x, category in zip(X.T, self._categorical, strict=True)
        ]
        codes = item_codes(X, self.cuts_, self._categorical)
        feature, code = item_list(codes, self._categorical, [len(cuts) for cuts in self.cuts_])
        holds = codes.T[feature] == code[:, None]
        limits = ("p_value", "ccr", "min_support", "max_length", "beam")
        found = mine(holds, feature, positive, **{name: getattr(self, name) for name in limits})
        self._keep(found, feature, code, np.bincount(positive, minlength=2))
        self._count_cells(self._cells(codes), positive, regret)
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

    def rules(self):
        """The rules, strongest first, with CCR, confidence, support, p-value and decided rows.

        Returns
        -------
        polars.DataFrame
        """
        check_is_fitted(self)
        totals = np.maximum(self._class_counts, 1)
        row = np.arange(self.n_rules_)
        own, other = (self._rule_counts[row, k] for k in (self._favours, 1 - self._favours))
        rates = own / totals[self._favours], other / totals[1 - self._favours]
        ratio = np.divide(*rates, out=np.full(self.n_rules_, np.inf), where=rates[1] > 0)
        return pl.DataFrame(
            {
                "rule": [self._text(k) for k in row],
                "class": [str(self.classes_[k]) for k in self._favours],
                "ccr": ratio,
                "confidence": own / np.maximum(own + other, 1),
                "support": (own + other) / totals.sum(),
                "p_value": np.exp(self._log_p),
                "log_p": self._log_p,
                "strength": self._strength,
                "decides": self._cell_weight[:-1].sum(axis=1).astype(np.int64),
            },
            schema_overrides={"rule": pl.String, "class": pl.String},
        )

    def to_text(self):
        """The rules as text, one per line, and the examples that none of them decides.

        Returns
        -------
        str
        """
        lines = [
            f"if {r['rule']} then {r['class']} (ccr {r['ccr']:.3g}, confidence "
            f"{r['confidence']:.3g}, support {r['support']:.3g}, p {r['p_value']:.2g})"
            for r in self.rules().iter_rows(named=True)
        ]
        rest = self._cell_weight[-1]
        lines.append(f"else {rest[1]:g} of {rest.sum():g} examples are {self.classes_[1]}")
        return "\n".join(lines)

    def _keep(self, found, feature, code, class_counts):
        self.n_rules_ = len(found.items)
        flat = np.array([i for items in found.items for i in items], dtype=np.int64)
        sizes = [len(items) for items in found.items]
        self._start = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        self._feature, self._code = feature[flat], code[flat]
        self._favours, self._rule_counts = found.favours, found.counts
        self._log_p, self._strength = found.log_p, found.strength
        self._class_counts = class_counts

    def _count_cells(self, cell, positive, regret):
        """Examples and regrets of each class that each rule decides; the last cell is the rest."""
        size = 2 * (self.n_rules_ + 1)
        at = 2 * cell + positive
        self._cell_weight = np.bincount(at, minlength=size).reshape(-1, 2).astype(np.float64)
        sums = np.bincount(at, regret, size).reshape(-1, 2)
        mean = np.bincount(positive, regret, 2) / np.maximum(np.bincount(positive, minlength=2), 1)
        self._cell_regret = sums + self.smoothing * mean

    def _cells(self, codes):
        out = np.empty(len(codes), dtype=np.int64)
        first_match(codes, self._start, self._feature, self._code, out)
        return out

    def _text(self, k):
        names = getattr(self, "feature_names_in_", None)
        conditions = []
        for c in range(self._start[k], self._start[k + 1]):
            j, code = self._feature[c], self._code[c]
            name = f"x{j}" if names is None else names[j]
            if self._categorical[j]:
                conditions.append(f"{name} = {code}")
                continue
            cuts = self.cuts_[j]
            if code == 0:
                conditions.append(f"{name} <= {cuts[0]:.6g}")
            elif code == len(cuts):
                conditions.append(f"{name} > {cuts[-1]:.6g}")
            else:
                conditions.append(f"{cuts[code - 1]:.6g} < {name} <= {cuts[code]:.6g}")
        return " and ".join(conditions)
