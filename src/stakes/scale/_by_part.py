"""Learners that learn each part on its own and are merged: one pass, and trees."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from stakes.errors import BelowTrivialWarning, InputError
from stakes.scale._exact import merge_states, nothing
from stakes.scale._folder import group_parts
from stakes.scale._verbs import map_parts, number_rows, parts_of

# of a part that is learned on its own; below, merging loses money: benchmarks/part_sizes.py
MIN_ROWS = 60_000
MIN_OF_A_CLASS = 100  # rows of the rarer class, on average


@dataclass(frozen=True)
class LearnBatches:
    """Learns a batch after the other."""

    matrix: object
    learner: object

    def __call__(self, learner, rows):
        learner = clone(self.learner) if learner is None else learner
        costs = dict(rows.costs.keywords())
        return learner.partial_fit(
            self.matrix.transform(rows.table), rows.y, classes=[0, 1], **costs
        )


def fit_one_pass(learner, table, matrix, n_jobs):
    """Let a learner with `partial_fit` and `merge` read each part, then merge.

    Neighboring parts that are small or have few rows of the rarer class are learned as one.
    """
    rarer = max(min(table.positives, table.rows - table.positives), 1)
    least = max(MIN_ROWS, -(-MIN_OF_A_CLASS * table.rows // rarer))
    grouped = replace(table, source=grouped_parts(table, least, n_jobs))
    return grouped.fold(nothing, LearnBatches(matrix, learner), merge_states, n_jobs=n_jobs)


@dataclass(frozen=True)
class GrowTrees:
    """Grows the trees of one part, whose rows are read into memory."""

    reader: object
    matrix: object
    learner: object
    trees: dict
    seeds: dict
    n_codes: tuple

    def __call__(self, part):
        rows = [self.reader.read(batch) for batch in part.batches() if batch.height]
        n, learner = self.trees[part.name], clone(self.learner)
        if not rows or not n:
            return None
        Z = np.concatenate([self.matrix.transform(one.table) for one in rows])
        y = np.concatenate([one.y for one in rows])
        if len(np.unique(y)) < 2:
            raise InputError(
                "All rows of this part are of one class; trees grow on parts that are random "
                "samples: shuffle the rows, or put them into fewer files."
            )
        costs = [one.costs.keywords() for one in rows]
        costs = {name: np.concatenate([one[name] for one in costs]) for name in costs[0]}
        # rows without weight teach nothing, but give every part the codes of all categories
        more = max(self.n_codes, default=0)
        extra = np.full((more, Z.shape[1]), np.nan)
        for j, k in enumerate(self.n_codes):
            extra[:k, j] = np.arange(k)
        weight = np.append(np.ones(len(y)), np.zeros(more))
        costs = {name: np.append(cost, np.zeros(more)) for name, cost in costs.items()}
        learner.set_params(n_estimators=n, random_state=self.seeds[part.name])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BelowTrivialWarning)  # checked for all trees at the end
            return learner.fit(
                np.vstack([Z, extra]), np.append(y, np.zeros(more, int)), weight, **costs
            )


def fit_forest(learner, table, matrix, n_jobs):
    """Grow some of the trees of a forest on each part, then merge.

    There are at most as many groups of parts as trees, and a group has at least 60,000 rows if the
    table has; each is read into memory by one process.
    """
    T = learner.n_estimators
    source = grouped_parts(table, max(MIN_ROWS, -(-table.rows // T)), n_jobs)
    names = source.names() if hasattr(source, "names") else [part.name for part in source]
    counts = {name: T // len(names) + (k < T % len(names)) for k, name in enumerate(names)}
    seed = learner.random_state
    seeds = {name: seed if seed is None else seed + k for k, name in enumerate(names)}
    known = matrix.categories_, matrix.has_other_, matrix.kinds_
    codes = tuple(
        len(known[0][name]) + known[1][name] if known[2][name] == "text" else 0
        for name in matrix.column_of_feature_
    )
    grow = GrowTrees(table.reader, matrix, learner, counts, seeds, codes)
    found = {part.name: grown for part, grown in map_parts(grow, source, n_jobs=n_jobs)}
    forest = None
    for name in names:  # in the order of the parts, whichever finished first
        forest = merge_states(forest, found[name])
    return forest


def grouped_parts(table, least, n_jobs):
    """The parts of a folder in groups of at least a number of rows; Spark's as they are."""
    if hasattr(table.source, "fold"):
        return table.source
    return group_parts(number_rows(parts_of(table.source), n_jobs), table.rows, least)
