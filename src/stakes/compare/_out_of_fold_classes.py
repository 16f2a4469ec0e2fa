"""Out-of-fold predictions where there are more than two classes or decisions."""

from typing import NamedTuple

import numpy as np

from stakes._core.words import count
from stakes.compare._out_of_fold import OutOfFold
from stakes.costs import CostMatrix
from stakes.tables import ClassData


def out_of_fold(results, data):
    """Out-of-fold predictions of a comparison on one data set, of two or more classes."""
    kind = ClassesOutOfFold if isinstance(data, ClassData) else OutOfFold
    return kind(results, data)


class ClassPredictions(NamedTuple):
    """Out-of-fold predictions of one learner, one entry per example.

    `paid` is averaged over the repeats; `decided` (numbers of decisions) and `probability` (of all
    classes; NaN if the learner has none) are those of the first repeat.
    """

    paid: np.ndarray
    decided: np.ndarray
    probability: np.ndarray


class ClassesOutOfFold(OutOfFold):
    """Out-of-fold predictions of all learners on one data set of k classes."""

    def counts(self, learner):
        """How many of 1,000 cases get each decision."""
        actions = self.data.actions
        shares = np.bincount(self.of(learner).decided, minlength=len(actions)) / len(self.data)
        return {"actions_per_1000": dict(zip(actions, (1000 * shares).tolist(), strict=True))}

    def counts_sentence(self, best, words):
        """How many cases get each decision."""
        shares = best["actions_per_1000"].items()
        listed = ", ".join(f"{action} in {count(share)}" for action, share in shares)
        return f"Of 1,000 cases it decides {listed}."

    def by_class(self, learner):
        """Cost and decisions by true class: any other class shares give their weighted mean."""
        found, actions = self.of(learner), self.data.actions
        rows = []
        for code, name in enumerate(self.data.classes):
            own = self.data.y == code
            if not own.any():
                continue
            shares = np.bincount(found.decided[own], minlength=len(actions)) / own.sum()
            rows.append(
                {
                    "class": name,
                    "n": int(own.sum()),
                    "cost_per_1000": float(1000 * found.paid[own].mean()),
                    "share_of_cost": float(found.paid[own].sum() / max(found.paid.sum(), 1e-300)),
                    "decided": dict(zip(actions, shares.tolist(), strict=True)),
                }
            )
        return rows

    def misstated(self, learner):
        """Cost of the decisions if mistakes about one class cost half or twice what was stated."""
        found = self.of(learner)
        if np.isnan(found.probability).any():
            return []
        rows, truth, table = [], self.data.truth, self.data.cost_matrix
        for code, name in enumerate(self.data.classes):
            for factor in (0.5, 2.0):
                right = table[:, code].min(axis=1, keepdims=True)
                changed = table.copy()
                changed[:, code] = right + factor * (table[:, code] - right)
                true = CostMatrix(changed)
                paid = true.paid(truth, found.decided).mean()
                known = true.paid(truth, true.decide(found.probability)).mean()
                trivial = true.constant(truth).min() / len(truth)
                rows.append(
                    {
                        "which": f"mistakes about {name}",
                        "factor": factor,
                        "cost_per_1000": float(1000 * paid),
                        "had_we_known": float(1000 * known),
                        "best_trivial": float(1000 * trivial),
                        "below_trivial": bool(paid > trivial),
                    }
                )
        return rows

    def threshold_curve(self, learner):
        """None: a threshold needs two classes."""
        return None

    def calibration(self, learner, n_bins=10):
        """Mean predicted probability and share of true ones, over all classes together."""
        P = self.of(learner).probability
        if np.isnan(P).any():
            return None
        predicted, true = P.ravel(), np.eye(P.shape[1])[self.data.y].ravel()
        bins = np.array_split(np.argsort(predicted, kind="stable"), n_bins)
        return {
            "predicted": [float(predicted[b].mean()) for b in bins if len(b)],
            "observed": [float(true[b].mean()) for b in bins if len(b)],
        }

    def _read(self, learner):
        paid, first = np.zeros(len(self.data)), None
        for repeat in self.repeats:
            fits = [row for (of, _), row in self.by_learner[learner].items() if of == repeat]
            found = self._collected(fits)
            first = found if first is None else first
            paid += self.paid(found[0])
        return ClassPredictions(paid / len(self.repeats), *first)
