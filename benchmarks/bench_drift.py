"""Drift in money: false alarms in years of 20,000 events a day, and labels until a drift is found.

Without drift, probabilities are right, estimated once from 20,000 rows, or those of a learner that
goes on learning. With drift, they are right until the odds of the positive class are multiplied.
The detectors see the same labeled decisions: the service's tests see promise and payment, River's
detectors see the payment, or whether the decision was wrong, with their own defaults. A model that
was trained once is tested within a factor of 1.25 of the odds, a learner at what it promised.
"""

import numpy as np
from numba import njit
from river.drift import ADWIN, PageHinkley
from river.drift.binary import DDM
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import Row
from stakes._core.jit.drift import N_BETS, drift_step_within
from stakes.online import ProbitClassifier
from stakes.serve._alarms import PROMISE_EVERY, RANGE_EVERY, YEARLY, PaidWindows
from stakes.serve._models import TOLERANCE
from stakes.serve._ranges import Ranges
from stakes.stream import DriftTest, PendingEvent, Prices
from stakes.stream._drift import WARM

BEFORE, AFTER = 20_000, 100_000  # labels before a drift, and at most after it
REPEATS = 10
YEARS, MODELS = 100, 20  # years at the right probabilities; models of a year each
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
def count_alarms(p, amount, action, label, statistics, sums, every, tolerance):
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
        low, high = q / (q + (1.0 - q) * tolerance), q * tolerance / (1.0 - q + q * tolerance)
        wrong = label[t] != action[t]
        if drift_step_within(statistics, 0, wrong, low, high, stake) >= every:
            alarms += 1
            statistics[:] = 0.0
    return alarms


class Quick:
    """The alarms of a service over years: promise against payment, and windows."""

    def __init__(self, tolerance=1.0, every=PROMISE_EVERY):
        self._statistics, self._sums = np.zeros(N_BETS), np.zeros(3)
        self._limits = float(every), float(tolerance)
        self._windows = promised_windows()
        self.alarms = self.windows = 0

    def add(self, p, amount, action, label, paid):
        state = self._statistics, self._sums
        self.alarms += count_alarms(p, amount, action, label, *state, *self._limits)
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
    found, test = Quick(1.25, every=2000), DriftTest(2000, 1.25)
    windows, n_windows = promised_windows(), 0
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
    np.testing.assert_allclose(found._statistics, test._statistics, rtol=1e-9)


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
        quick = Quick(TOLERANCE)
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
            return learner.predict_proba_then_learn(z[:, None], label.astype(int))

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
    def __init__(self, tolerance=1.0):
        self._test = DriftTest(PROMISE_EVERY, tolerance)

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
    "stakes, within a factor of the odds": lambda: Ours(TOLERANCE),
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
        exact, within, windows = list(DETECTORS)[:3]
        names = within if run is estimated_once else exact, windows
        for name, n in zip(names, alarms, strict=True):
            rows.append(Row(f"no drift, {task}", name, None, note=_rate(n, years * YEARLY)))
        total += sum(alarms) if run is right_probabilities else 0
    ranges = range_alarms()
    name = f"stakes, ranges of {FIELDS} fields"
    rows.append(
        Row("no drift, right probabilities", name, None, note=_rate(ranges, YEARS * YEARLY))
    )
    note = _rate(total + ranges, YEARS * YEARLY)
    rows.append(Row("no drift, right probabilities", "stakes, all of these", None, note=note))
    for name, make in list(DETECTORS.items())[3:]:
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
