"""Cost of each learner for each example, while the example was in a test fold."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stakes._core.words import count
from stakes.compare._periods import days
from stakes.compare._plan import AT_RANDOM, n_folds, splits
from stakes.compare._stats import average_ranks

TODAYS_RULE = "today's decisions"
THRESHOLDS = np.linspace(0, 1, 101)


class Predictions(NamedTuple):
    """Out-of-fold predictions of one learner, one entry per example.

    `paid` is averaged over the repeats, as are the shares of the examples that are `alerts`,
    `false_alarms`, `missed` positives and `reviews`; `decided` and `probability` (NaN if the
    learner has none) are those of the first repeat.
    """

    paid: np.ndarray
    decided: np.ndarray
    probability: np.ndarray
    alerts: float
    false_alarms: float
    missed: float
    reviews: float


class OutOfFold:
    """Out-of-fold predictions of all learners on one data set, read from the results once."""

    def __init__(self, results, data):
        self.results = results
        self._predictions = {}
        self.rows = [r for r in results.rows if r["data"] == data.name and r["repeat"] >= 0]
        plan = results.file.plan
        tested = self._tested(data, plan)
        # with folds by time, the first rows are never tested
        self.data = data if tested.all() else data.take(np.flatnonzero(tested))
        self.costs = self.data.as_costs()
        self._place, self._is_tested = np.cumsum(tested) - 1, tested
        self.capacity = results.capacity
        if np.ndim(getattr(self.capacity, "review_cost", None)):
            self.capacity = replace(self.capacity, review_cost=self.capacity.review_cost[tested])
        self.periods = None if self.capacity is None else days(self.data.origin)
        folds = range(n_folds(data, plan["folds"]))
        self.blocks = [(r, f) for r in range(plan["repeats"]) for f in folds]
        by_learner = {}
        for row in self.rows:
            if not row.get("error"):
                by_learner.setdefault(row["learner"], {})[row["repeat"], row["fold"]] = row
        self.by_learner = by_learner
        family = {row["learner"]: row["family"] for row in self.rows}
        self.constant = [name for name in by_learner if family[name] == "constant"]
        # an interrupted run is judged on the repeats that all learners in the table have finished
        self.complete = [name for name in by_learner if self._finished(name, 0)]
        self.repeats = [
            repeat
            for repeat in range(plan["repeats"])
            if all(self._finished(name, repeat) for name in self.complete)
        ]
        self.incomplete = sorted(set(by_learner) - set(self.complete))

    def today(self):
        """Cost per example of the reference, and its name: today's rule or a constant policy."""
        if self.results.today is not None:
            decided = np.asarray(self.results.today)[self._is_tested]
            return self.costs.paid(self.data.truth, decided), TODAYS_RULE
        paid = {name: self.of(name).paid for name in self.constant}
        name = min(paid, key=lambda n: paid[n].mean())
        return paid[name], name

    def of(self, learner):
        """The out-of-fold predictions of one learner."""
        if learner not in self._predictions:
            self._predictions[learner] = self._read(learner)
        return self._predictions[learner]

    def best(self):
        """The cheapest learner that has finished; None if a constant policy is cheapest."""
        cost = {name: self.of(name).paid.mean() for name in self.complete}
        best = min(cost, key=lambda name: (cost[name], name))
        return None if best in self.constant else best

    def rows_of(self, learner):
        """The result rows of one learner in the repeats that count."""
        return [row for (r, _), row in self.by_learner[learner].items() if r in self.repeats]

    def failed(self):
        """Learners that raised an error, and the error."""
        found = {r["learner"]: r["error"] for r in self.rows if r.get("error")}
        return [{"learner": name, "error": error} for name, error in sorted(found.items())]

    def counts(self, learner):
        """How many cases of each kind it decides how, per 1,000, for the table of learners."""
        found = self.of(learner)
        names = ("false_alarms", "missed", "alerts", "reviews")
        return {f"{name}_per_1000": 1000 * getattr(found, name) for name in names}

    def counts_sentence(self, best, words):
        """How many cases of each kind the best one decides rightly and wrongly."""
        stakes = self.data.summary()
        positives = 1000 * stakes.n_positive / stakes.n
        wrong, missed = best["false_alarms_per_1000"], best["missed_per_1000"]
        reviews = best["reviews_per_1000"]
        reviewed = f"sends {count(reviews)} to a review, " if reviews else ""
        alerts = count(best["alerts_per_1000"])
        means = words.positive_means
        decides = f"decides to {means} in {alerts}" if means else f"calls {alerts} positive"
        return (
            f"Of 1,000 cases it {reviewed}{decides}, {count(wrong)} of them wrongly, and misses "
            f"{count(missed)} of {count(positives)} positives."
        )

    def by_class(self, learner):
        """Cost and decisions by true class; None with two classes, where the counts say it."""
        return None

    def fold_ranks(self):
        """Average rank over the folds; a rough guide only, since folds share training rows."""
        if self.capacity is not None:  # it is shared by all folds
            return {}
        names = sorted(self.complete)
        blocks = [b for b in self.blocks if b[0] in self.repeats]
        costs = [[self.by_learner[n][b]["cost"] for n in names] for b in blocks]
        return dict(zip(names, average_ranks(costs).tolist(), strict=True))

    def misstated(self, learner):
        """Cost of the learner's decisions if a true cost is twice or half the stated one."""
        decided, probability = self.of(learner).decided, self.of(learner).probability
        if np.isnan(probability).any() or self.capacity is not None:
            return []
        rows, positive = [], self.data.y == 1
        constant = [np.full(len(positive), d) for d in (False, True)]
        for which in ("false negatives", "false positives"):
            for factor in (0.5, 2.0):
                true = self._scaled(which, factor)
                paid = true.paid(positive, decided).mean()
                known = true.paid(positive, true.decide(probability)).mean()
                trivial = min(true.paid(positive, d).mean() for d in constant)
                rows.append(
                    {
                        "which": which,
                        "factor": factor,
                        "cost_per_1000": float(1000 * paid),
                        "had_we_known": float(1000 * known),
                        "best_trivial": float(1000 * trivial),
                        "below_trivial": bool(paid > trivial),
                    }
                )
        return rows

    def threshold_curve(self, learner):
        """Cost per 1,000 decisions with one threshold for all examples."""
        decided, probability = self.of(learner).decided, self.of(learner).probability
        if np.isnan(probability).any() or self.capacity is not None:
            return None
        positive = self.data.y == 1
        cost = [1000 * self.costs.paid(positive, probability > t).mean() for t in THRESHOLDS]
        own = np.array_equal(decided, self.costs.decide(probability))
        return {
            "threshold": THRESHOLDS.tolist(),
            "cost_per_1000": [float(c) for c in cost],
            "against": "each example's own break-even" if own else "its own decisions",
        }

    def calibration(self, learner, n_bins=10):
        """Mean predicted probability and share of positives in bins of equal size."""
        probability = self.of(learner).probability
        if np.isnan(probability).any():
            return None
        bins = np.array_split(np.argsort(probability, kind="stable"), n_bins)
        return {
            "predicted": [float(probability[b].mean()) for b in bins if len(b)],
            "observed": [float((self.data.y[b] == 1).mean()) for b in bins if len(b)],
        }

    def promised(self, learner):
        """What random folds would have promised: the mean cost of the rows tested here; or None."""
        data, plan = self.data, self.results.file.plan
        rows = [r for r in self.results.rows if r["data"] == data.name and r["learner"] == learner]
        rows = [r for r in rows if r["repeat"] == AT_RANDOM and not r.get("error")]
        if len(rows) < plan["folds"]:
            return None
        return float(self.paid(self.act(*self._collected(rows))).mean())

    def _collected(self, rows):
        """Decisions and probabilities of the tested examples, from the fits of one repeat."""
        decided = probability = None
        for row in rows:
            stored = self.results.file.arrays(row)
            if decided is None:
                decided = np.zeros(len(self.data), stored["decided"].dtype)
                shape = (len(self.data), *stored["probability"].shape[1:])
                probability = np.full(shape, np.nan)
            ours = self._is_tested[stored["test_rows"]]
            place = self._place[stored["test_rows"][ours]]
            decided[place] = stored["decided"][ours]
            probability[place] = stored["probability"][ours]
        return decided, probability

    @staticmethod
    def _tested(data, plan):
        tested = np.ones(len(data), dtype=bool)
        if data.origin is not None and data.origin.time is not None:
            tested[:] = False
            for _, test in splits(data, 0, plan["folds"]):
                tested[test] = True
        return tested

    def _finished(self, learner, repeat):
        blocks = [block for block in self.blocks if block[0] == repeat]
        return all(block in self.by_learner[learner] for block in blocks)

    def _read(self, learner):
        positive, n = self.data.y == 1, len(self.data)
        paid, counts, first = np.zeros(n), np.zeros(4), None
        for repeat in self.repeats:
            fits = [row for (of, _), row in self.by_learner[learner].items() if of == repeat]
            decided, probability = self._collected(fits)
            first = (decided, probability) if first is None else first
            action = self.act(decided, probability)
            paid += self.paid(action)
            alert, passed = action == 1, action == 0
            kinds = (alert, alert & ~positive, passed & positive, action == -1)
            counts += [kind.sum() for kind in kinds]
        k = len(self.repeats)
        return Predictions(paid / k, *first, *(counts / (k * n)).tolist())

    def act(self, decided, probability, capacity=None):
        """Actions under the capacity: 1 positive, 0 negative, -1 review."""
        capacity = self.capacity if capacity is None else capacity
        if capacity is None:
            return decided.astype(np.intp)
        by_cost = not np.isnan(probability).any()
        if by_cost and np.array_equal(decided, self.costs.decide(probability)):
            return capacity.act(probability, self.costs, self.periods)
        return capacity.cut(decided, probability, self.periods)

    def paid(self, action, capacity=None):
        """What the actions cost, example by example."""
        capacity = self.capacity if capacity is None else capacity
        if capacity is None:
            return self.costs.paid(self.data.truth, action)
        return capacity.paid(self.costs, self.data.y == 1, action)

    def _scaled(self, which, factor):
        costs = self.costs
        if which == "false negatives":
            return replace(costs, fn=costs.tp + factor * costs.positive_regret)
        return replace(costs, fp=costs.tn + factor * costs.negative_regret)
