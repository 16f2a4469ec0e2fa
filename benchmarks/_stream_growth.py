"""How a stream's trees grow: the forest's own rule next to others, all else being equal.

Only the function that splits a leaf differs: the values of the leaves, the half-lives, the
calibration and the memory are the same. The functions that call it are compiled anew for each rule.
"""

import math
import types

import numpy as np
from numba import njit
from scipy.stats import rankdata

from benchmarks._measure import Row
from benchmarks._stream_money import log_loss, prequential, savings, streams
from stakes._core.jit.gain import split_gain
from stakes.online_forest import StreamForestClassifier, _grow_jit, _learn_jit, _stream_forest
from stakes.online_forest._grow_jit import draw, split
from stakes.online_forest._state import CRITERION, MASS_0, MASS_1, MISSING, N_CUTS, SEEN

DELTA, TIE = 0.01, 0.05  # of River's adaptive random forest
OWN, BOUND, RANDOM, STAKE = "score test", "Hoeffding bound", "random", "score test, by stake"


@njit
def try_bound(f, tree, leaf, slot, columns):
    """Split a leaf if its best feature gains more than the second best by Hoeffding's bound."""
    n0, n1 = f.tally[tree, slot, MASS_0], f.tally[tree, slot, MASS_1]
    first, second, where, at, best0, best1 = 0.0, 0.0, -1, 0, 0.0, 0.0
    for c in range(columns):
        mass, l0, l1, most = f.mass[tree, slot, c], 0.0, 0.0, 0.0
        for b in range(N_CUTS):
            one = f.categorical[f.candidates[tree, slot, c]]
            l0 = mass[b, 0] + (0.0 if one else l0)
            l1 = mass[b, 1] + (0.0 if one else l1)
            gain = split_gain(f.head[CRITERION], False, l0, l1, n0 - l0, n1 - l1)
            most = max(most, gain)
            if gain > first:
                second = first if where != c else second
                first, where, at, best0, best1 = gain, c, b, l0, l1
        if where != c:
            second = max(second, most)
    bound = math.sqrt(math.log(1.0 / DELTA) / (2.0 * f.tally[tree, slot, SEEN]))
    if where < 0 or not (first - second > bound or bound < TIE):
        return False
    split(f, tree, leaf, slot, where, at, False, (best0, best1), (n0 - best0, n1 - best1))
    return True


@njit
def try_random(f, tree, leaf, slot, columns):
    """Split a leaf by any of its features and cuts, whatever the labels are."""
    c, b = np.int64(draw(f.head, columns)), np.int64(draw(f.head, N_CUTS))
    mass, n0, n1 = f.mass[tree, slot, c], f.tally[tree, slot, MASS_0], f.tally[tree, slot, MASS_1]
    l0, l1, missing = 0.0, 0.0, np.int64(draw(f.head, 2)) == 1
    if missing:
        l0, l1 = float(mass[MISSING, 0]), float(mass[MISSING, 1])
    from_bin = b if f.categorical[f.candidates[tree, slot, c]] else 0
    for k in range(from_bin, b + 1):
        l0 += mass[k, 0]
        l1 += mass[k, 1]
    split(f, tree, leaf, slot, c, b, missing, (l0, l1), (n0 - l0, n1 - l1))
    return True


def learn_with(rule):
    """The forest's loop over rows with another rule of growth."""
    if rule is None:
        return _learn_jit.learn_rows
    changed = {"try_split": rule}
    steps = [(_grow_jit, "observe"), (_learn_jit, "try_tree"), (_learn_jit, "learn_event")]
    for module, name in (*steps, (_learn_jit, "learn_next"), (_learn_jit, "learn_rows")):
        plain = getattr(module, name).py_func
        changed[name] = njit(error_model="numpy")(
            types.FunctionType(plain.__code__, plain.__globals__ | changed, name)
        )
    return changed["learn_rows"]


def growth():
    """Log loss and savings of each rule on each stream, and its mean rank by log loss."""
    ways = {OWN: (None, {}), BOUND: (try_bound, {}), RANDOM: (try_random, {}),
            STAKE: (None, {"cost_rule": "stake"})}  # fmt: skip
    found, own = {}, _stream_forest.learn_rows
    try:
        for way, (rule, settings) in ways.items():
            _stream_forest.learn_rows = learn_with(rule)
            StreamForestClassifier().fit([[0.0], [1.0]], [0, 1])  # compiled before it is timed
            for name, X, y, costs, delay in one_of_each():
                model = StreamForestClassifier(random_state=0, **settings)
                p, seconds = prequential(model, X, y, costs, delay)
                part = slice(len(y) // 10, None)
                facts = log_loss(p[part], y[part]), savings(p, y, costs, part)
                found[name, way] = *facts, int(np.mean(model.n_nodes_)), seconds
                print(f"growth: {name}, {way}:", found[name, way], flush=True)
    finally:
        _stream_forest.learn_rows = own
    names = list(dict.fromkeys(name for name, _ in found))
    rows = [
        Row(f"growth: {name}", f"StreamForestClassifier, {way}", found[name, way][3],
            note="log loss {:.4f}, savings {:.3f}, {} nodes per tree".format(*found[name, way]))
        for name in names for way in ways
    ]  # fmt: skip
    ranks = np.mean([rankdata([found[n, way][0] for way in ways]) for n in names], axis=0)
    means = [np.mean([found[n, way][1] for n in names]) for way in ways]
    return rows + [
        Row(f"growth: {len(names)} streams", f"StreamForestClassifier, {way}", None,
            note=f"mean rank {rank:.2f} of {len(ways)} by log loss, mean savings {mean:.3f}")
        for way, rank, mean in zip(ways, ranks, means, strict=True)
    ]  # fmt: skip


def one_of_each():
    """The streams of the money runs, one seed each, and at most 60,000 events."""
    seen = set()
    for name, _, X, y, costs, delay in streams():
        if name not in seen:
            seen.add(name)
            n = min(len(y), 60_000)
            if n < len(y):
                name = name.replace(f"{len(y):,}", f"first {n:,}")
            costs = {k: np.broadcast_to(np.asarray(c, float), len(y))[:n] for k, c in costs.items()}
            X, y = np.ascontiguousarray(X[:n]), np.asarray(y[:n]).astype(int)
            yield name, X, y, costs, min(delay, n // 26)
