"""Drawing of a game tree: time runs to the right, pruned branches are dashed."""

from stakes._core.plotting import open_axes

CUT = dict(color="0.65", linestyle="--", linewidth=1.0)
KEPT = dict(color="#1f4e79", linestyle="-", linewidth=2.0)


def draw_tree(root, cut, ax, decision):
    """Draw a tree of nodes of type `decision` with payoffs at the leaves.

    Parameters
    ----------
    root : Decision
        First node.
    cut : set of tuple
        Histories of the pruned branches.
    ax : matplotlib Axes or None
        Axes to draw on; None: new ones.
    decision : type
        Type of the nodes; anything else is a leaf.

    Returns
    -------
    matplotlib Axes
    """
    _, ax = open_axes(ax)
    next_leaf = iter(range(10**6))
    places = {}

    def place(node, history):
        if not isinstance(node, decision):
            height = -float(next(next_leaf))
        else:
            children = [place(child, (*history, a)) for a, child in node.actions.items()]
            height = sum(children) / len(children)
        places[history] = (float(len(history)), height, node)
        return height

    place(root, ())
    for history, (x, y, node) in places.items():
        if history:
            x0, y0, _ = places[history[:-1]]
            style = CUT if any(history[: k + 1] in cut for k in range(len(history))) else KEPT
            ax.plot([x0, x], [y0, y], zorder=1, **style)
            ax.text((x0 + x) / 2, (y0 + y) / 2, history[-1], ha="center", va="bottom")
        if isinstance(node, decision):
            box = dict(boxstyle="round", facecolor="white", edgecolor=KEPT["color"])
            ax.text(x, y, node.player, ha="center", va="center", bbox=box, zorder=2)
        else:
            payoffs = ", ".join(f"{value:g}" for value in node)
            ax.text(x + 0.05, y, payoffs, ha="left", va="center")
    ax.set_axis_off()
    ax.margins(x=0.15, y=0.15)
    return ax
