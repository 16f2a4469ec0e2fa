"""A tree as rules: a data frame, indented text, a plot."""

import numpy as np
import polars as pl

from stakes._core.plotting import open_axes


def rules_frame(model):
    """One row per leaf, the most significant first."""
    rows = []
    for target, nodes in targets_of(model):
        weight, root = nodes.weight, nodes.weight[0]
        conditions = conditions_of(model, nodes)
        for k in np.flatnonzero(nodes.is_leaf):
            favours, confidence, proportion = strength(weight[k], root)
            rows.append(
                {
                    "rule": " and ".join(conditions[k]) or "always",
                    "class": str(target[favours]),
                    "confidence": confidence,
                    "ccp": proportion,
                    "support": float(weight[k].sum() / root.sum()),
                    "weight": float(weight[k].sum()),
                    "p_value": float(np.exp(nodes.log_p[k])),
                    "log_p": float(nodes.log_p[k]),
                }
            )
    return pl.DataFrame(rows).sort("log_p", maintain_order=True)


def rules_text(model):
    """All nodes of the tree, one per line, indented by depth."""
    lines = []
    for target, nodes in targets_of(model):
        if len(model.trees_) > 1:
            lines.append(f"{target[1]} against the rest")
        conditions = conditions_of(model, nodes)
        stack = [0]
        while stack:
            k = stack.pop()
            favours, confidence, proportion = strength(nodes.weight[k], nodes.weight[0])
            text = conditions[k][-1] if conditions[k] else "all examples"
            facts = (
                f"{nodes.weight[k].sum():g} examples, {target[favours]}: confidence "
                f"{confidence:.3g}, ccp {proportion:.3g}, p {np.exp(nodes.log_p[k]):.2g}"
            )
            lines.append("  " * int(nodes.depth[k]) + f"{text} ({facts})")
            if not nodes.is_leaf[k]:
                stack += [nodes.left[k] + 1, nodes.left[k]]
    return "\n".join(lines)


def plot_rules(model, ax=None):
    """Leaves by the share of each class that they hold; rules without information are diagonal."""
    _, ax = open_axes(ax)
    for target, nodes in targets_of(model):
        leaf = nodes.is_leaf
        rates = nodes.weight[leaf] / np.maximum(nodes.weight[0], np.finfo(float).tiny)
        size = 20.0 + 10.0 * np.minimum(-nodes.log_p[leaf], 50.0)
        ax.scatter(rates[:, 0], rates[:, 1], s=size, alpha=0.6, label=f"leaves, {target[1]}")
    top = max(ax.get_xlim()[1], ax.get_ylim()[1])
    ax.plot([0, top], [0, top], color="grey", linewidth=1)
    ax.set(xlabel="share of the negatives in the leaf", ylabel="share of the positives in the leaf")
    ax.legend(title="larger: smaller p-value")
    return ax


def targets_of(model):
    """Names of the negative and the positive class, and the nodes, of every tree."""
    if len(model.trees_) == 1:
        return [(model.classes_, model.trees_[0])]
    return [
        ((f"not {name}", name), nodes)
        for name, nodes in zip(model.classes_, model.trees_, strict=True)
    ]


def strength(weight, root):
    """The class that a node favours, its confidence and its class confidence proportion."""
    rate = weight / np.where(root > 0, root, 1.0)
    favours = int(rate[1] >= rate[0])
    return favours, float(weight[favours] / weight.sum()), float(rate[favours] / rate.sum())


def conditions_of(model, nodes):
    """List of the conditions that lead to every node."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{j}" for j in range(model.n_features_in_)]
    found = [[] for _ in range(len(nodes))]
    for k in np.flatnonzero(~nodes.is_leaf):
        name, left = names[nodes.feature[k]], nodes.left[k]
        if nodes.group[k] >= 0:
            inside = np.flatnonzero(nodes.groups[nodes.group[k]][:-1])
            listed = ", ".join(str(code) for code in inside[:10]) + (
                ", ..." if len(inside) > 10 else ""
            )
            sides = f"{name} in {{{listed}}}", f"{name} not in {{{listed}}}"
            missing = bool(nodes.groups[nodes.group[k]][-1])
        else:
            value = f"{nodes.threshold[k]:.6g}"
            sides = f"{name} <= {value}", f"{name} > {value}"
            if np.isinf(nodes.threshold[k]):
                sides = f"{name} is present", f"{name} is missing"
            missing = bool(nodes.missing_left[k])
        noted = model.has_missing_[nodes.feature[k]] and not np.isinf(nodes.threshold[k])
        for child, side, has in ((left, sides[0], missing), (left + 1, sides[1], not missing)):
            note = " or missing" if has and noted else ""
            found[child] = [*found[k], side + note]
    return found
