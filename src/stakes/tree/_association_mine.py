"""Level-by-level search for significant rules that improve on their parts."""

from dataclasses import dataclass

import numpy as np

from stakes.tree._fisher import fisher_exact_p

ARRAYS = ("favours", "counts", "log_p", "strength")  # of Rules
BATCH = 512  # rules whose extensions are counted in one matrix product


@dataclass
class Rules:
    """Rules, strongest first.

    Attributes
    ----------
    items : list of tuple of int
        Conditions of each rule.
    favours : ndarray of int
        Class that it predicts, 0 or 1.
    counts : ndarray of shape (k, 2)
        Examples of each class for which the conditions hold.
    log_p : ndarray of shape (k,)
        Logarithm of the p-value.
    strength : ndarray of shape (k,)
        Key of the order.
    """

    items: list
    favours: np.ndarray
    counts: np.ndarray
    log_p: np.ndarray
    strength: np.ndarray


def mine(holds, feature, positive, weight, *, p_value, ccr, min_support, max_length, beam):
    """All rules that can be reached by adding one condition at a time to an accepted rule.

    `holds` (n_items, n) says which condition holds for which example and `feature` (n_items,) which
    feature it is on; a rule has at most one condition per feature. `weight` counts the examples;
    Fisher's test rounds its sums. The limits are those of
    `AssociationRuleClassifier`.
    """
    # float32 products count whole examples exactly up to 2^24
    whole = weight.sum() < 2**24 and (weight == np.rint(weight)).all()
    table = holds.astype(np.float32 if whole else np.float64)
    totals = np.array([weight[~positive].sum(), weight[positive].sum()])
    both = np.stack([weight * ~positive, weight * positive])
    limits = dict(log_p=np.log(p_value), ccr=ccr, support=min_support)
    singles = [(i,) for i in range(len(table))]
    counts = _count(np.ones_like(positive)[None, :], table, both)[0]
    level = _judge(singles, counts, [totals[None, :]], totals, limits)
    found = []
    for length in range(1, max_length + 1):
        level = _strongest(level, beam)
        found.append(level)
        if length == max_length or not level.items:
            break
        level = _longer(level, table, feature, both, totals, limits)
    return _strongest(_join(found), None)


def strength_of(counts, totals, log_p):
    """The favoured class of each rule, and (1 - p) CCR / (1 + CCR) for it.

    Examples
    --------
    >>> counts, totals = np.array([[9.0, 3.0]]), np.array([90.0, 10.0])
    >>> favours, strength = strength_of(counts, totals, np.log([0.2]))
    >>> favours.tolist(), strength.round(3).tolist()
    ([1], [0.6])
    """
    rates = counts / np.maximum(totals, 1.0)
    favours = (rates[:, 1] > rates[:, 0]).astype(np.int64)
    total = rates.sum(axis=1)
    share = rates.max(axis=1) / np.where(total > 0, total, 1.0)
    return favours, -np.expm1(log_p) * share


def _longer(level, table, feature, both, totals, limits):
    """Accepted rules with one more condition."""
    parts, seen = [], set()
    for start in range(0, len(level.items), BATCH):
        batch = level.items[start : start + BATCH]
        rows = np.array([table[list(items)].all(axis=0) for items in batch])
        counts = _count(rows, table, both)
        candidates, of_them = [], []
        for k, items in enumerate(batch):
            taken = feature[list(items)]
            for j in np.flatnonzero(counts[k].sum(axis=1) >= limits["support"]):
                longer = tuple(sorted((*items, int(j))))
                if feature[j] not in taken and longer not in seen:
                    candidates.append(longer)
                    of_them.append(counts[k, j])
                    seen.add(longer)
        if not candidates:
            continue
        of_them = np.array(of_them)
        fine = _judge(candidates, of_them, [], totals, limits)
        # each condition must add to the rule without it
        shorter = [
            np.array([_count_rows(table, items[:i] + items[i + 1 :], both) for items in fine.items])
            for i in range(len(fine.items[0]) if fine.items else 0)
        ]
        parts.append(_judge(fine.items, fine.counts, shorter, totals, limits))
    return _join(parts or [_judge([], np.zeros((0, 2)), [], totals, limits)])


def _judge(items, counts, shorter, totals, limits):
    """The rules that are frequent, correlated with their class, significant and not redundant."""
    counts = np.asarray(counts, dtype=np.float64).reshape(-1, 2)
    log_p = _log_p(counts, totals[None, :])
    favours, strength = strength_of(counts, totals, log_p)
    rates = counts / np.maximum(totals, 1.0)
    kept = (
        (counts.sum(axis=1) >= limits["support"])
        & (rates.max(axis=1) > limits["ccr"] * rates.min(axis=1))
        & (log_p < limits["log_p"])
    )
    for around in shorter:
        rate = counts * around[:, ::-1]  # against the class shares of the shorter rule
        mine = np.where(favours == 1, rate[:, 1] > rate[:, 0], rate[:, 0] > rate[:, 1])
        kept &= mine & (_log_p(counts, around, favours) < limits["log_p"])
    at = np.flatnonzero(kept)
    return Rules([items[k] for k in at], favours[at], counts[at], log_p[at], strength[at])


def _log_p(counts, totals, favours=None):
    """Fisher's test of each rule within the examples counted in `totals`."""
    if favours is None:
        favours = (counts[:, 1] * totals[:, 0] > counts[:, 0] * totals[:, 1]).astype(np.int64)
    rest = np.broadcast_to(totals, counts.shape) - counts
    row = np.arange(len(counts))
    counts, rest = np.rint(counts), np.maximum(np.rint(rest), 0.0)
    tables = (part[row, k] for part in (counts, rest) for k in (favours, 1 - favours))
    return np.asarray(fisher_exact_p(*tables, log=True)).reshape(-1)


def _count(rows, table, both):
    """Examples of each class in every row set and item, of shape (rows, items, 2)."""
    counts = [(rows * w.astype(table.dtype)) @ table.T for w in both]
    return np.stack(counts, axis=-1).astype(np.float64)


def _count_rows(table, items, both):
    return both @ table[list(items)].all(axis=0)


def _strongest(rules, limit):
    order = np.lexsort((-rules.counts.sum(axis=1), rules.log_p, -rules.strength))[:limit]
    return Rules([rules.items[k] for k in order], *(getattr(rules, a)[order] for a in ARRAYS))


def _join(parts):
    arrays = (np.concatenate([getattr(part, a) for part in parts]) for a in ARRAYS)
    return Rules([items for part in parts for items in part.items], *arrays)
