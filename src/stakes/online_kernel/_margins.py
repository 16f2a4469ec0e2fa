"""From prices to the margin theta_t that each example of a stream must reach."""

from numbers import Real

import numpy as np

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.sklearn_private import Interval, StrOptions, fit_context
from stakes.costs import COST_NAMES
from stakes.online_kernel._margins_jit import margin_pass

MARGIN_CONSTRAINTS = {
    **COST_CONSTRAINTS,
    "objective": [StrOptions({"sum", "cost"})],
    "class_ratio": [StrOptions({"oracle"}), Interval(Real, 0.0, None, closed="neither"), None],
    "positive_weight": [Interval(Real, 0.0, 1.0, closed="neither")],
    "normalize_costs": ["boolean"],
}


class PricedMargins:
    r"""Prices for a kernel learner: example t must reach the margin :math:`\theta_t`.

    With c_t the regret of example t (`fn - tp` of a positive, `fp - tn` of a negative):

    * `objective="cost"`: :math:`\theta_t = c_t / \bar c_n`, with the mean of `fp - tn` over the
      examples so far. With one price per class this is the paper's c_p / c_n and 1.
    * `objective="sum"`: :math:`\theta_t = c_t / \bar c_{y_t}`, times
      :math:`\frac{\eta_p}{\eta_n} \frac{T_n}{T_p}` for a positive, with the mean regret of the
      example's own class. With one price per class the prices cancel, as they do in the sum.
    """

    __metadata_request__fit = dict.fromkeys(COST_NAMES, True)
    __metadata_request__partial_fit = dict.fromkeys(COST_NAMES, True)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Learn from scratch, reading the examples in the given order unless `shuffle`.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels, of two classes.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; None: the constructor's numbers.

        Returns
        -------
        self
        """
        return self._fit(X, y, fp_cost, fn_cost, tp_cost, tn_cost)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X, y, classes=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn on from more examples; n calls with one example equal one call with n.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n, d)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        classes : array-like of shape (2,), default=None
            Both labels; needed in the first call unless its y has them both.
        fp_cost, fn_cost, tp_cost, tn_cost : float or array-like of shape (n,), default=None
            What the four outcomes cost; None: the constructor's numbers.

        Returns
        -------
        self
        """
        self._stream(X, y, classes, fp_cost, fn_cost, tp_cost, tn_cost)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def score_then_learn(
        self, X, y, classes=None, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Do what `partial_fit` does, and tell how each example scored before it was learned.

        Parameters
        ----------
        X, y, classes, fp_cost, fn_cost, tp_cost, tn_cost
            As in `partial_fit`.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` of every row at the moment before it was learned.
        """
        return self._stream(X, y, classes, fp_cost, fn_cost, tp_cost, tn_cost)

    def learn_one(
        self, x, y, *, classes=None, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None
    ):
        """Learn one example.

        Parameters
        ----------
        x : array-like of shape (d,) or dict of str -> float
            The example. Names that a dict brings for the first time become new features, names
            that it lacks are zero.
        y : label
            One of the two classes; 0 and 1 unless `classes` was given first.
        classes : sequence of two labels, default=None
            Needed before the first example if they are not 0 and 1.
        fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
            What the four outcomes cost; None: the constructor's numbers.

        Returns
        -------
        self
        """
        return self._learn_one(x, y, classes, fp_cost, fn_cost, tp_cost, tn_cost)

    def _start(self, n_features, signs=None):
        super()._start(n_features, signs)
        self._margin_state = np.zeros(7)
        self._ratio = 0.0 if self.class_ratio in (None, "oracle") else float(self.class_ratio)
        if self.class_ratio == "oracle":
            if signs is None:
                raise ValueError(
                    "class_ratio='oracle' needs all labels at once, so it works with fit only; in "
                    "a stream give the number T_n / T_p, or None for the running estimate."
                )
            self._ratio = np.count_nonzero(signs < 0) / np.count_nonzero(signs > 0)

    def _margins(self, y, costs):
        theta = np.empty(len(y))
        margin_pass(
            y > 0,
            costs.negative_regret,
            costs.positive_regret,
            self.objective == "sum",
            self.normalize_costs,
            self._ratio,
            self.positive_weight / (1.0 - self.positive_weight),
            self._margin_state,
            theta,
        )
        return theta
