"""Ensembles of trees as one operator with thresholds and leaves in double precision.

The trees of older versions of ONNX hold 32-bit floats, so that a value next to a threshold can go
the other way and sums of leaves are rounded: decisions would differ. Operator set 5 has doubles.
Trees are added in their order, beginning with the constant, as the learners do; with one thread
the sum is the same to the last bit.
"""

from dataclasses import dataclass, field

import numpy as np

from stakes.export._graph import ML

UP_TO, IN_SET = 0, 6  # modes of a node: value <= threshold, value in a set


@dataclass
class Trees:
    """Nodes of all trees, as the operator wants them; leaves are counted on their own."""

    feature: list = field(default_factory=list)
    mode: list = field(default_factory=list)
    threshold: list = field(default_factory=list)
    missing_first: list = field(default_factory=list)
    children: list = field(default_factory=list)  # (first, is leaf), (second, is leaf)
    sets: list = field(default_factory=list)
    leaves: list = field(default_factory=list)  # (target, value)
    roots: list = field(default_factory=list)

    def add(self, root, node_of, leaf_of):
        """Add one tree.

        Parameters
        ----------
        root : int
            Its first node.
        node_of : callable
            Node -> (feature, threshold, set or None, first, second, whether missing goes first),
            where `first` is next if the value is at most the threshold, or in the set; None for a
            leaf.
        leaf_of : callable
            Leaf -> (target, value).
        """
        self.roots.append(len(self.feature))
        if node_of(root) is None:  # the operator has no tree without a split: both sides are equal
            self._node(0, 0.0, None, True)
            leaf = self._leaf(leaf_of(root))
            self.children[-1] = (leaf, leaf)
            return
        todo = [(root, None, 0)]
        while todo:
            node, parent, side = todo.pop()
            found = node_of(node)
            if found is None:
                place = self._leaf(leaf_of(node))
            else:
                feature, threshold, members, first, second, missing_first = found
                place = (self._node(feature, threshold, members, missing_first), False)
                todo += [(second, place[0], 1), (first, place[0], 0)]
            if parent is not None:
                pair = list(self.children[parent])
                pair[side] = place
                self.children[parent] = tuple(pair)

    def sum(self, X, n_targets=1):
        """Sum over the trees of the values of each row's leaves, one column per target."""
        from onnx import numpy_helper

        def tensor(values, dtype=np.float64):
            return numpy_helper.from_array(np.asarray(values, dtype=dtype))

        first, second = zip(*self.children, strict=True)
        members = {}
        if self.sets:
            ends = [np.append(np.asarray(one, dtype=float), np.nan) for one in self.sets]
            members = {"membership_values": tensor(np.concatenate(ends))}
        targets, values = zip(*self.leaves, strict=True)
        return X.op(
            "TreeEnsemble",
            domain=ML,
            n_targets=n_targets,
            aggregate_function=1,
            post_transform=0,
            tree_roots=self.roots,
            nodes_featureids=self.feature,
            nodes_modes=tensor(self.mode, np.uint8),
            nodes_splits=tensor(self.threshold),
            nodes_truenodeids=[place for place, _ in first],
            nodes_trueleafs=[int(leaf) for _, leaf in first],
            nodes_falsenodeids=[place for place, _ in second],
            nodes_falseleafs=[int(leaf) for _, leaf in second],
            nodes_missing_value_tracks_true=[int(one) for one in self.missing_first],
            leaf_targetids=list(targets),
            leaf_weights=tensor(values),
            **members,
        )

    def _node(self, feature, threshold, members, missing_first):
        self.feature.append(int(feature))
        self.mode.append(UP_TO if members is None else IN_SET)
        self.threshold.append(0.0 if members is not None else float(threshold))
        self.missing_first.append(missing_first)
        self.children.append(((0, True), (0, True)))
        if members is not None:
            self.sets.append(members)
        return len(self.feature) - 1

    def _leaf(self, values):
        target, value = values
        self.leaves.append((int(target), float(value)))
        return len(self.leaves) - 1, True


def category_split(left, right, first, second, missing_left):
    """A split by category as one by a set: whatever is in neither side goes where missing goes.

    Returns the set, the child of its members, the other child, and whether missing goes first.
    """
    members, first, second = (right, second, first) if missing_left else (left, first, second)
    return sorted(members) or [-1.0], first, second, False  # -1 is no category
