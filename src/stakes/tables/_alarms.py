"""Alarms before anything is fitted: columns that give the answer away, repeated ids, dates."""

import re

import numpy as np
import polars as pl
from scipy.stats import rankdata

from stakes._core.words import shown

NEARLY_PERFECT = 0.995  # area under the ROC curve of one column alone
_BINS, _FEWEST, _MOST_ROWS = 50, 10, 20_000
_UNUSUAL, _PURE, _COVERED = 20, 0.995, 0.05  # rows, share of positives, share of all positives
_ID = re.compile(
    r"(^|[_\W])(id|ids|uuid|guid|customer|client|account|user|member|patient|card|device|household"
    r"|borrower|applicant|person)([_\W]*(id|no|nr|num|number|key|code))?$|(?-i:[a-z]I[dD]$)",
    re.IGNORECASE,
)


def row_alarms(X, kinds, origin=None):
    """Sentences about repeated ids and dates: rows that are not independent.

    Parameters
    ----------
    X : polars.DataFrame
        Some columns of a table, features or not.
    kinds : dict
        Column -> kind.
    origin : RowOrigin or None, default=None
        Time and group of the rows.

    Returns
    -------
    list of str
    """
    alarms = []
    grouped, timed = (getattr(origin, name, None) is not None for name in ("group", "time"))
    ids = [] if grouped else [name for name in X.columns if _repeats(X[name])]
    if ids:
        names = " and ".join(map(repr, ids))
        alarms.append(
            f"{names}: the same id is in several rows. Random folds put rows of one id into both "
            "training and test rows, so costs may look lower than they will be for new ids. To "
            f"keep the rows of an id together: --group {_word(ids[0])}."
        )
    dates = [] if timed else [n for n, kind in kinds.items() if kind in ("date", "datetime")]
    if dates:
        names = " and ".join(map(repr, dates))
        alarms.append(
            f"{names}: the rows have dates. Random folds train on later rows than they test on, so "
            "costs may look lower than they will be in the future. To test on later rows only: "
            f"--time {_word(dates[0])}."
        )
    return alarms


def leaks(X, y, kinds):
    """Columns that alone rank the classes nearly perfectly, and their area under the ROC curve.

    A column is scored by its order and, on rows that were held out, by the share of positives in
    each of its values or of 50 quantiles; the better one counts.

    Examples
    --------
    >>> paid = np.arange(100) % 4 == 0
    >>> X = pl.DataFrame({"refund": np.where(paid, 5.0, 0.0), "age": np.arange(100) % 7})
    >>> leaks(X, paid.astype(int), {"refund": "number", "age": "number"})
    {'refund': 1.0}
    """
    y = np.asarray(y) == 1
    rows = np.random.default_rng(0).permutation(len(y))[:_MOST_ROWS]
    y = y[rows]
    if min(y.sum(), (~y).sum()) < _FEWEST:
        return {}
    found = {}
    for name, kind in kinds.items():
        area = _area(X[name].gather(rows), y, kind)
        if area >= NEARLY_PERFECT:
            found[name] = float(area)
    return found


def known_afterwards(X, y, kinds):
    """Sentences about columns that have another value than usual for positives only.

    That is what a column looks like that is filled in once the outcome is known, such as the date
    of a default or what was recovered. An honest feature can look like that too: it is a question.

    Examples
    --------
    >>> import textwrap
    >>> paid = np.arange(400) % 8 == 0
    >>> X = pl.DataFrame({"recovered": np.where(paid & (np.arange(400) < 300), 5.0, 0.0)})
    >>> for alarm in known_afterwards(X, paid.astype(int), {"recovered": "number"}):
    ...     print(textwrap.fill(alarm, 94))
    Column 'recovered' is not 0 in 38 rows, of which 100% are positive. Is it known when the
    decision is made? If it is only known afterwards, drop it: --drop recovered.
    """
    positive = np.asarray(y) == 1
    if not 0 < positive.mean() <= 0.5:
        return []
    found = []
    for name in kinds:
        column = X[name]
        usual, times = column.value_counts(sort=True).row(0)
        unusual = (column.is_not_null() if usual is None else column.ne_missing(usual)).to_numpy()
        n = len(column) - times
        if n < _UNUSUAL or times < n:
            continue
        share, covered = positive[unusual].mean(), positive[unusual].sum() / positive.sum()
        if share >= _PURE and covered >= _COVERED:
            how = "is filled in" if usual is None else f"is not {_shown(usual)} in"
            found.append(
                f"Column {name!r} {how} {n:,} rows, of which {100 * share:.3g}% are positive. "
                + _ask(name)
            )
    return found


def _shown(value):
    return f"{value:g}" if isinstance(value, float) else shown(value)


def class_leaks(X, y, kinds):
    """Columns that alone separate every class from the rest nearly perfectly; the least area."""
    counts = np.bincount(y)
    found = [leaks(X, y == c, kinds) for c in np.flatnonzero(counts >= _FEWEST)]
    names = [name for name in kinds if found and all(name in one for one in found)]
    return {name: min(one[name] for one in found) for name in names}


def _area(column, y, kind):
    if kind == "text":
        codes = column.cast(pl.String).rank("dense").fill_null(0).to_numpy().astype(np.intp)
        return _auc(_held_out_share(codes, y), y)
    values = column.to_physical().cast(pl.Float64, strict=False).to_numpy().astype(np.float64)
    known = np.isfinite(values)
    codes = np.zeros(len(y), dtype=np.intp)
    if known.any():
        cuts = np.unique(np.quantile(values[known], np.linspace(0, 1, _BINS + 1)[1:-1]))
        codes[known] = 1 + np.searchsorted(cuts, values[known], side="right")
    areas = [_auc(_held_out_share(codes, y), y)]
    if known.all():
        areas += [_auc(values, y), _auc(-values, y)]
    return max(areas)


def _held_out_share(codes, y):
    """Share of positives with the same code in the other half of the rows, which are shuffled."""
    half, share = np.arange(len(y)) % 2 == 0, np.empty(len(y))
    for this in (half, ~half):
        n = np.bincount(codes[~this], minlength=codes.max() + 1)
        positive = np.bincount(codes[~this], y[~this], minlength=codes.max() + 1)
        share[this] = ((positive + y.mean()) / (n + 1))[codes[this]]
    return share


def _auc(scores, y):
    n = int(y.sum())
    return (rankdata(scores)[y].sum() - n * (n + 1) / 2) / (n * (len(y) - n))


def leak_sentence(name, area):
    """What to say about a column that gives the answer away."""
    return (
        f"Column {name!r} alone gives the answer nearly perfectly (ROC area {area:.3f}). "
        + _ask(name)
    )


def _ask(name):
    return (
        "Is it known when the decision is made? If it is only known afterwards, drop it: --drop "
        f"{_word(name)}."
    )


def _word(name):
    return name if name.isidentifier() else repr(name)


def _repeats(column):
    """Whether a column looks like the id of a customer who has several rows."""
    if not _ID.search(column.name):
        return False
    present = column.drop_nulls()
    if column.dtype.is_float():
        if not (present == present.round()).all():
            return False
    elif not (column.dtype.is_integer() or column.dtype == pl.String):
        return False
    distinct = present.n_unique()
    # a code with few values is a category; an id that hardly repeats does no harm
    return distinct > max(20, 0.01 * len(present)) and distinct < 0.9 * len(present)
