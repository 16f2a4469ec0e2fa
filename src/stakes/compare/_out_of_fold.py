"""What each learner paid for each example while that example was in a test fold."""

from dataclasses import replace

import numpy as np

from stakes.compare._contestants import TRIVIAL
from stakes.compare._stats import average_ranks

THRESHOLDS = np.linspace(0, 1, 101)


class OutOfFold:
    """What each learner paid for each example in a test fold, averaged over the repeats."""

    def __init__(self, results, data):
        self.results, self.data, self.costs = results, data, data.as_costs()
        self._paid = {}
        self.rows = [r for r in results.rows if r["data"] == data.name]
        plan = results.file.plan
        self.blocks = [(r, f) for r in range(plan["repeats"]) for f in range(plan["folds"])]
        by_learner = {}
        for row in self.rows:
            if not row.get("error"):
                by_learner.setdefault(row["learner"], {})[row["repeat"], row["fold"]] = row
        self.by_learner = by_learner
        # a run that was cut short is judged on the repeats that all who began have finished
        self.complete = [name for name in by_learner if self._finished(name, 0)]
        self.repeats = [
            repeat
            for repeat in range(plan["repeats"])
            if all(self._finished(name, repeat) for name in self.complete)
        ]
        self.incomplete = sorted(set(by_learner) - set(self.complete))

    def today(self):
        """What today's rule pays per example, and its name."""
        if self.results.today is not None:
            decided = np.asarray(self.results.today).astype(bool)
            return self.costs.paid(self.data.y == 1, decided), "as given"
        paid = {name: self.paid(name) for name in TRIVIAL}
        name = min(paid, key=lambda n: paid[n].mean())
        return paid[name], name

    def paid(self, learner):
        """Cost per example of one learner, averaged over the repeats."""
        if learner not in self._paid:
            self._paid[learner] = self._over_repeats(
                learner, lambda rows, a: self.costs[rows].paid(self.data.y[rows] == 1, a["decided"])
            )
        return self._paid[learner]

    def rows_of(self, learner):
        """The result rows of one learner that count."""
        return [row for (r, _), row in self.by_learner[learner].items() if r in self.repeats]

    def probability(self, learner):
        """Out-of-fold probability of each example (the first repeat's); NaN where there is none."""
        return self._over_repeats(learner, lambda rows, a: a["probability"], self.repeats[:1])

    def decided(self, learner):
        """What was said of each example (in the first repeat)."""
        said = self._over_repeats(learner, lambda rows, a: a["decided"], self.repeats[:1])
        return said == 1

    def failed(self):
        """Learners that raised an error, with the error."""
        found = {r["learner"]: r["error"] for r in self.rows if r.get("error")}
        return [{"learner": name, "error": error} for name, error in sorted(found.items())]

    def fold_ranks(self):
        """Average rank over the folds: a hint only, since folds share their training rows."""
        names = sorted(self.complete)
        blocks = [b for b in self.blocks if b[0] in self.repeats]
        costs = [[self.by_learner[n][b]["cost"] for n in names] for b in blocks]
        return dict(zip(names, average_ranks(costs).tolist(), strict=True))

    def misstated(self, learner):
        """What the learner's decisions cost if a cost is really twice or half the stated one."""
        probability, decided = self.probability(learner), self.decided(learner)
        if np.isnan(probability).any():
            return []
        rows = []
        for which in ("false negatives", "false positives"):
            for factor in (0.5, 2.0):
                true = self._scaled(which, factor)
                positive = self.data.y == 1
                stated = true.paid(positive, decided).mean()
                known = true.paid(positive, true.decide(probability)).mean()
                trivial = min(
                    true.paid(positive, np.full(len(positive), d)).mean() for d in (False, True)
                )
                rows.append(
                    {
                        "which": which,
                        "factor": factor,
                        "cost_per_1000": float(1000 * stated),
                        "had_we_known": float(1000 * known),
                        "best_trivial": float(1000 * trivial),
                    }
                )
        return rows

    def threshold_curve(self, learner):
        """Cost per 1,000 decisions if one threshold were used for all examples."""
        probability = self.probability(learner)
        if np.isnan(probability).any():
            return None
        positive = self.data.y == 1
        cost = [1000 * self.costs.paid(positive, probability > t).mean() for t in THRESHOLDS]
        own = np.array_equal(self.decided(learner), self.costs.decide(probability))
        return {
            "threshold": THRESHOLDS.tolist(),
            "cost_per_1000": [float(c) for c in cost],
            "against": "each example's own break-even" if own else "its own decisions",
        }

    def calibration(self, learner, n_bins=10):
        """Mean predicted probability and share of positives in bins of equal size."""
        probability = self.probability(learner)
        if np.isnan(probability).any():
            return None
        bins = np.array_split(np.argsort(probability, kind="stable"), n_bins)
        return {
            "predicted": [float(probability[b].mean()) for b in bins if len(b)],
            "observed": [float((self.data.y[b] == 1).mean()) for b in bins if len(b)],
        }

    def _finished(self, learner, repeat):
        blocks = [block for block in self.blocks if block[0] == repeat]
        return all(block in self.by_learner[learner] for block in blocks)

    def _over_repeats(self, learner, values_of, repeats=None):
        repeats = self.repeats if repeats is None else repeats
        total = np.zeros(len(self.data))
        for (repeat, _), row in self.by_learner[learner].items():
            if repeat in repeats:
                arrays = self.results.file.arrays(row)
                total[arrays["test_rows"]] += values_of(arrays["test_rows"], arrays)
        return total / len(repeats)

    def _scaled(self, which, factor):
        costs = self.costs
        if which == "false negatives":
            return replace(costs, fn=costs.tp + factor * costs.positive_regret)
        return replace(costs, fp=costs.tn + factor * costs.negative_regret)
