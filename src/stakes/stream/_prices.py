"""What one event may cost: four prices, each a number or an expression over the event's fields."""

import math
from operator import ge
from typing import NamedTuple

import numpy as np

from stakes._core.intake import LARGEST
from stakes._core.words import shown
from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.tables import CostExpression


class Prices(NamedTuple):
    """The four prices of one event: the formulas of :class:`~stakes.costs.Costs` on plain floats.

    Examples
    --------
    >>> prices = Prices(fp=5.0, fn=95.0, tp=0.0, tn=0.0)
    >>> prices.break_even, prices.paid(positive=True, action=0)
    (0.05, 95.0)
    """

    fp: float
    fn: float
    tp: float
    tn: float

    @property
    def break_even(self):
        """Probability above which acting is cheaper; 1 if nothing is at stake."""
        at_stake = (self.fn - self.tp) + (self.fp - self.tn)
        return (self.fp - self.tn) / at_stake if at_stake > 0 else 1.0

    def expected(self, probability, action):
        """Expected cost of an action."""
        p, q = probability, 1 - probability
        return p * self.tp + q * self.fp if action else p * self.fn + q * self.tn

    def paid(self, positive, action):
        """Actual cost of an action, once the class is known."""
        if action:
            return self.tp if positive else self.fp
        return self.fn if positive else self.tn

    def keywords(self):
        """The prices by the names of the learners' cost parameters."""
        return dict(zip(COST_NAMES, self, strict=True))


class ClassPrices(tuple):
    """Costs of one event of many classes: a tuple per true class, with a cost per action.

    Examples
    --------
    >>> prices = ClassPrices([(0.0, 2.0), (9.0, 1.0)])
    >>> prices.paid(1, 0), prices.expected([0.75, 0.25], 0), prices.at_stake(1)
    (9.0, 2.25, 8.0)
    """

    break_even = None  # there is no single probability

    def expected(self, probability, action):
        """Expected cost of an action, by its number."""
        return math.fsum(p * row[action] for p, row in zip(probability, self, strict=True))

    def paid(self, label, action):
        """Actual cost of an action, once the class is known."""
        return self[label][action]

    def at_stake(self, label):
        """What the worst action costs more than the best one, once the class is known."""
        return max(self[label]) - min(self[label])


class PriceList:
    """The prices of events.

    Parameters
    ----------
    costs : dict
        fp_cost, fn_cost, tp_cost, tn_cost -> number or cost expression.
    target : str, default=None
        The label's field, which no price may use.

    Attributes
    ----------
    columns : frozenset of str
        Fields that the expressions use.

    Examples
    --------
    >>> prices = PriceList(dict(fp_cost=5, fn_cost="0.75*amount", tp_cost=0, tn_cost=0))
    >>> prices.of({"amount": 100.0})
    Prices(fp=5.0, fn=75.0, tp=0.0, tn=0.0)
    """

    def __init__(self, costs, target=None):
        self._costs = {name: _expression(name, costs[name]) for name in COST_NAMES}
        for name, cost in self._costs.items():
            if target is not None and target in cost.columns:
                raise InputError(
                    f"{{parameter}} = {cost.text!r} uses the target {target!r}, which is unknown "
                    "when a decision is made; remove it from the expression.",
                    name,
                )
        self.columns = frozenset(name for cost in self._costs.values() for name in cost.columns)
        fixed = {name: cost for name, cost in self._costs.items() if not cost.columns}
        self._fixed = {name: _checked(name, cost, {}) for name, cost in fixed.items()}
        self._same = None if self.columns else self._computed({}, self._fixed)

    def of(self, event, given=None):
        """The prices of one event; raises InputError if one is missing or a mistake would pay.

        Parameters
        ----------
        event : dict
            Field -> value.
        given : dict, default=None
            fp_cost, ... -> number, instead of the price that the list has.
        """
        if given:
            return self._computed(event, self._fixed | given)
        return self._same or self._computed(event, self._fixed)

    def of_many(self, events):
        """Prices of each of :class:`~stakes.tables.Events`, or the error that :meth:`of` raises."""
        if self._same is not None:
            return [self._same] * len(events)
        try:
            fp, fn, tp, tn = [
                [self._fixed[name]] * len(events)
                if name in self._fixed
                else _checked_many(cost.evaluate_many(events))
                for name, cost in self._costs.items()
            ]
            if all(map(ge, fn, tp)) and all(map(ge, fp, tn)):
                return list(map(Prices, fp, fn, tp, tn))
        except InputError:
            pass
        return [self._of_or_error(event) for event in events.rows]

    def _of_or_error(self, event):
        try:
            return self.of(event)
        except InputError as error:
            return error

    def _computed(self, event, fixed):
        fp, fn, tp, tn = [
            fixed[name] if name in fixed else _checked(name, cost, event)
            for name, cost in self._costs.items()
        ]
        prices = Prices(fp, fn, tp, tn)
        if fn < tp or fp < tn:
            _refuse(prices)
        return prices


def _checked(name, cost, event):
    price = cost.evaluate_one(event)
    if -LARGEST <= price <= LARGEST:
        return price
    if not math.isfinite(price):
        fields = " and ".join(map(repr, cost.columns))
        hint = f"fill in {fields}" if fields else "give a finite number"
        raise InputError(f"{{parameter}} = {cost.text!r} is missing or infinite; {hint}.", name)
    raise InputError(
        f"{{parameter}} = {cost.text!r} is {price:.3g}; costs beyond {LARGEST:g} overflow. "
        "Check the fields, or use a larger unit of money.",
        name,
    )


def _checked_many(prices):
    if not np.abs(prices).max(initial=0.0) <= LARGEST:  # or missing
        raise InputError("One of them is refused.")
    return prices


def _refuse(prices):
    wrong, right = ("fn", "tp") if prices.fn < prices.tp else ("fp", "tn")
    values = f"{getattr(prices, wrong):g} < {getattr(prices, right):g}"
    wrong, right = f"{wrong}_cost", f"{right}_cost"
    raise InputError(
        f"{{{wrong}}} is smaller than {{{right}}} ({values}), so a mistake would be cheaper than "
        "the correct decision; fix the costs or swap the labels.",
        (wrong, right),
    )


def _expression(name, cost):
    if not isinstance(cost, str) and not math.isfinite(cost):  # as text, "nan" is a field
        raise InputError(f"{{parameter}} must be a finite number. Got {shown(cost)} instead.", name)
    return CostExpression(cost)
