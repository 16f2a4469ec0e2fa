"""Dated spam streams, split into a training period and later periods; pairs of USPS digits."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.preprocessing import normalize

from stakes.reproduce._files import DATA_PAGE, DataMissing, data_directory, data_file, load_npz

N_WORDS = 20
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
# a word that dates a mail tells its period, and so which mailbox it came from
_ZONES = "gmt utc est edt cst cdt mst mdt pst pdt".split()
_SHORT = [word[:3] for word in (*_MONTHS, *_DAYS)]
DATE_WORDS = frozenset([*_MONTHS, *_DAYS, *_SHORT, *_ZONES, "sept", "tues", "thurs", "date"])


@dataclass
class Stream:
    """Scaled counts of words, with the period of each mail."""

    name: str
    X: np.ndarray | sparse.csr_matrix
    y: np.ndarray
    period: np.ndarray
    names: list
    n_first: int
    words: list
    kind: str
    note: str

    def first(self):
        """Training rows, their labels, and the unit of a period."""
        rows = self.period < self.n_first
        return self.X[rows], self.y[rows], self.kind

    def later(self):
        """(name, X, y) of each later period."""
        for k in range(self.n_first, len(self.names)):
            rows = self.period == k
            yield self.names[k], self.X[rows], self.y[rows]


def load_streams(data=None, n_words=N_WORDS):
    """SpamAssassin by month and TREC 2007 by week, if available; all words if `n_words` is None."""
    found = []
    root = data_directory(data)
    for name, file, unit in (
        ("SpamAssassin", "spam_stream_spamassassin_dated.npz", "month"),
        ("TREC 2007", "spam_stream_trec07p_first37710.npz", "week"),
    ):
        if (root / file).exists():
            found.append(_load(name, root / file, unit, n_words))
    if not found:
        raise DataMissing(f"There is no spam stream in {str(root)!r}; see {DATA_PAGE}.")
    return found


def load_pair(pair, seed=0, data=None):
    """Images of two digits, half for training, half for testing; the first digit is positive."""
    X, digit = load_npz(data_file(data, "usps.npz"))
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(np.isin(digit, pair)))
    X, y = X[rows], (digit[rows] == pair[0]).astype(int)
    half = len(y) // 2
    return X[:half], y[:half], X[half:], y[half:]


def _load(name, path, unit, n_words):
    X, y = load_npz(path)
    with np.load(path) as d:
        when, terms = d["timestamp"].astype("datetime64[s]"), d["terms"]
    y = y.astype(int)
    if unit == "month":
        month = when.astype("datetime64[M]")
        names, period = np.unique(month, return_inverse=True)
        n_first = int(np.searchsorted(names, np.datetime64("2002-08")))
        names = [str(m) for m in names]
    else:
        period = ((when - when.min()).astype(np.int64) // (7 * 86_400)).astype(int)
        names = [str(k + 1) for k in range(period.max() + 1)]
        n_first = 1
    train = period < n_first
    undated = np.flatnonzero([not is_date_word(word) for word in terms])
    X, terms = X[:, undated], terms[undated]
    Z, chosen = _all_words(X) if n_words is None else _best_words(X, y, train, n_words)
    words = [str(word) for word in terms[chosen]]
    shown = f"all {len(words):,} words, each mail scaled to length one"
    if n_words is not None:
        shown = f"the {n_words} words with the largest information gain: {', '.join(words)}"
    note = (
        f"{train.sum():,} mails up to {unit} {names[n_first - 1]} for training "
        f"({y[train].mean():.0%} spam), {(~train).sum():,} later ones by {unit}; scaled log counts "
        f"of {shown}. Words of dates are left out."
    )
    return Stream(name, Z, y, period, names, n_first, words, unit, note)


def is_date_word(word):
    """Whether a word is part of a date: a month, a day, a year or a time zone.

    Examples
    --------
    >>> [is_date_word(word) for word in ("july", "2002", "linux")]
    [True, True, False]
    """
    return str(word) in DATE_WORDS or (len(word) == 4 and str(word).startswith(("19", "20")))


def _best_words(X, y, train, n_words):
    """Standardised log counts of the most informative words, and their columns."""
    gain = information_gain(X[train] > 0, y[train])
    chosen = np.argsort(-gain, kind="stable")[:n_words]
    Z = np.log1p(X[:, chosen].toarray())
    scale = Z[train].std(axis=0)
    return (Z - Z[train].mean(axis=0)) / np.where(scale > 0, scale, 1.0), chosen


def _all_words(X):
    """Log counts of all words, each mail scaled to length one, and their columns."""
    Z = sparse.csr_matrix(X, dtype=np.float64)
    Z.data = np.log1p(Z.data)
    return normalize(Z), np.arange(Z.shape[1])


def information_gain(present, y):
    """Information about the class in the presence of each word, in nats.

    Examples
    --------
    >>> from scipy import sparse
    >>> present = sparse.csr_matrix([[1, 1], [1, 0], [0, 1], [0, 0]])
    >>> information_gain(present, np.array([1, 1, 0, 0])).round(4)
    array([0.6931, 0.    ])
    """
    n = len(y)
    present = present.astype(np.float64)
    words = np.asarray(present.sum(axis=0)).ravel() / n
    both = present.T @ (y == 1).astype(np.float64) / n
    spam = np.mean(y == 1)
    gain = np.zeros(len(words))
    for joint, word, label in (
        (both, words, spam),
        (words - both, words, 1.0 - spam),
        (spam - both, 1.0 - words, spam),
        (1.0 - words - spam + both, 1.0 - words, 1.0 - spam),
    ):
        joint, expected = np.maximum(joint, 0.0), np.maximum(word * label, 1e-300)
        gain += xlogy(joint, np.where(joint > 0, joint / expected, 1.0))
    return np.maximum(gain, 0.0)
