"""Pictures of a tree: a diagram, its leaves as points, and Graphviz's language."""

import numpy as np

from stakes._core.plotting import MUTED, open_axes
from stakes.tree._rules import node_lines

LONGEST = 40  # characters of a condition in a box


def plot_tree(rules, ax=None, *, max_depth=3, fontsize="x-small"):
    """Draw the tree down to a depth, see `ConfidenceTreeClassifier.plot`."""
    nodes = rules.nodes
    limit = nodes.depth.max() if max_depth is None else max_depth
    drawn = [k for k in range(len(nodes)) if nodes.depth[k] <= limit]
    x, ends = _places(nodes, limit)
    new = ax is None
    figure, ax = open_axes(ax)
    if new:
        figure.set_size_inches(max(4.0, 2.2 * ends), 1.7 * (nodes.depth[drawn].max() + 1))
    for k in drawn:
        here = (x[k], -float(nodes.depth[k]))
        ax.text(
            *here,
            "\n".join(_box(rules, k, limit)),
            ha="center",
            va="center",
            fontsize=fontsize,
            bbox=dict(boxstyle="round", facecolor=_color(rules, k), edgecolor="0.55"),
            zorder=2,
        )
        for child, answer in _branches(nodes, k, limit):
            there = (x[child], -float(nodes.depth[child]))
            ax.plot(*zip(here, there, strict=True), **MUTED)
            middle = 0.5 * (here[0] + there[0]), 0.5 * (here[1] + there[1])
            ax.text(*middle, answer, fontsize=fontsize, color="0.35", ha="center")
    ax.set(xlim=(-0.6, ends - 0.4), ylim=(-float(nodes.depth[drawn].max()) - 0.5, 0.5))
    ax.set_title(" against ".join(rules.classes[::-1]), fontsize="small")
    ax.set_axis_off()
    return ax


def plot_rules(rules, ax=None):
    """Leaves by the share of each class that they hold; rules without information are diagonal."""
    if len(rules.classes) > 2:
        raise ValueError(f"kind='rules' needs two classes. Got {len(rules.classes)} instead.")
    _, ax = open_axes(ax)
    leaf = rules.nodes.is_leaf
    rates = rules.weight[leaf] / np.maximum(rules.weight[0], np.finfo(float).tiny)
    size = 20.0 + 10.0 * np.minimum(-rules.log_p[leaf], 50.0)
    ax.scatter(rates[:, 0], rates[:, 1], s=size, alpha=0.6, label="leaves")
    top = max(ax.get_xlim()[1], ax.get_ylim()[1])
    ax.plot([0, top], [0, top], color="grey", linewidth=1)
    shares = (f"share of {c} in the leaf" for c in rules.classes)
    ax.set(**dict(zip(("xlabel", "ylabel"), shares, strict=True)))
    ax.legend(title="larger: smaller p-value")
    return ax


def graphviz_text(rules, max_depth=None):
    """The tree in the DOT language."""
    nodes = rules.nodes
    limit = nodes.depth.max() if max_depth is None else max_depth
    lines = ["digraph Tree {", 'node [shape=box, style="filled, rounded", fontname="helvetica"];']
    for k in np.flatnonzero(nodes.depth <= limit):
        # json quotes are DOT quotes; a line break is the two characters \n
        text = "\n".join(_box(rules, k, limit)).replace("\\", "\\\\").replace('"', '\\"')
        color = "#" + "".join(f"{round(255 * c):02x}" for c in _color(rules, k))
        label = text.replace("\n", "\\n")
        lines.append(f'{k} [label="{label}", fillcolor="{color}"];')
        for child, answer in _branches(nodes, k, limit):
            lines.append(f'{k} -> {child} [label="{answer}"];')
    return "\n".join([*lines, "}"])


def _box(rules, k, limit):
    """Lines of a box: the question that its split asks, and the facts of the node."""
    nodes = rules.nodes
    for child, _ in _branches(nodes, k, limit):
        question = rules.conditions[child][-1]
        yield question if len(question) <= LONGEST else question[: LONGEST - 4] + " ..."
        break
    yield from node_lines(rules, k)
    if not nodes.is_leaf[k] and nodes.depth[k] >= limit:
        yield f"{_leaves_below(nodes, k)} leaves below"


def _branches(nodes, k, limit):
    """The children of a node that are drawn, with the answer that leads to each."""
    if nodes.is_leaf[k] or nodes.depth[k] >= limit:
        return []
    return [(nodes.left[k], "yes"), (nodes.left[k] + 1, "no")]


def _places(nodes, limit):
    """Horizontal position of every node, parents above the middle of their children; its width."""
    x, ends, stack = np.zeros(len(nodes)), 0, [0]
    inner = []
    while stack:
        k = stack.pop()
        if _branches(nodes, k, limit):
            inner.append(k)
            stack += [nodes.left[k] + 1, nodes.left[k]]
        else:
            x[k], ends = ends, ends + 1
    for k in inner[::-1]:  # children come after their parents
        x[k] = 0.5 * (x[nodes.left[k]] + x[nodes.left[k] + 1])
    return x, ends


def _leaves_below(nodes, k):
    count, stack = 0, [k]
    while stack:
        k = stack.pop()
        if nodes.is_leaf[k]:
            count += 1
        else:
            stack += [nodes.left[k], nodes.left[k] + 1]
    return count


def _color(rules, k):
    """From blue (the first class is over-represented) over white to orange (the last one is)."""
    rate = rules.weight[k] / np.where(rules.weight[0] > 0, rules.weight[0], 1.0)
    tilt = float((rate[-1] - rate[0]) / max(rate[-1] + rate[0], np.finfo(float).tiny))
    end = np.array([1.0, 0.75, 0.5]) if tilt > 0 else np.array([0.6, 0.8, 1.0])
    return tuple(1.0 + abs(tilt) * (end - 1.0))
