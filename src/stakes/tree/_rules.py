"""A tree as rules that people can read and sign: facts of each node, as a table, text or JSON."""

import json

import numpy as np
import polars as pl

from stakes._core.columns import category_name
from stakes.tree._fisher import rule_log_p
from stakes.tree._split_jit import GOES_LEFT, SEEN

SEARCHED = (
    "The p-values were computed on the rows that the splits were searched on and are not corrected "
    "for the search: they order the rules, but are smaller than those of a planned test."
)
FRESH = (
    "The p-values were computed on rows that were not used for training; p_adjusted is corrected "
    "for the number of rules (Holm)."
)


class Names:
    """Names of the features and categories of a model, as they are written in rules."""

    def __init__(self, model, feature_names=None, category_names=None):
        d = model.n_features_in_
        known = getattr(model, "feature_names_in_", None)
        names = known if feature_names is None else feature_names
        self.features = [f"x{j}" for j in range(d)] if names is None else [str(n) for n in names]
        if len(self.features) != d:
            raise ValueError(
                f"feature_names must have {d} names. Got {len(self.features)} instead."
            )
        self.categories = list(model.categories_)
        for key, values in (category_names or {}).items():
            j = self.features.index(key) if isinstance(key, str) else key
            codes = self.categories[j]
            if codes is not None and codes.dtype.kind != "U":
                labels = [values[int(c)] if c < len(values) else f"{c:g}" for c in codes]
                self.categories[j] = np.array(labels, dtype=str)

    def category(self, j, code):
        """The category of a feature with this code."""
        return category_name(self.categories[j], code)

    def listed(self, j, codes):
        """The categories of a feature with these codes, in braces."""
        return "{" + ", ".join(self.category(j, code) for code in codes) + "}"


class TreeRules:
    """The facts of every node of a fitted tree.

    Parameters
    ----------
    model : ConfidenceTreeClassifier
    names : Names
    costs : dict
        Costs to decide at, as numbers; empty: those of training.
    rows : (X, y) or None, default=None
        Other examples than those of training, to count.
    """

    def __init__(self, model, names, costs, rows=None):
        self.model, self.names, self.nodes = model, names, model.nodes_
        self.classes = [str(c) for c in model.classes_]
        self.fresh = rows is not None
        self.weight, self.log_p = self.nodes.weight, self.nodes.log_p
        regret = self.nodes.regret * model.mean_regret_
        if self.fresh:
            label = np.searchsorted(model.classes_, rows[1])
            self.weight = self.nodes.totals(rows[0], label, np.ones(len(label)))
            self.log_p = rule_log_p(self.weight)
            mean = regret[0] / np.where(self.nodes.weight[0] > 0, self.nodes.weight[0], 1.0)
            regret = self.weight * mean
        self._decide(costs, regret)
        self.conditions = self._conditions()

    def _decide(self, costs, regret):
        """Set the decision of each node, the money at stake and the part of it that is lost."""
        given = {name: cost for name, cost in costs.items() if cost is not None}
        model, p, at = self.model, self.nodes.probability, np.arange(len(self.nodes))
        if len(self.classes) > 2:
            model._refuse_costs(given)
            matrix = model._matrix()
            self.decision = matrix.decide(p)
            extra = matrix.table - np.diag(matrix.table)[:, None]
            self.at_stake = self.weight @ extra.max(axis=1)
            self.lost = (self.weight @ extra)[at, self.decision]
            self.probability = p[at, self.decision]
            return
        self.decision = (self.nodes.score > 0).astype(np.intp)
        if given:
            prices = model._costs_of(1, **given)
            self.decision = prices.decide(p).astype(np.intp)
            regret = self.weight * [prices.negative_regret[0], prices.positive_regret[0]]
        self.at_stake, self.lost = regret.sum(axis=1), regret[at, 1 - self.decision]
        self.probability = p

    def _conditions(self):
        """List of the conditions that lead to every node."""
        nodes, found = self.nodes, [[] for _ in range(len(self.nodes))]
        for k in np.flatnonzero(~nodes.is_leaf):
            j, left = nodes.feature[k], nodes.left[k]
            sides, missing_left = self._sides(k, j, self.names.features[j])
            noted = self.model.has_missing_[j] and not np.isinf(nodes.threshold[k])
            for child, side, has in ((0, sides[0], missing_left), (1, sides[1], not missing_left)):
                found[left + child] = [*found[k], side + (" or missing" if has and noted else "")]
        return found

    def _sides(self, k, j, name):
        """Conditions of the two branches of a node, and whether missing values go left."""
        nodes = self.nodes
        if nodes.group[k] < 0:
            value = f"{nodes.threshold[k]:.6g}"
            if np.isinf(nodes.threshold[k]):
                return (f"{name} is present", f"{name} is missing"), bool(nodes.missing_left[k])
            return (f"{name} <= {value}", f"{name} > {value}"), bool(nodes.missing_left[k])
        group = nodes.groups[nodes.group[k]]
        left, seen = group & GOES_LEFT > 0, group & SEEN > 0
        here, there = (np.flatnonzero(seen[:-1] & (left[:-1] == side)) for side in (True, False))
        # categories that the node has not seen go with one side, which only the other can list
        unseen_left = bool(left[:-1][~seen[:-1]].all())
        listed = self.names.listed(j, there if unseen_left else here)
        sides = f"{name} in {listed}", f"{name} not in {listed}"
        return sides[::-1] if unseen_left else sides, bool(left[-1])

    def facts(self, k):
        """All facts of one node."""
        weight, root = self.weight[k], self.weight[0]
        rate = weight / np.where(root > 0, root, 1.0)
        # the class whose rate exceeds that of the rest most; the later one where they are equal
        others = (weight.sum() - weight) / np.maximum(root.sum() - root, np.finfo(float).tiny)
        share = np.divide(rate, rate + others, out=np.full(len(rate), 0.5), where=rate + others > 0)
        favours = int(len(share) - 1 - share[::-1].argmax())
        p = self.probability[k]
        many = len(self.classes) > 2
        return {
            "rule": " and ".join(self.conditions[k]) or "always",
            "decision": self.classes[self.decision[k]],
            "probability": float(p),
            "support": float(weight.sum() / root.sum()),
            "examples": float(weight.sum()),
            "at_stake": float(self.at_stake[k]),
            "lost": float(self.lost[k]),
            "cost_ratio": None if many else float((1 - p) / p) if p > 0 else np.inf,
            "favours": self.classes[favours],
            "confidence": float(weight[favours] / max(weight.sum(), np.finfo(float).tiny)),
            "ccp": float(share[favours]),
            "p_value": float(np.exp(self.log_p[k])),
            "log_p": float(self.log_p[k]),
        }

    def leaves(self):
        """Facts of the leaves, the most significant first."""
        leaves = np.flatnonzero(self.nodes.is_leaf)
        leaves = leaves[np.argsort(self.log_p[leaves], kind="stable")]
        found = [self.facts(k) for k in leaves]
        adjusted = 0.0
        for rank, rule in enumerate(found):
            adjusted = max(adjusted, min(1.0, (len(found) - rank) * rule["p_value"]))
            rule["p_adjusted"] = adjusted if self.fresh else None
        return found

    @property
    def caveat(self):
        """What the p-values mean."""
        return FRESH if self.fresh else SEARCHED


def rules_frame(rules):
    """One row per leaf, the most significant first."""
    kinds = {"cost_ratio": pl.Float64, "p_adjusted": pl.Float64}
    return pl.DataFrame(rules.leaves(), schema_overrides=kinds)


def rules_json(rules):
    """The classes, the rules and the caveat."""
    return json_text(rules.classes, rules.caveat, rules.leaves())


def json_text(classes, caveat, rules):
    """Rules as JSON text; numbers that JSON does not have are null."""
    found = {
        "classes": classes,
        "probability_of": classes[1] if len(classes) == 2 else "the decision",
        "caveat": caveat,
        "rules": [
            {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in r.items()}
            for r in rules
        ],
    }
    return json.dumps(found, indent=1)


def rules_text(rules):
    """All nodes of the tree, one per line, indented by depth."""
    lines, stack, nodes = [], [0], rules.nodes
    while stack:
        k = stack.pop()
        text = rules.conditions[k][-1] if rules.conditions[k] else "all examples"
        lines.append("  " * int(nodes.depth[k]) + f"{text} ({'; '.join(node_lines(rules, k))})")
        if not nodes.is_leaf[k]:
            stack += [nodes.left[k] + 1, nodes.left[k]]
    return "\n".join([*lines, rules.caveat])


def node_lines(rules, k):
    """The facts of a node in a few short lines."""
    fact = rules.facts(k)
    what = rules.classes[1] if len(rules.classes) == 2 else fact["decision"]
    yield f"{fact['examples']:g} examples, {fact['support']:.1%}"
    yield f"decides {fact['decision']}, probability of {what} {fact['probability']:.3g}"
    yield f"at stake {fact['at_stake']:,.6g}, lost {fact['lost']:,.6g}"
    yield f"ccp of {fact['favours']} {fact['ccp']:.3g}, p {fact['p_value']:.2g}"
