"""Drift in money: false alarms in years of 20,000 events a day, and labels until a drift is found.

Without drift, probabilities are right, estimated once from 20,000 rows, or those of a learner that
goes on learning. With drift, they are right until the odds of the positive class are multiplied.
The detectors see the same labeled decisions: the service's tests see promise and payment, River's
detectors see the payment, or whether the decision was wrong, with their own defaults.
"""

import numpy as np
from numba import njit
from river.drift import ADWIN, PageHinkley
from river.drift.binary import DDM
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import Row
from stakes._core.jit.drift import N_BETS, drift_step
from stakes.online import ProbitClassifier
from stakes.serve._alarms import PROMISE_EVERY, RANGE_EVERY, YEARLY, PaidWindows
from stakes.serve._ranges import Ranges
from stakes.stream import DriftTest, PendingEvent, Prices
from stakes.stream._drift import WARM

BEFORE, AFTER = 20_000, 100_000  # labels before a drift, and at most after it
REPEATS = 10
YEARS, MODELS = 200, 20  # years at the right probabilities; models of a year each
OTHERS = 1_000_000  # labels without drift for other detectors: a seventh of a year
SIZES = (1.5, 2.0, 4.0)
ROWS, FIELDS = 20_000, 30  # of training, for the ranges of fields
CHUNK = 730_000  # labels


def stream(n, rng, odds=1.0, promise=None):
    """Probability that is promised, amount, action, label and payment of n events, as arrays."""
    z = rng.standard_normal(n)
    right = 1 / (1 + np.exp(4.5 - 1.5 * z))
    real = right * odds / (1 - right + right * odds)
    amount = np.round(rng.lognormal(3.5, 1.0, n), 2)
    label = rng.random(n) < real
    promised = right if promise is None else promise(z, label)
    action = promised > 5.0 / (5.0 + amount)
    paid = np.where(action, np.where(label, 0.0, 5.0), np.where(label, amount, 0.0))
    return promised, amount, action, label, paid


def events(*arguments):
    return list(zip(*(a.tolist() for a in stream(*arguments)), strict=True))


@njit(cache=True)
def count_alarms(p, amount, action, label, statistics, sums, every):
    """Alarms of `DriftTest` in a stream, whose state goes on in `statistics` and `sums`."""
    alarms = 0
    for t in range(len(p)):
        sums[0] += 1.0
        sums[1] += amount[t]
        sums[2] += 5.0
        if sums[0] <= WARM:
            continue
        regret = 5.0 if action[t] else amount[t]
        stake = min(regret / (max(sums[1], sums[2]) / sums[0]), 1.0)
        q = 1.0 - p[t] if action[t] else p[t]
        if drift_step(statistics, 0, label[t] != action[t], q, stake) >= every:
            alarms += 1
            statistics[:] = 0.0
    return alarms


class Quick:
    """The alarms of a service over years: promise against payment, and windows."""

    def __init__(self, every=PROMISE_EVERY):
        self._statistics, self._sums, self._every = np.zeros(N_BETS), np.zeros(3), every
        self._windows = promised_windows()
        self.alarms = self.windows = 0

    def add(self, p, amount, action, label, paid):
        state = self._statistics, self._sums
        self.alarms += count_alarms(p, amount, action, label, *state, float(self._every))
        size = self._windows.SIZE
        low, high = self._windows.promised
        means = paid[: len(paid) // size * size].reshape(-1, size)
        errors = self._windows.WIDTH * means.std(axis=1) / size**0.5
        means = means.mean(axis=1)
        self.windows += int(((means - errors > high) | (means + errors < low)).sum())


def promised_windows():
    paid = stream(ROWS, np.random.default_rng(99))[-1]  # as a comparison would promise
    error = 1.96 * paid.std() / len(paid) ** 0.5
    return PaidWindows((paid.mean() - error, paid.mean() + error))


def check_quick():
    """The compiled count and the windows of arrays are those of the service."""
    rng = np.random.default_rng(5)
    found, test, windows, n_windows = Quick(every=2000), DriftTest(2000), promised_windows(), 0
    for odds in (1.0, 1.0, 3.0):
        arrays = stream(50_000, rng, odds)
        found.add(*arrays)
        for p, amount, action, label, paid in zip(*(a.tolist() for a in arrays), strict=True):
            prices = Prices(5.0, amount, 0.0, 0.0)
            test.add(PendingEvent({}, prices, p, int(action)), int(label), paid)
            before = windows.last
            windows.add(paid)
            n_windows += windows.last != before
    assert (found.alarms, found.windows) == (test.alarms, n_windows) and n_windows and test.alarms
    np.testing.assert_array_equal(found._statistics, test._statistics)


def right_probabilities():
    quick, rng = Quick(), np.random.default_rng(0)
    for _ in range(YEARS * YEARLY // CHUNK):
        quick.add(*stream(CHUNK, rng))
    return quick.alarms, quick.windows, YEARS


def estimated_once():
    alarms = windows = 0
    for seed in range(MODELS):
        rng = np.random.default_rng([1, seed])
        z = rng.standard_normal(ROWS)
        y = rng.random(ROWS) < 1 / (1 + np.exp(4.5 - 1.5 * z))
        model = LogisticRegression(C=1e6).fit(z[:, None], y)
        quick = Quick()
        for _ in range(YEARLY // CHUNK):
            promise = lambda z, label: model.predict_proba(z[:, None])[:, 1]  # noqa: B023, E731
            quick.add(*stream(CHUNK, rng, 1.0, promise))
        alarms, windows = alarms + quick.alarms, windows + quick.windows
    return alarms, windows, MODELS


def goes_on_learning():
    alarms = windows = 0
    years = 2
    for seed in range(years):
        rng, quick, learner = np.random.default_rng([2, seed]), Quick(), ProbitClassifier()

        def promise(z, label, learner=learner):
            if not hasattr(learner, "classes_"):
                learner.partial_fit(z[:1, None], label[:1].astype(int), classes=[0, 1])
            return learner.predict_proba_then_learn(z[:, None], label.astype(int))[:, 1]

        for _ in range(YEARLY // CHUNK):
            quick.add(*stream(CHUNK, rng, 1.0, promise))
        alarms, windows = alarms + quick.alarms, windows + quick.windows
    return alarms, windows, years


def range_alarms():
    """Alarms of the ranges of 30 fields: only events outside are drawn, by the gaps between."""
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(YEARS):
        names = [f"f{j}" for j in range(FIELDS)]
        ranges = Ranges({name: (0.0, 1.0) for name in names}, ROWS, RANGE_EVERY)
        # of a uniform number the extremes of training leave this much outside
        outside = dict(zip(names, rng.beta(2, ROWS - 1, FIELDS), strict=True))
        events = []
        for name, share in outside.items():
            n = rng.binomial(YEARLY, share)
            events += [(int(t), name) for t in rng.integers(0, YEARLY, n)]
        for t, name in sorted(events):
            before = dict(ranges.alarms)
            ranges.events = t
            ranges.add([name])
            alarms += ranges.alarms != before
    return alarms


class Ours:
    def __init__(self):
        self._test = DriftTest(PROMISE_EVERY)

    def add(self, p, amount, action, label, paid):
        before = self._test.alarms
        prices = Prices(5.0, amount, 0.0, 0.0)
        self._test.add(PendingEvent({}, prices, p, int(action)), int(label), paid)
        return self._test.alarms > before


class Windows:
    def __init__(self):
        self._windows = promised_windows()

    def add(self, p, amount, action, label, paid):
        before = self._windows.last
        self._windows.add(paid)
        return self._windows.last != before


class Rivers:
    def __init__(self, detector, of_errors):
        self._detector, self._of_errors = detector, of_errors

    def add(self, p, amount, action, label, paid):
        self._detector.update(label != action if self._of_errors else paid)
        return self._detector.drift_detected


DETECTORS = {
    "stakes, promise against payment": Ours,
    "stakes, windows against the comparison": Windows,
    "River ADWIN on payments": lambda: Rivers(ADWIN(), False),
    "River PageHinkley on payments": lambda: Rivers(PageHinkley(), False),
    "River ADWIN on errors": lambda: Rivers(ADWIN(), True),
    "River DDM on errors": lambda: Rivers(DDM(), True),
}


def false_alarms():
    check_quick()
    rows, total = [], 0
    tests = {
        "right probabilities": right_probabilities,
        f"probabilities from {ROWS:,} rows": estimated_once,
        "a learner that goes on learning": goes_on_learning,
    }
    for task, run in tests.items():
        *alarms, years = run()
        for name, n in zip(list(DETECTORS)[:2], alarms, strict=True):
            rows.append(Row(f"no drift, {task}", name, None, note=_rate(n, years * YEARLY)))
        total += sum(alarms) if run is right_probabilities else 0
    ranges = range_alarms()
    name = f"stakes, ranges of {FIELDS} fields"
    rows.append(
        Row("no drift, right probabilities", name, None, note=_rate(ranges, YEARS * YEARLY))
    )
    note = _rate(total + ranges, YEARS * YEARLY)
    rows.append(Row("no drift, right probabilities", "stakes, all of these", None, note=note))
    for name, make in list(DETECTORS.items())[2:]:
        rng, detector, alarms = np.random.default_rng(0), make(), 0
        for _ in range(OTHERS // 100_000):
            alarms += sum(detector.add(*event) for event in events(100_000, rng))
        rows.append(Row("no drift, right probabilities", name, None, note=_rate(alarms, OTHERS)))
    return rows


def _rate(alarms, n):
    years = n / YEARLY
    return (
        f"{alarms:,} false alarms in {n:,} labels ({years:.3g} years): {alarms / years:,.3g} a year"
    )


def delays(name, make):
    rows = []
    for odds in SIZES:
        found, early = [], 0
        for repeat in range(REPEATS):
            rng, detector = np.random.default_rng(repeat), make()
            early += any([detector.add(*event) for event in events(BEFORE, rng)])
            after = events(AFTER, rng, odds)
            found.append(next((i for i, e in enumerate(after, 1) if detector.add(*e)), AFTER + 1))
        late = sum(delay > AFTER for delay in found)
        note = f"median {np.median(found):,.0f} labels, longest {max(found):,}"
        note = note if not late else f"{late} of {REPEATS} not found in {AFTER:,} labels"
        note += f"; {early} of {REPEATS} raised a false alarm before" if early else ""
        rows.append(Row(f"odds times {odds:g}", name, None, note=note))
    return rows


def run():
    rows = false_alarms()
    found = [delays(name, make) for name, make in DETECTORS.items()]
    return rows + [row for size in zip(*found, strict=True) for row in size]
