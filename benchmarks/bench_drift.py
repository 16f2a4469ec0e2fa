"""Drift in money: false alarms in a year of 20,000 events a day, and labels until a drift is found.

Probabilities are right until the drift; then the odds of the positive class are multiplied. The
detectors see the same labeled decisions: the service's test sees promise and payment, River's
detectors see the payment, or whether the decision was wrong, with their own defaults.
"""

import numpy as np
from river.drift import ADWIN, PageHinkley
from river.drift.binary import DDM

from benchmarks._measure import Row
from stakes.serve._alarms import YEARLY, PaidWindows
from stakes.stream import DriftTest, PendingEvent, Prices

BEFORE, AFTER = 20_000, 100_000  # labels before a drift, and at most after it
REPEATS, YEARS = 10, 1
OTHERS = 1_000_000  # labels without drift for other detectors: a seventh of a year
SIZES = (1.5, 2.0, 4.0)


def stream(n, rng, odds=1.0):
    """Probability that is promised, prices, action, label and payment of n events."""
    promised = 1 / (1 + np.exp(4.5 - 1.5 * rng.standard_normal(n)))
    real = promised * odds / (1 - promised + promised * odds)
    amount = np.round(rng.lognormal(3.5, 1.0, n), 2)
    label = rng.random(n) < real
    action = promised > 5.0 / (5.0 + amount)
    paid = np.where(action, np.where(label, 0.0, 5.0), np.where(label, amount, 0.0))
    return list(zip(*(a.tolist() for a in (promised, amount, action, label, paid)), strict=True))


class Ours:
    def __init__(self):
        self._test = DriftTest(YEARLY)

    def add(self, p, amount, action, label, paid):
        before = self._test.alarms
        prices = Prices(5.0, amount, 0.0, 0.0)
        self._test.add(PendingEvent({}, prices, p, int(action)), int(label), paid)
        return self._test.alarms > before


class Windows:
    def __init__(self):
        rng = np.random.default_rng(99)
        paid = np.array([one[-1] for one in stream(20_000, rng)])  # as a comparison would promise
        error = 1.96 * paid.std() / len(paid) ** 0.5
        self._windows = PaidWindows((paid.mean() - error, paid.mean() + error))

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


def false_alarms(name, make):
    rng, detector, alarms = np.random.default_rng(0), make(), 0
    n = YEARS * YEARLY if name.startswith("stakes") else OTHERS
    for _ in range(n // 100_000):
        alarms += sum(detector.add(*event) for event in stream(100_000, rng))
    note = f"{alarms:,} false alarms in {n:,} labels"
    return Row("no drift", name, None, note=note + f", {alarms * YEARLY / n:,.3g} a year")


def delays(name, make):
    rows = []
    for odds in SIZES:
        found, early = [], 0
        for repeat in range(REPEATS):
            rng, detector = np.random.default_rng(repeat), make()
            early += any([detector.add(*event) for event in stream(BEFORE, rng)])
            after = stream(AFTER, rng, odds)
            found.append(next((i for i, e in enumerate(after, 1) if detector.add(*e)), AFTER + 1))
        late = sum(delay > AFTER for delay in found)
        note = f"median {np.median(found):,.0f} labels, longest {max(found):,}"
        note = note if not late else f"{late} of {REPEATS} not found in {AFTER:,} labels"
        note += f"; {early} of {REPEATS} raised a false alarm before" if early else ""
        rows.append(Row(f"odds times {odds:g}", name, None, note=note))
    return rows


def run():
    rows = [false_alarms(name, make) for name, make in DETECTORS.items()]
    found = [delays(name, make) for name, make in DETECTORS.items()]
    return rows + [row for size in zip(*found, strict=True) for row in size]
