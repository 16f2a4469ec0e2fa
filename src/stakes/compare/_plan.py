"""The plan of a run: folds shared by all learners, seeds that do not depend on the learner."""

import hashlib
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from stakes import __version__
from stakes.errors import InputError

SPEEDS = ("quick", "timed", "fast", "medium", "slow")  # in the order of the fits
AT_RANDOM = -1  # the repeat whose folds are random although the rows have times or groups


@dataclass(frozen=True)
class Task:
    """One fit: a contestant on one fold of one repeat of one data set."""

    data: str
    learner: str
    repeat: int
    fold: int
    seed: int

    @property
    def at_random(self):
        """Whether the folds ignore times and groups, see :func:`random_tasks`."""
        return self.repeat == AT_RANDOM

    @property
    def key(self):
        """Identifies the fit in the results file."""
        return (self.data, self.learner, self.repeat, self.fold)


def make_plan(datasets, *, repeats, folds, tune, random_state, adversaries=()):
    """Identity of a run: runs with equal plans may share their rows."""
    plan = {
        "version": __version__,
        "data": {data.name: fingerprint(data) for data in datasets},
        "repeats": repeats,
        "folds": folds,
        "tune": tune,
        "random_state": random_state,
    }
    if adversaries:
        plan["adversaries"] = {one.name: repr(one) for one in adversaries}
    return plan


def make_tasks(datasets, contestants, *, repeats, folds, random_state):
    """All fits, and sentences about contestants that cannot take part.

    Slow learners come last in each repeat, so that an interrupted run has all folds of the quick
    and fast ones and can rank them.
    """
    tasks, refused, taking_part = [], [], {}
    for data in datasets:
        n_train = len(data) * (folds - 1) // folds
        taking_part[data.name] = [c for c in contestants if n_train <= (c.max_rows or n_train)]
        refused += [
            f"{c.name} was skipped on {data.name}: it takes at most {c.max_rows:,} training rows, "
            f"and there are {n_train:,}."
            for c in contestants
            if c not in taking_part[data.name]
        ]
    for repeat in range(repeats):
        for data in datasets:
            seed = seed_of(random_state, data.name, repeat)
            tasks += [
                Task(data.name, c.name, repeat, fold, seed)
                for speed in SPEEDS
                for fold in range(n_folds(data, folds))
                for c in taking_part[data.name]
                if c.speed == speed
            ]
    return tasks, refused


def random_tasks(data, learner, *, folds, random_state):
    """The fits that show what random folds would have promised for one learner."""
    seed = seed_of(random_state, data.name, AT_RANDOM)
    return [Task(data.name, learner, AT_RANDOM, fold, seed) for fold in range(folds)]


def n_folds(data, folds):
    """Number of folds: with times and groups, each part of time is tested in several parts."""
    return folds if data.origin is None else data.origin.splitter(folds, 0).get_n_splits()


def split(data, seed, fold, folds):
    """Training and test rows of one fold."""
    return splits(data, seed, folds)[fold]


def splits(data, seed, folds):
    """Training and test rows of all folds of one repeat."""
    if data.origin is not None:
        return list(data.origin.splitter(folds, seed).split(np.zeros(len(data)), data.y))
    smallest = int(np.unique(data.y, return_counts=True)[1].min())
    if smallest < folds:
        raise InputError(
            f"{data.name} has {smallest} example(s) of its rarest class, fewer than the {folds} "
            "folds; use fewer folds."
        )
    cutter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(cutter.split(np.zeros(len(data)), data.y))


def seed_of(base, name, repeat):
    """Seed from (base, data set, repeat) but not the learner: all learners share the folds."""
    digest = hashlib.sha256(f"{base}/{name}/{repeat}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def fingerprint(data):
    """Hash of the rows, labels and costs of a data set."""
    sha = hashlib.sha256()
    if isinstance(data.X, pl.DataFrame):
        sha.update(str(data.X.schema).encode())
        sha.update(data.X.hash_rows(seed=0).to_numpy().tobytes())
    elif sparse.issparse(data.X):
        for part in (data.X.data, data.X.indices, data.X.indptr):
            sha.update(np.ascontiguousarray(part).tobytes())
    else:
        sha.update(np.ascontiguousarray(data.X).tobytes())
    if data.errors:
        sha.update(repr(sorted(data.errors.items())).encode())
    origin = data.origin
    if origin is not None:
        sha.update(repr((origin.window, origin.label_delay)).encode())
        for part in (origin.time, origin.group):
            sha.update(b"" if part is None else np.ascontiguousarray(part).tobytes())
    for part in (data.y, *data.costs.values()):
        sha.update(np.ascontiguousarray(part, dtype=np.float64).tobytes())
    return sha.hexdigest()[:16]
