"""Cost-complexity pruning of CART: a penalty per leaf, chosen by cross-validation."""

import numpy as np

from stakes.tree._nodes import grow_nodes
from stakes.tree._prune import weakest_links

FOLDS = 5


def prune_by_complexity(full, binned, examples, settings, seed):
    """The subtree with the least errors plus a penalty per leaf.

    The penalties between which the tree changes come from all examples. Each is tried, by its
    geometric mean with the next, on trees grown without a fifth of the examples; the one with the
    fewest errors there is taken, and of equal ones the largest.

    Parameters
    ----------
    full : Nodes
        The tree to prune.
    binned : Binned
        Its features.
    examples : (label, weight, size, regret)
        Of its examples.
    settings : Settings
        How it was grown.
    seed : int
        Seed of the feature draws.

    Returns
    -------
    Nodes
    """
    label, weight, size, regret = examples
    penalty = _penalties(full)
    steps = np.append(np.unique(penalty[~full.is_leaf]), np.inf)
    if len(steps) == 1:
        return full
    tried = np.append(np.sqrt(steps[:-1] * np.append(steps[1:-1], steps[-2] * 4.0)), np.inf)
    tried = np.unique(np.append(0.0, tried))
    errors = np.zeros(len(tried))
    fold = np.zeros(len(label), dtype=np.intp)
    for k in range(settings.n_classes):
        of_class = np.flatnonzero(label == k)
        fold[of_class] = np.arange(len(of_class)) % FOLDS
    for turn in range(FOLDS):
        train, test = fold != turn, fold == turn
        if not (weight * train).any() or not test.any():
            continue
        part = grow_nodes(
            binned, label, weight * train, size * train, regret, settings, seed=seed, tested=False
        )
        link = _penalties(part)
        X = np.ascontiguousarray(binned.X[test])
        for i, alpha in enumerate(tried):
            cut = part.cut(link <= alpha)
            wrong = cut.weight[cut.leaves(X)].argmax(axis=1) != label[test]
            errors[i] += weight[test] @ wrong
    best = len(errors) - 1 - int(errors[::-1].argmin())
    return full.cut(penalty <= tried[best])


def _penalties(nodes):
    mistakes = nodes.weight.sum(axis=1) - nodes.weight.max(axis=1)
    return weakest_links(mistakes / nodes.weight[0].sum(), nodes)
