"""Compiled loop of _shapley.py: all leaves that a mix of a row and a background row can reach."""

import numpy as np
from numba import njit

from stakes._core.jit import ENTRY, INNER
from stakes.tree._split_jit import GOES_LEFT, MISSING


@njit(**INNER)
def side_of(X, i, walk, node):
    """Side of a node that row i goes to: 0 left, 1 right; as in leaf_of of _walk_jit."""
    v, t = X[i, walk.feature[node]], walk.threshold[node]
    if v == v and t == t:
        return int(v > t)
    if walk.group[node] >= 0:
        code = int(v) if v >= 0.0 and v < MISSING else MISSING
        return 1 - int(walk.groups[walk.group[node], code] & GOES_LEFT)
    return 1 - int(walk.missing_left[node])


@njit(cache=True, nogil=True, **ENTRY)
def tree_shapley_values(X, background, walk, roots, value, column, weight, out):
    """Add the Shapley values of every row, against every background row, over all trees.

    `column[f]` is the player that feature f belongs to, and `weight[a, b]` the Shapley weight
    a! b! / (a + b + 1)!. A leaf counts if the players that went with the row (state 1) are all
    in a coalition and those that went with the background row (state 2) are not.
    """
    d = out.shape[1]
    state = np.zeros(d, dtype=np.int64)
    path = np.empty(d, dtype=np.int64)
    # alternatives that are still to be walked: the node, the length of the path, the player
    stack = np.empty((d + 1, 3), dtype=np.int64)
    for i in range(len(X)):
        for r in range(len(background)):
            for t in range(len(roots)):
                node, length, own, others, top = roots[t], 0, 0, 0, 0
                while True:
                    while walk.left[node] > 0:
                        c = column[walk.feature[node]]
                        if state[c] == 1:
                            node = walk.left[node] + side_of(X, i, walk, node)
                            continue
                        if state[c] == 2:
                            node = walk.left[node] + side_of(background, r, walk, node)
                            continue
                        mine = side_of(X, i, walk, node)
                        its = side_of(background, r, walk, node)
                        if mine == its:
                            node = walk.left[node] + mine
                            continue
                        stack[top, 0] = walk.left[node] + its
                        stack[top, 1], stack[top, 2] = length, c
                        top += 1
                        state[c], path[length] = 1, c
                        length += 1
                        own += 1
                        node = walk.left[node] + mine
                    v = value[node]
                    for place in range(length):
                        c = path[place]
                        if state[c] == 1:
                            out[i, c] += v * weight[own - 1, others]
                        else:
                            out[i, c] -= v * weight[own, others - 1]
                    if top == 0:
                        break
                    top -= 1
                    # undo the path down to where the alternative branched off
                    while length > stack[top, 1]:
                        length -= 1
                        c = path[length]
                        if state[c] == 1:
                            own -= 1
                        else:
                            others -= 1
                        state[c] = 0
                    node, c = stack[top, 0], stack[top, 2]
                    state[c], path[length] = 2, c
                    length += 1
                    others += 1
                for place in range(length):
                    state[path[place]] = 0
