"""Tree diagram: one box per node with its condition and its decision."""

import numpy as np

from stakes._core.plotting import MUTED, open_axes
from stakes.tree._rules import conditions_of, strength, targets_of


def plot_tree(model, ax=None, *, max_depth=3, label=None):
    """Draw the tree of one class down to a depth, see `ConfidenceTreeClassifier.plot`."""
    target, nodes = _chosen(model, label)
    limit = nodes.depth.max() if max_depth is None else max_depth
    drawn = [k for k in range(len(nodes)) if nodes.depth[k] <= limit]
    x, ends = _places(nodes, limit)
    new = ax is None
    figure, ax = open_axes(ax)
    if new:
        figure.set_size_inches(max(4.0, 1.6 * ends), 1.5 * (nodes.depth[drawn].max() + 1))
    conditions = conditions_of(model, nodes)
    for k in drawn:
        here = (x[k], -float(nodes.depth[k]))
        split = not nodes.is_leaf[k] and nodes.depth[k] < limit
        question = conditions[nodes.left[k]][-1] if split else ""
        ax.text(
            *here,
            "\n".join(filter(None, [question, *_facts(target, nodes, k, split)])),
            ha="center",
            va="center",
            fontsize="x-small",
            bbox=dict(boxstyle="round", facecolor=_color(nodes, k), edgecolor="0.55"),
            zorder=2,
        )
        for child, answer in zip((nodes.left[k], nodes.left[k] + 1), ("yes", "no"), strict=True):
            if split:
                there = (x[child], -float(nodes.depth[child]))
                ax.plot(*zip(here, there, strict=True), **MUTED)
                middle = 0.5 * (here[0] + there[0]), 0.5 * (here[1] + there[1])
                ax.text(*middle, answer, fontsize="x-small", color="0.35", ha="center")
    ax.set(xlim=(-0.6, ends - 0.4), ylim=(-float(nodes.depth[drawn].max()) - 0.5, 0.5))
    ax.set_title(f"{target[1]} against {target[0]}", fontsize="small")
    ax.set_axis_off()
    return ax


def _chosen(model, label):
    """Class names and nodes of the tree to draw."""
    found = targets_of(model)
    if label is None:
        return found[0]
    at = np.flatnonzero(model.classes_ == label)
    if not len(at):
        raise ValueError(f"label must be one of the classes. Got {label!r} instead.")
    return found[0 if len(found) == 1 else int(at[0])]


def _places(nodes, limit):
    """Horizontal position of every node, parents above the middle of their children; its width."""
    x, ends, stack = np.zeros(len(nodes)), 0, [0]
    inner = []
    while stack:
        k = stack.pop()
        if nodes.is_leaf[k] or nodes.depth[k] >= limit:
            x[k], ends = ends, ends + 1
        else:
            inner.append(k)
            stack += [nodes.left[k] + 1, nodes.left[k]]
    for k in inner[::-1]:  # children come after their parents
        x[k] = 0.5 * (x[nodes.left[k]] + x[nodes.left[k] + 1])
    return x, ends


def _facts(target, nodes, k, split):
    """Lines of a box below its condition."""
    weight, regret = nodes.weight[k], nodes.regret[k]
    decided = int(nodes.score[k] > 0)
    favours, confidence, proportion = strength(weight, nodes.weight[0])
    cost = regret[1 - decided] / nodes.regret[0].sum()
    yield f"{weight[0]:g} {target[0]}, {weight[1]:g} {target[1]}"
    yield f"{target[favours]}: confidence {confidence:.3g}"
    yield f"ccp {proportion:.3g}, p {np.exp(nodes.log_p[k]):.2g}"
    yield f"decides {target[decided]}, loses {cost:.2%}"
    if not split and not nodes.is_leaf[k]:
        yield f"{_leaves_below(nodes, k)} leaves below"


def _leaves_below(nodes, k):
    count, stack = 0, [k]
    while stack:
        k = stack.pop()
        if nodes.is_leaf[k]:
            count += 1
        else:
            stack += [nodes.left[k], nodes.left[k] + 1]
    return count


def _color(nodes, k):
    """From blue (the negatives' share is larger) over white to orange (the positives' is)."""
    rate = nodes.weight[k] / np.where(nodes.weight[0] > 0, nodes.weight[0], 1.0)
    tilt = float((rate[1] - rate[0]) / rate.sum())
    end = np.array([1.0, 0.75, 0.5]) if tilt > 0 else np.array([0.6, 0.8, 1.0])
    return tuple(1.0 + abs(tilt) * (end - 1.0))
