"""Compiled: the observers of the leaves, and the splits that they suggest.

The mass of an event is what the forest got wrong about it: 1 - p of a positive, p of a negative.
Where the probabilities are right, both classes have the same mass in every branch, however rare
one of them is; so the criteria for skewed classes find what is left to explain. With a mass n0 of
negatives and n1 of positives, n1 - n0 is the gradient of the log likelihood and (n0 + n1) / 2
estimates its curvature, which gives the test of a split and the first values of its branches.
"""

import numpy as np
from numba import config, njit, uint64

from stakes._core.jit import ENTRY, INNER
from stakes._core.jit.gain import CRITERIA, HELLINGER, split_gain
from stakes.online_forest._state import (
    CHILD,
    CRITERION,
    CUT,
    FEATURE,
    FIRST_TRY,
    LAST,
    LEAF_VARIANCE,
    LEAST_MASS,
    MASS_0,
    MASS_1,
    MEAN,
    MISSING,
    MISSING_LEFT,
    N_BINS,
    N_COLUMNS,
    N_CUTS,
    N_DRAWN,
    N_FILLED,
    N_SEEN,
    NEXT_TRY,
    OBSERVER,
    RENEW,
    RENEW_AT,
    RENEW_LATER,
    SEED,
    SEEN,
    SIGNIFICANT,
    STEP,
    TRY_AGAIN,
    USED,
    VARIANCE,
    WHERE,
)
from stakes.online_forest._walk_jit import bin_of

CCP_GINI = CRITERIA["ccp_gini"]
TIE = 1e-7  # masses have seven digits: gains count as equal if they differ by less


@njit(cache=True, **ENTRY)
def draw(head, n):
    """A random number from 0 to n - 1: a function of the seed and of how many were drawn."""
    head[N_DRAWN] += 1.0
    z = uint64(head[SEED]) * uint64(0xD1342543DE82EF95) + uint64(head[N_DRAWN]) * uint64(
        0x9E3779B97F4A7C15
    )
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> uint64(31))
    return int(z % uint64(n))


if config.DISABLE_JIT:  # numpy warns where compiled arithmetic wraps around in silence
    draw = np.errstate(over="ignore")(draw)


@njit(**INNER)
def begin_observer(f, tree, slot, renew_at):
    """Forget what an observer saw, and draw the features it looks at."""
    tally, chosen = f.tally[tree, slot], f.candidates[tree, slot]
    tally[:] = 0.0
    tally[NEXT_TRY], tally[RENEW_AT] = FIRST_TRY, renew_at
    f.mass[tree, slot] = 0.0
    n = int(f.head[N_COLUMNS])
    for c in range(chosen.size):
        chosen[c] = c if n <= chosen.size else draw(f.head, n)
        k = 0
        while n > chosen.size and k < c:  # again, until it is none of those before
            if chosen[k] == chosen[c]:
                chosen[c] = draw(f.head, n)
                k = -1
            k += 1


@njit(**INNER)
def begin_tree(f, tree):
    """Make a tree a single leaf that says nothing."""
    f.trees[tree, USED] = 1
    f.nodes[tree, 0, FEATURE], f.nodes[tree, 0, OBSERVER] = -1, 0
    f.points[tree, 0, LAST] = f.head[N_SEEN]
    f.value[tree, 0, :, MEAN], f.value[tree, 0, :, VARIANCE] = 0.0, LEAF_VARIANCE
    begin_observer(f, tree, np.int64(f.nodes[tree, 0, OBSERVER]), RENEW)


@njit(error_model="numpy", **INNER)
def observe(f, x, leaves, first, n, start, positive, mass):
    """Show an event to the observers of its leaves in the n trees from `first` on.

    They take turns, beginning with number `start`. One leaf at most is split: the others see what
    that leaves over. (One call for all trees, without slices: both cost as much as the work.)
    """
    may_split, side = True, 1 if positive else 0
    columns = min(f.candidates.shape[2], int(f.head[N_COLUMNS]))
    for k in range(n):
        m = first + start + k - (n if start + k >= n else 0)
        tree, leaf = np.int64(f.trees[m, WHERE]), leaves[m]
        if f.trees[tree, USED] + 2 > f.nodes.shape[1]:
            continue  # the pool is full: nothing to look for
        slot = np.int64(f.nodes[tree, leaf, OBSERVER])
        seen, filled = f.tally[tree, slot, SEEN] + 1.0, int(f.tally[tree, slot, N_FILLED])
        f.tally[tree, slot, SEEN] = seen
        if filled < N_CUTS:  # the first events set the cuts
            for c in range(columns):
                place(f.cuts[tree, slot, c], filled, x[f.candidates[tree, slot, c]])
            f.tally[tree, slot, N_FILLED] += 1.0
            continue
        f.tally[tree, slot, MASS_1 if positive else MASS_0] += mass
        for c in range(columns):
            j = f.candidates[tree, slot, c]
            b = bin_of(f.cuts[tree, slot, c], f.categorical[j], x[j], tree)
            f.mass[tree, slot, c, b, side] += mass
        if seen >= f.tally[tree, slot, RENEW_AT]:
            begin_observer(f, tree, slot, f.tally[tree, slot, RENEW_AT] * RENEW_LATER)
        elif (
            may_split
            and seen >= f.tally[tree, slot, NEXT_TRY]
            and f.tally[tree, slot, MASS_0] >= LEAST_MASS
            and f.tally[tree, slot, MASS_1] >= LEAST_MASS
        ):
            f.tally[tree, slot, NEXT_TRY] = seen * TRY_AGAIN
            may_split = not try_split(f, tree, leaf, slot, columns)


@njit(**INNER)
def place(cuts, k, v):
    """Insert v into the k sorted cuts before it; a missing value repeats the last one."""
    if v != v:
        v = cuts[k - 1] if k > 0 else 0.0
    s = k
    while s > 0 and cuts[s - 1] > v:
        cuts[s] = cuts[s - 1]
        s -= 1
    cuts[s] = v


@njit(error_model="numpy", **INNER)
def try_split(f, tree, leaf, slot, columns):
    """Split a leaf by the best of its candidates, if that one is significant."""
    n0, n1 = f.tally[tree, slot, MASS_0], f.tally[tree, slot, MASS_1]
    per0, per1 = 1.0 / n0, 1.0 / n1
    best, best0, best1 = 0.0, 0.0, 0.0
    # not literals, for which numba would compile a second `split`
    where, at, missing_left = np.int64(-1), np.int64(0), np.bool_(False)
    for c in range(columns):
        mass = f.mass[tree, slot, c]
        category = f.categorical[f.candidates[tree, slot, c]]
        # with missing values, a second pass starts with them on the left
        for side in range(2 if mass[MISSING, 0] + mass[MISSING, 1] > 0.0 else 1):
            l0 = float(mass[MISSING, 0]) if side == 1 else 0.0
            l1 = float(mass[MISSING, 1]) if side == 1 else 0.0
            first0, first1 = l0, l1
            for b in range(N_BINS if category or side == 0 else N_CUTS):
                if category:
                    l0, l1 = first0, first1
                l0 += mass[b, 0]
                l1 += mass[b, 1]
                if no_better(f.head[CRITERION], l0 * per0, l1 * per1, best):
                    continue
                gain = split_gain(f.head[CRITERION], False, l0, l1, n0 - l0, n1 - l1)
                if gain > best + TIE:
                    best, where, at, missing_left = gain, c, b, side == 1
                    best0, best1 = l0, l1
    if where < 0 or score_statistic(best0, best1, n0 - best0, n1 - best1) < SIGNIFICANT:
        return False
    split(f, tree, leaf, slot, where, at, missing_left, (best0, best1), (n0 - best0, n1 - best1))
    return True


@njit(cache=True, error_model="numpy", **ENTRY)
def no_better(criterion, a, b, best):
    """Whether a split that sends the shares a and b of the classes left surely gains no more.

    With Vincze and Le Cam's discrepancy D = 2 (a - b)^2 / ((a + b) (2 - a - b)), the gain is D / 4
    by Gini, D / 2 at most by entropy, and the root of D at most by Hellinger. No logarithm needed.
    """
    if criterion == HELLINGER:
        most = best * best
    else:
        most = (4.0 if criterion == CCP_GINI else 2.0) * best
    # a little less, as all of this is rounded
    return 2.0 * (a - b) * (a - b) <= (1.0 - 1e-9) * most * (a + b) * (2.0 - a - b)


@njit(error_model="numpy", **INNER)
def score_statistic(l0, l1, r0, r1):
    """Squared score statistic of two branches against one value for both.

    Without anything to split it is chi-squared with one degree of freedom.
    """
    left, right = 0.5 * max(l0 + l1, 0.0), 0.5 * max(r0 + r1, 0.0)
    if not (left > 0.0 and right > 0.0):
        return 0.0
    share = left / (left + right)
    gradient = (l1 - l0) - share * (l1 + r1 - l0 - r0)
    return gradient * gradient / (share * right)


@njit(error_model="numpy", **INNER)
def split(f, tree, leaf, slot, c, b, missing_left, left, right):
    """Make two branches with the masses `left` and `right`; they start near their parent."""
    child, node = f.trees[tree, USED], f.nodes[tree, leaf]
    f.trees[tree, USED] += 2
    j = f.candidates[tree, slot, c]
    # all present values on the left, only missing ones on the right: no value lies above
    last = f.cuts[tree, slot, c, min(b, N_CUTS - 1)] if b < N_CUTS else 1.7e308
    f.points[tree, leaf, CUT] = float(b) if f.categorical[j] else last
    node[FEATURE], node[CHILD], node[MISSING_LEFT] = j, child, 1 if missing_left else 0
    for side in range(2):
        i = child + side
        m0, m1 = left if side == 0 else right
        m0, m1 = max(m0, 0.0), max(m1, 0.0)
        curvature = 0.5 * (m0 + m1)
        f.nodes[tree, i, FEATURE] = -1
        f.nodes[tree, i, OBSERVER] = slot if side == 0 else child // 2 + 1
        f.points[tree, i, LAST] = f.points[tree, leaf, LAST]
        for h in range(f.value.shape[2]):
            start = STEP * (m1 - m0) / (curvature + 1.0 / LEAF_VARIANCE)
            f.value[tree, i, h, MEAN] = f.value[tree, leaf, h, MEAN] + start
            f.value[tree, i, h, VARIANCE] = 1.0 / (1.0 / LEAF_VARIANCE + STEP * curvature)
        begin_observer(f, tree, np.int64(f.nodes[tree, i, OBSERVER]), RENEW)
