"""From costs to the margin theta_t that each example of a stream must reach."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.special import expit

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES
from stakes.online_kernel._base import KernelOnline
from stakes.online_kernel._docs import documented

MARGIN_CONSTRAINTS = {
    **COST_CONSTRAINTS,
    "cost_rule": [StrOptions({"regret", "balanced"})],
    "class_ratio": [StrOptions({"oracle"}), Interval(Real, 0.0, None, closed="neither"), None],
    "positive_weight": [Interval(Real, 0.0, 1.0, closed="neither")],
    "normalize_costs": ["boolean"],
}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PricedMargins(KernelOnline):
    r"""Costs for a kernel learner: example t must reach the margin :math:`\theta_t`.

    With c_t the regret of example t (`fn - tp` of a positive, `fp - tn` of a negative):

    * `cost_rule="regret"`: :math:`\theta_t = c_t / \bar c_n`, with the mean of `fp - tn` over the
      examples so far. With one cost per class this is the paper's c_p / c_n and 1.
    * `cost_rule="balanced"`: :math:`\theta_t = c_t / \bar c_{y_t}`, times
      :math:`\frac{\eta_p}{\eta_n} \frac{T_n}{T_p}` for a positive, with the mean regret of the
      example's own class. With one cost per class the costs cancel, as they do in the sum.
    """

    cost_rule: str = "regret"
    class_ratio: float | str | None = None
    positive_weight: float = 0.5
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    normalize_costs: bool = True

    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, True)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X, y, sample_weight=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn from scratch, reading the examples in the given order unless `shuffle`.

        Parameters
        ----------
        [labeled]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self._fit(X, y, sample_weight, **costs)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X,
        y,
        classes=None,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Learn from more examples; one call with n equals n calls with one.

        Parameters
        ----------
        [stream]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        self
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        self._stream(X, y, classes, sample_weight, **costs)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def decision_function_then_learn(
        self,
        X,
        y,
        classes=None,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Do what `partial_fit` does, and return the score of each example before it is learned.

        Parameters
        ----------
        [stream]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        ndarray of shape (n,)
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return self._stream(X, y, classes, sample_weight, **costs)

    @fit_context(prefer_skip_nested_validation=True)
    def predict_proba_then_learn(
        self,
        X,
        y,
        classes=None,
        sample_weight=None,
        *,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Do what `partial_fit` does; return the probability of each row before it was learned.

        Parameters
        ----------
        [stream]
        [sample_weight]
        [fit_costs]

        Returns
        -------
        ndarray of shape (n,)
            Probability of the positive class.
        """
        costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        return expit(self._stream(X, y, classes, sample_weight, log_odds=True, **costs))

    def learn_one(
        self,
        x,
        y,
        *,
        classes=None,
        sample_weight=None,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Learn one example.

        Parameters
        ----------
        [one_labeled]
        [one_costs]

        Returns
        -------
        self
        """
        # as Costs.of would, in plain Python: a line takes less than a tenth of a microsecond
        try:
            fp = float(
                (self.fp_cost if fp_cost is None else fp_cost)
                - (self.tn_cost if tn_cost is None else tn_cost)
            )
            fn = float(
                (self.fn_cost if fn_cost is None else fn_cost)
                - (self.tp_cost if tp_cost is None else tp_cost)
            )
        except (TypeError, ValueError):
            fp = fn = np.nan
        if not (0.0 <= fp < np.inf and 0.0 <= fn < np.inf):
            costs = self._costs_of(1, fp_cost, fn_cost, tp_cost, tn_cost)  # names what is wrong
            fp, fn = costs.negative_regret[0], costs.positive_regret[0]
        return self._learn_one(x, y, classes, fp, fn, sample_weight)

    def _start(self, n_features, X=None, signs=None):
        super()._start(n_features, X, signs)
        self._ratio = 0.0 if self.class_ratio in (None, "oracle") else float(self.class_ratio)
        if self.class_ratio == "oracle":
            if signs is None:
                raise ValueError(
                    "class_ratio='oracle' needs all labels at once, so it works with fit only; in "
                    "a stream give the number T_n / T_p, or None for the running estimate."
                )
            self._ratio = np.count_nonzero(signs < 0) / np.count_nonzero(signs > 0)

    def _rule(self):
        odds = self.positive_weight / (1.0 - self.positive_weight)
        return self.cost_rule == "balanced", bool(self.normalize_costs), self._ratio, odds
