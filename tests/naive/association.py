"""Association rules by enumerating all sets of conditions; cuts by trying all of them."""

import itertools
import math

import numpy as np
from scipy.stats import fisher_exact

from naive.tree import entropy


def p_value(a, b, c, d):
    return float(fisher_exact([[a, b], [c, d]], alternative="greater").pvalue)


def rules(codes, positive, *, alpha, ccr, min_support, max_length):
    """{conditions: (class, counts, p)} of all accepted rules."""
    conditions = sorted({(j, int(v)) for j in range(codes.shape[1]) for v in codes[:, j] if v >= 0})
    totals = [int((~positive).sum()), int(positive.sum())]

    def counts(chosen):
        met = np.all([codes[:, j] == v for j, v in chosen], axis=0) if chosen else positive >= 0
        return [int((met & ~positive).sum()), int((met & positive).sum())]

    accepted = {}
    for length in range(1, max_length + 1):
        for chosen in itertools.combinations(conditions, length):
            if len({j for j, _ in chosen}) < length:
                continue
            inside = counts(chosen)
            rates = [inside[k] / totals[k] for k in (0, 1)]
            y = int(rates[1] > rates[0])
            p = p_value(
                inside[y], inside[1 - y], totals[y] - inside[y], totals[1 - y] - inside[1 - y]
            )
            if sum(inside) < min_support or rates[y] <= ccr * rates[1 - y] or p >= alpha:
                continue
            shorter = [chosen[:i] + chosen[i + 1 :] for i in range(length)]
            improves = True
            for part in shorter:
                around = counts(part)
                table = (
                    inside[y],
                    inside[1 - y],
                    around[y] - inside[y],
                    around[1 - y] - inside[1 - y],
                )
                more = inside[y] * around[1 - y] > inside[1 - y] * around[y]
                improves &= more and p_value(*table) < alpha
            if improves and (length == 1 or any(part in accepted for part in shorter)):
                accepted[chosen] = (y, inside, p)
    return accepted


def entropy_cuts(x, positive):
    """Fayyad and Irani's cuts, by recursion over lists."""
    pairs = sorted(zip(x.tolist(), positive.tolist(), strict=True))
    values = sorted({value for value, _ in pairs})
    best = None
    for low, high in itertools.pairwise(values):
        left = [p for value, p in pairs if value <= low]
        right = [p for value, p in pairs if value >= high]
        gain = _entropy(left + right) - (
            len(left) * _entropy(left) + len(right) * _entropy(right)
        ) / len(pairs)
        if best is None or gain > best[0] + 1e-12:
            best = gain, (low + high) / 2, left, right
    if best is None:
        return []
    gain, cut, left, right = best
    both = left + right
    k, k1, k2 = (len(set(part)) for part in (both, left, right))
    delta = math.log2(3**k - 2) - (k * _entropy(both) - k1 * _entropy(left) - k2 * _entropy(right))
    if gain <= (math.log2(len(both) - 1) + delta) / len(both):
        return []
    x = np.asarray(x)
    below = x <= cut
    return sorted(
        [
            *entropy_cuts(x[below], positive[below]),
            cut,
            *entropy_cuts(x[~below], positive[~below]),
        ]
    )


def _entropy(labels):
    return entropy(sum(labels), len(labels) - sum(labels))


def first_match(codes, rules):
    """The number of the first rule that each row meets."""
    return [
        next((k for k, rule in enumerate(rules) if all(row[j] == v for j, v in rule)), len(rules))
        for row in codes
    ]
