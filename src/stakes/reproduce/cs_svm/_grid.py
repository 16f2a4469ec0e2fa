"""BM, BP and CS-SVM tuned over a grid, as Section 8.2 of the CS-SVM paper does it."""

import itertools
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold, train_test_split

from stakes.metrics import partial_auc_score
from stakes.svm import weighted_equivalent
from stakes.svm._boundary import best_threshold
from stakes.svm._dual import solve_dual

C_GRID = (0.01, 0.1, 1.0, 10.0)
GAMMA_GRID = (0.0625, 0.25, 1.0, 4.0)  # over the number of features
C1_GRID = (1.0, 2.0, 4.0, 8.0, 16.0)
KAPPA_GRID = (1.0, 0.7, 0.5, 0.25, 0.1)
MAX_STEPS = 50_000
GRID_NOTE = (
    f"C in {C_GRID}, gamma times the number of features in {GAMMA_GRID}, C1 in {C1_GRID}, kappa in "
    f"{KAPPA_GRID}; features standardised on the training part."
)


class Problem:
    """A set cut into fits; scores of every fitted SVM are kept.

    A small set has `n_folds` fits, each scored on its own fold. A large one has a single fit,
    scored on a validation part (to choose) and on a test part (to report).
    """

    def __init__(self, X, y, n_folds=10, rows=None, fn_cost=1.0):
        self.d, self.fn_cost = X.shape[1], fn_cost
        if rows is None:
            splitter = StratifiedKFold(n_folds, shuffle=True, random_state=0)
            parts = [(train, (test,)) for train, test in splitter.split(X, y)]
        else:
            train, rest = train_test_split(
                np.arange(len(y)), train_size=rows[0], stratify=y, random_state=0
            )
            parts = [
                (
                    train,
                    train_test_split(rest, train_size=rows[1], stratify=y[rest], random_state=0),
                )
            ]
        self.fits = [_Fit(X, y, train, tests) for train, tests in parts]
        self.held_out = rows is not None
        self.unconverged = 0
        self.kept = {}

    def scores(self, gamma, positive, negative):
        """Scores of the SVM with these penalties: one list of parts per fit."""
        key = (gamma, round(np.log(positive), 9), round(np.log(negative), 9))
        if key not in self.kept:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConvergenceWarning)
                found = [fit.scores(gamma / self.d, positive, negative) for fit in self.fits]
            self.unconverged += len(caught)
            self.kept[key] = found
        return self.kept[key]

    def values(self, scores, measure):
        """The measure, smaller is better: per fold; (validation, test) of a large set."""
        labels = [fit.labels for fit in self.fits]
        flat = list(zip(itertools.chain(*labels), itertools.chain(*scores), strict=True))
        if measure == "risk":
            return np.array([self._risk(flat, k) for k in range(len(flat))])
        region = {"TP": "tpr", "TN": "tnr"}[measure]
        return np.array([1 - partial_auc_score(y, s, region=region) for y, s in flat])

    def _risk(self, flat, k):
        """Risk of part k at the threshold that is best on the other parts."""
        y, s = flat[k]
        other = [pair for j, pair in enumerate(flat) if j != k]
        labels = np.concatenate([pair[0] for pair in other])
        cost = np.where(labels > 0, self.fn_cost, 1.0)
        cut = best_threshold(np.concatenate([pair[1] for pair in other]), labels, cost)
        return float(np.mean(np.where(y > 0, self.fn_cost, 1.0) * ((s > cut) != (y > 0))))


class _Fit:
    def __init__(self, X, y, train, tests):
        mean, sd = X[train].mean(axis=0), X[train].std(axis=0)
        Z = (X - mean) / np.where(sd > 0, sd, 1.0)
        self.y = y[train]
        self.labels = [y[test] for test in tests]
        self.inner = euclidean_distances(Z[train], squared=True)
        self.outer = [euclidean_distances(Z[test], Z[train], squared=True) for test in tests]
        self.gamma = None

    def scores(self, gamma, positive, negative):
        if gamma != self.gamma:
            self.gamma, self.K = gamma, np.exp(-gamma * self.inner)
            self.K_out = [np.exp(-gamma * part) for part in self.outer]
        weight = np.where(self.y > 0, positive, negative)
        found = solve_dual(self.K, self.y, weight, np.ones(len(weight)), max_iter=MAX_STEPS)
        return [K @ found.beta + found.intercept for K in self.K_out]


def tune(problem, measure):
    """Best BM, BP and CS-SVM of the grid by this measure: name -> chosen point and values.

    Gamma is chosen by BM and kept for the others, as in the paper. The grid of each learner holds
    that of the one before it: C1 = 1 in BP is BM, kappa = 1 in CS is BP.
    """
    found = {"BM-SVM": _best(problem, measure, bm_points())}
    gamma = found["BM-SVM"]["point"]["gamma"]
    known = problem.fn_cost if measure == "risk" else None
    found["BP-SVM"] = _best(problem, measure, bp_points(gamma))
    found["CS-SVM"] = _best(problem, measure, cs_points(gamma, known))
    return found


def bm_points():
    """(gamma, C) with plain penalties."""
    return [
        {"gamma": gamma, "positive": C, "negative": C, "C": C}
        for gamma, C in itertools.product(GAMMA_GRID, C_GRID)
    ]


def bp_points(gamma):
    """(C, C1), C_-1 = 1."""
    return [
        {"gamma": gamma, "positive": C * C1, "negative": C, "C": C, "C1": C1}
        for C, C1 in itertools.product(C_GRID, C1_GRID)
    ]


def cs_points(gamma, fn_cost=None):
    """(C, C1, kappa), or (C, kappa) where the cost is known; each as its weighted SVM."""
    points = []
    costs = C1_GRID if fn_cost is None else (fn_cost,)
    for C, C1, kappa in itertools.product(C_GRID, costs, KAPPA_GRID):
        same = weighted_equivalent(C, C1, kappa)
        point = {"C": C, "C1": C1, "kappa": kappa, "gamma": gamma}
        point["positive"] = same["C"] * same["positive_weight"]
        point["negative"] = same["C"] * same["negative_weight"]
        points.append(point)
    return points


def _best(problem, measure, points):
    table = np.array(
        [
            problem.values(problem.scores(p["gamma"], p["positive"], p["negative"]), measure)
            for p in points
        ]
    )
    if problem.held_out:  # chosen on validation, reported on test
        k = int(table[:, 0].argmin())
        return {"point": points[k], "value": table[k, 1], "honest": table[k, 1], "folds": None}
    k = int(table.mean(axis=1).argmin())
    rest = (table.sum(axis=1, keepdims=True) - table) / (table.shape[1] - 1)
    honest = table[rest.argmin(axis=0), np.arange(table.shape[1])]
    return {
        "point": points[k],
        "value": float(table[k].mean()),
        "honest": float(honest.mean()),
        "folds": honest,
    }
