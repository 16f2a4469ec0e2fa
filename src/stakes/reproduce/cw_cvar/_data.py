"""The data of the CW-CVaR paper: loans, mailings, and a feature that is unreliable."""

from dataclasses import dataclass

import numpy as np

from stakes.datasets import load_german_credit
from stakes.reproduce._files import load_donors

MAIL = 0.68
SHARES = tuple(k / 10 for k in range(1, 11))  # of the stream, points of the learning curves
DONORS_PER_OTHER = 4_843 / 90_569  # in all of KDD 98's learning set


@dataclass
class Stream:
    """Examples, labels, the cost c(x) given to learners, and the costs of both mistakes.

    `expected_fn` is the expected cost of a miss before the outcome is known.
    """

    X: np.ndarray
    y: np.ndarray
    c: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    expected_fn: np.ndarray

    def take(self, rows):
        """Some of the rows, in the given order."""
        return Stream(*(part[rows] for part in vars(self).values()))

    def paid(self, decided):
        """Total cost of the decisions."""
        return float(
            self.fp[decided & (self.y == 0)].sum() + self.fn[~decided & (self.y == 1)].sum()
        )

    def paid_so_far(self, decided):
        """Cost of the decisions up to each of SHARES of the stream."""
        each = np.where(self.y == 1, self.fn * ~decided, self.fp * decided)
        reached = [round(share * len(each)) - 1 for share in SHARES]
        return np.cumsum(each)[reached]


def german(interest=0.0, raw=False):
    """Approve (1) or deny a loan; an approved loan that defaults loses 75 % of its amount.

    `raw`: learners see the costs in money, not in units of their mean.
    """
    data = load_german_credit()
    amount = np.asarray(data.X["amount"], dtype=np.float64)
    X = data.X.to_dummies(
        [name for name, kind in data.X.schema.items() if not kind.is_numeric()]
    ).to_numpy()
    lost = 0.75 * amount
    fn = interest * amount
    return Stream(_scaled(X), 1 - data.y, lost if raw else lost / lost.mean(), lost, fn, fn)


def kdd98(data=None, seed=0, raw=False):
    """Mail (1) or not; donors are sampled at their rate in the full set. `raw` as above."""
    X, gift, _ = load_donors(data)
    rng = np.random.default_rng(seed)
    donors = np.flatnonzero(gift > 0)
    others = np.flatnonzero(gift == 0)
    kept = rng.choice(donors, round(DONORS_PER_OTHER * len(others)), replace=False)
    rows = np.sort(np.r_[kept, others])
    gift = gift[rows]
    c = np.where(gift > 0, gift, MAIL)
    c = c if raw else c / c.mean()
    y = (gift > 0).astype(np.int64)
    mean_gift = np.full(len(y), gift[y == 1].mean())
    return Stream(_scaled(X[rows]), y, c, np.full(len(y), MAIL), gift, mean_gift)


def unreliable(rng):
    """Section VI-B: the features of a fifth of the points carry no information on the class."""
    root = np.sqrt(2.0)
    X = np.vstack(
        [
            rng.normal([5.0, 5.0], root, (400, 2)),
            rng.normal([0.0, 5.0], root, (400, 2)),
            rng.normal([0.0, 0.0], root, (200, 2)),
        ]
    )
    y = np.r_[np.ones(400), np.zeros(400), np.arange(200) % 2].astype(np.int64)
    order = rng.permutation(1000)
    one = np.ones(1000)
    return Stream(X[order], y[order], one, one, one, one)


def _scaled(X):
    X = np.ascontiguousarray(X, dtype=np.float64)
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
