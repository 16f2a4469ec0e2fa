"""A list of association rules to read and sign: the facts of each rule, as a table or a picture."""

import numpy as np
import polars as pl

from stakes._core.plotting import open_axes
from stakes.tree._association_items import item_codes
from stakes.tree._fisher import fisher_exact_p
from stakes.tree._rules import FRESH, SEARCHED

OTHERWISE = "otherwise"
LONGEST = 70  # characters of a rule in a picture


class RuleList:
    """The facts of every rule of an `AssociationRuleClassifier`, and of the rows without one.

    Parameters
    ----------
    model : AssociationRuleClassifier
    names : Names
    costs : dict
        Costs to decide at, as numbers; empty: those of training.
    rows : (X, y) or None, default=None
        Other examples than those of training, to count.
    """

    def __init__(self, model, names, costs, rows=None):
        self.model, self.fresh = model, rows is not None
        self.classes = [str(c) for c in model.classes_]
        self.texts = [model._text(k, names) for k in range(model.n_rules_)]
        self.holds, self.cell = model._rule_counts, model._cell_weight
        self.total, self.log_p = model._class_counts, model._log_p
        regret = self._training_regret()
        if self.fresh:
            mean = regret.sum(axis=0) / np.where(self.total > 0, self.total, 1.0)
            self._count(*rows)
            regret = self.cell * mean
        weight = model._cell_weight + model.smoothing
        self.probability = weight[:, 1] / weight.sum(axis=1)
        given = {name: cost for name, cost in costs.items() if cost is not None}
        if given:
            prices = model._costs_of(1, **given)
            self.decision = prices.decide(self.probability).astype(np.intp)
            regret = self.cell * [prices.negative_regret[0], prices.positive_regret[0]]
        else:
            self.decision = (model._cell_regret[:, 1] > model._cell_regret[:, 0]).astype(np.intp)
        self.at_stake = regret.sum(axis=1)
        self.lost = regret[np.arange(len(regret)), 1 - self.decision]

    @property
    def caveat(self):
        """What the p-values mean."""
        return FRESH if self.fresh else SEARCHED

    def frame(self):
        """One row per rule, the strongest first, and the rows for which none holds."""
        model = self.model
        row, totals = np.arange(model.n_rules_), np.maximum(self.total, np.finfo(float).tiny)
        own, other = (self.holds[row, k] for k in (model._favours, 1 - model._favours))
        rates = own / totals[model._favours], other / totals[1 - model._favours]
        facts = {
            "favours": [self.classes[k] for k in model._favours],
            "ccr": np.divide(*rates, out=np.full(len(row), np.inf), where=rates[1] > 0),
            "confidence": own / np.maximum(own + other, np.finfo(float).tiny),
            "support": (own + other) / totals.sum(),
            "p_value": np.exp(self.log_p),
            "log_p": self.log_p,
            "p_adjusted": self._adjusted(),
            "strength": model._strength,
        }
        return pl.DataFrame(
            {
                "rule": [*self.texts, OTHERWISE],
                "decision": [self.classes[k] for k in self.decision],
                "probability": self.probability,
                "examples": self.cell.sum(axis=1),
                "at_stake": self.at_stake,
                "lost": self.lost,
                **{name: [*values, None] for name, values in facts.items()},
            },
            schema_overrides={name: pl.Float64 for name in facts if name != "favours"}
            | {"favours": pl.String},
        )

    def _training_regret(self):
        """Regrets of the training examples that each rule decides, in money, without smoothing."""
        model = self.model
        added = model.smoothing * len(model._cell_regret)
        # all cells together hold the total regret of a class and `added` times its mean
        mean = model._cell_regret.sum(axis=0) / (self.total + added)
        return np.maximum(model._cell_regret - model.smoothing * mean, 0.0) * model.mean_regret_

    def _count(self, X, label):
        """Count other rows: for which each rule holds, and which each decides."""
        model = self.model
        codes = item_codes(X, model.cuts_, model._categorical)
        positive = np.searchsorted(model.classes_, label)
        self.total = np.bincount(positive, minlength=2).astype(np.float64)
        at = 2 * model._cells(codes) + positive
        self.cell = np.bincount(at, minlength=2 * (model.n_rules_ + 1)).reshape(-1, 2) * 1.0
        self.holds = np.zeros((model.n_rules_, 2))
        for k in range(model.n_rules_):
            part = slice(model._start[k], model._start[k + 1])
            met = (codes[:, model._feature[part]] == model._code[part]).all(axis=1)
            self.holds[k] = np.bincount(positive[met], minlength=2)
        row = np.arange(model.n_rules_)
        own, other = (self.holds[row, k] for k in (model._favours, 1 - model._favours))
        rest = [self.total[k] for k in (model._favours, 1 - model._favours)]
        self.log_p = fisher_exact_p(own, other, rest[0] - own, rest[1] - other, log=True)

    def _adjusted(self):
        """p-values on other rows, corrected for the number of rules by Holm's method."""
        if not self.fresh:
            return [None] * len(self.log_p)
        p, n = np.exp(self.log_p), len(self.log_p)
        order = np.argsort(p, kind="stable")
        out = np.empty(n)
        out[order] = np.maximum.accumulate(np.minimum(1.0, (n - np.arange(n)) * p[order]))
        return out


def plot_list(rules, ax=None, *, max_rules=20):
    """One bar per rule: its probability, coverage, decision and money, the strongest on top."""
    frame = rules.frame()
    shown = pl.concat([frame.head(min(max_rules, len(frame) - 1)), frame.tail(1)])
    new = ax is None
    figure, ax = open_axes(ax)
    if new:
        figure.set_size_inches(9.0, 1.2 + 0.34 * len(shown))
    color = ["C1" if decision == rules.classes[1] else "C0" for decision in shown["decision"]]
    ax.barh(np.arange(len(shown)), shown["probability"].to_numpy(), color=color, alpha=0.6)
    for k, fact in enumerate(shown.iter_rows(named=True)):
        words = (
            f"decides {fact['decision']}; {fact['examples']:g} examples; at stake "
            f"{fact['at_stake']:,.6g}, lost {fact['lost']:,.6g}"
        )
        ax.text(0.01, k, words, va="center", fontsize="x-small")
    texts = [t if len(t) <= LONGEST else t[: LONGEST - 4] + " ..." for t in shown["rule"]]
    ax.set_yticks(np.arange(len(shown)), texts, fontsize="x-small")
    ax.set(xlim=(0.0, 1.0), xlabel=f"probability of {rules.classes[1]}")
    ax.invert_yaxis()
    return ax
