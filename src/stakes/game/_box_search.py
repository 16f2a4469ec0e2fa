"""Cheapest moves past a blend of trees and linear models: boxes of moves, the cheapest first."""

from dataclasses import replace

import numpy as np

from stakes._core.deciding import final_step
from stakes.game._additive import Additive
from stakes.game._box_bound_jit import LOG_ODDS, PROBABILITY
from stakes.game._box_search_jit import cheapest_move
from stakes.game._ensembles import forest_of
from stakes.game._leaf_search import Cases
from stakes.game._levers import MOST_CATEGORIES
from stakes.game._target import Target

TOL = 1e-3  # relative: distance of a price to its bound at which a case is settled
_BOXES, _QUICK_BOXES = 2000, 300  # of one case, if it is settled or not
_AGREES = 1e-6  # largest error of the sum that is taken for the score of the model


class BlendBoxes:
    """A blend of trees and linear models, as the compiled loops read it.

    Parameters
    ----------
    levers : Levers
        The cases and what they can move.
    members : list of (float, Forest or Additive, ndarray)
        Weight of each member, its form, and the encoded rows of a forest or the scores of an
        additive member.
    intercept : float
        What the sum starts from.
    smallest : float
        Probabilities of members are clipped to [smallest, 1 - smallest].
    """

    def __init__(self, levers, members, intercept, smallest):
        self.levers = levers
        L = len(levers)
        trees, roots, rows, ends = [], [], [], [0]
        of_lever, rate, start, link, weight = [], [], [], [], []
        slopes, tables, shares, base = [], [], [], []
        nodes = columns = groups = 0
        for share, form, given in members:
            if isinstance(form, Additive):
                slopes.append(form.slope)
                table = np.zeros((L, MOST_CATEGORIES))
                for l, values in enumerate(form.tables):
                    if values is not None:
                        table[l, : len(values)] = values
                tables.append(table)
                shares.append(share)
                base.append(given)
                continue
            forest, (parts, own, (which, rates), _) = form
            feature, below, above, left, right, group, value, missing, bits, sets = parts
            feature = np.where(feature >= 0, feature + columns, -1)
            group = np.where(group >= 0, group + groups, -1)
            parts = (feature, below, above, left + nodes, right + nodes, group, value, missing)
            trees.append((*parts, bits, sets))
            roots.append(own + nodes)
            ends.append(ends[-1] + len(own))
            of_lever.append(which)
            rate.append(rates)
            rows.append(given)
            start.append(forest.start)
            link.append(LOG_ODDS if forest.log_odds else PROBABILITY)
            weight.append(share)
            nodes, columns, groups = nodes + len(feature), columns + len(which), groups + len(sets)
        joined = tuple(np.ascontiguousarray(np.concatenate(a)) for a in zip(*trees, strict=True))
        self.rows = np.ascontiguousarray(np.hstack(rows))
        columns = (np.concatenate(of_lever), np.concatenate(rate))
        self.forest = (joined, np.concatenate(roots), columns, (levers.kinds, levers.integer))
        n, M = len(self.rows), len(shares)
        self.base = np.array(base).T.copy() if M else np.zeros((n, 0))
        self.blend = (
            np.array(start),
            np.array(link),
            np.array(weight),
            np.array(ends),
            float(smallest),
            float(intercept),
            np.array(slopes).reshape(M, L),
            np.array(tables).reshape(M, L, MOST_CATEGORIES),
            np.array(shares, dtype=np.float64),
        )
        number, amount = np.int64, np.float64
        kinds = (number, amount, amount, np.uint64, number, number, amount, number)
        self.work = tuple(np.empty(nodes, dtype=kind) for kind in kinds)

    @classmethod
    def of(cls, target, levers):
        """From a model that is such a blend, behind its wrappers; None if it is not.

        Parameters
        ----------
        target : Target
            The model.
        levers : Levers
            The cases and what they can move.
        """
        blend, before = blend_of(target.model)
        if blend is None or target.side < 0:
            return None
        intercept, smallest, terms = blend.log_odds_terms()
        table = levers.table
        some = levers.take(np.arange(len(table))[:: max(1, len(table) // 10)])
        members = []
        for weight, member in terms:
            if weight <= 0:
                continue
            one = _forest_form(member, before, levers, some)
            one = one or _additive_form(member, before, levers, target.pos_label)
            if one is None:
                return None
            members.append((weight, *one))
        if not any(isinstance(form, tuple) for _, form, _ in members):
            return None
        return cls(levers, members, intercept, smallest)

    def cases(self, threshold):
        """Cases as the compiled loops read them."""
        levers = self.levers
        reach = (levers.lower, levers.upper, levers.home, levers.allowed)
        return Cases(self.rows, np.asarray(threshold, dtype=np.float64), *reach)

    def past(self, scores, threshold, limit, *, settle, tick):
        """Cheapest move of every case that lowers its score to the threshold.

        Parameters
        ----------
        scores : ndarray of shape (n,)
            Log-odds of the cases by the model itself; a case whose sum differs has no bound.
        threshold : ndarray of shape (n,)
            Score that lets a case pass.
        limit : ndarray of shape (n,)
            Price that a move must stay below.
        settle : bool
            Whether to look for the cheapest move; False: any below the limit.
        tick : callable
            Called after each case; the other cases are left alone if it returns False.

        Returns
        -------
        (ndarray of shape (n, L), ndarray of shape (n,), ndarray of shape (n,)) or None
            Amounts, price (infinite if no move was found), and a lower bound on it; None if the
            model is not the sum of its members.
        """
        levers, cases = self.levers, tuple(self.cases(threshold))
        amounts, price, bound = levers.stay(), np.full(len(limit), np.inf), np.zeros(len(limit))
        prices = (levers.unit, levers.change, levers.squared)
        how = (settle, _BOXES if settle else _QUICK_BOXES, TOL)
        differ = 0
        for i in range(len(limit)):
            if limit[i] > 0.0:
                price[i], bound[i], at, _, score = cheapest_move(
                    i, cases, limit[i], self.forest, prices, self.blend, self.base, self.work, how
                )
                if np.isfinite(price[i]):
                    amounts[i] = at
                if abs(score - scores[i]) > _AGREES * (1.0 + abs(score)):
                    bound[i], differ = 0.0, differ + 1
                    if differ > 5 + i // 10:
                        return None
            if not tick():
                break
        return amounts, price, bound


def blend_of(model):
    """The blend behind pipelines and wrappers and the steps before it; None if there is none."""
    before = []
    while not hasattr(model, "log_odds_terms"):
        decider, steps = final_step(model)
        before += steps
        inner = decider if decider is not model else getattr(decider, "estimator_", None)
        if inner is None:
            return None, before
        model = inner
    return model, before


def _through(before, table):
    for step in before:
        table = step.transform(table)
    return table


def _forest_form(member, before, levers, some):
    """((Forest, arrays), encoded rows) of a member; None if it is no sum of trees."""
    forest = forest_of(member)
    if forest is None:
        return None
    if before:
        encode = forest.encode
        forest = replace(forest, encode=lambda table: encode(_through(before, table)))
    arrays = forest.bound(levers, some)
    if arrays is None:
        return None
    rows = forest.rows(levers.table)
    # what moves is compared with numbers next to the thresholds, so it keeps its digits
    moves = arrays[2][0] >= 0
    rows[:, moves] = np.asarray(forest.encode(levers.table), dtype=np.float64)[:, moves]
    return (forest, arrays), rows


def _additive_form(member, before, levers, pos_label):
    """(Additive, scores) of a member; None if its score is no sum over the levers."""
    target = Target(member, pos_label, False)

    def score(table):
        return target.scores(_through(before, table))[0]

    form = Additive.of(levers, score)
    return None if form is None else (form, score(levers.table))
