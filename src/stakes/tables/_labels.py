"""Labels as 0 and 1, the same for tables and for single events."""

import numpy as np
import polars as pl

from stakes._core.words import shown
from stakes.errors import InputError, near_matches
from stakes.tables._values import MISSING_WORDS, is_missing, parse_number

# (negative, positive) pairs that need no `positive`
KNOWN_PAIRS = [("0", "1"), ("-1", "1"), ("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t")]
_POSITIVES = {positive for _, positive in KNOWN_PAIRS}
_SHOWN = 10  # labels kept for messages
_EXACT = 2.0**53  # whole numbers below it are exact as floats


class _Reader:
    """Labels of one column as text, and the codes that the first few texts got."""

    def __init__(self, target):
        self.target = target
        self._codes = {}  # text -> code, or None if it is missing

    def _text_of(self, column):
        column = column if isinstance(column, pl.Series) else pl.Series(column, strict=False)
        text = _column_text(column, self.target)
        missing = text.is_null()
        if missing.any():
            raise InputError(
                f"Column {self.target!r} has no label in {missing.sum()} row(s), first in row "
                f"{missing.arg_true()[0] + 1}; fill in the labels or remove these rows.",
                "target",
            )
        return text

    def read_one(self, value):
        """Code of one event's label; None if it is missing."""
        if type(value) is str and value in self._codes:
            return self._codes[value]
        missing = is_missing(value) or is_missing(label := _text(value))
        code = None if missing else self._code(label)
        if type(value) is str and len(self._codes) < _SHOWN:
            self._codes[value] = code
        return code


class LabelReader(_Reader):
    """Reads labels as 0 and 1, from a whole column or one at a time.

    Labels are compared without regard to case or to the way a number is written: `Yes` equals
    `yes`, and `1.0` equals `1`. Without `positive`, a label that is in none of the known pairs, or
    in another pair than the labels before it, raises :class:`~stakes.errors.InputError`.

    Parameters
    ----------
    target : str
        Name of the label column, for messages.
    positive : str or number, default=None
        Positive label; every other label is negative. May be omitted if the labels are 0/1, -1/1,
        no/yes, n/y, false/true or f/t.
    seen : sequence of str, default=()
        Labels read before, to resume from a checkpoint.

    Attributes
    ----------
    seen : list of str
        Distinct labels read so far, at most ten.

    Examples
    --------
    >>> LabelReader("paid").read_column(pl.Series(["yes", "no"]))
    (array([1, 0]), 'yes')
    >>> reader = LabelReader("state", positive="default")
    >>> [reader.read_one(label) for label in ("ok", "Default", None)]
    [0, 1, None]
    """

    def __init__(self, target, positive=None, *, seen=()):
        super().__init__(target)
        self.positive = positive
        self.seen = list(seen)
        self._wanted = None if positive is None else plain_label(_text(positive))
        self._plain_seen = {plain_label(label) for label in self.seen}

    def read_column(self, column, *, one_class=False):
        """Labels of a whole column.

        Parameters
        ----------
        column : polars.Series or sequence
            The labels; none may be missing.
        one_class : bool, default=False
            Whether a column with a single label is accepted, whichever it is.

        Returns
        -------
        y : ndarray of int64
            1 for the positive label, 0 for all others.
        positive : str
            The positive label as it is written in the column.
        """
        text = self._text_of(column)
        labels = sorted(text.unique().to_list())
        plain = {label: plain_label(label) for label in labels}
        if len(set(plain.values())) == 1 and not one_class:
            raise InputError(
                f"Column {self.target!r} has only one label, {shown(labels[0])}; "
                "examples of both classes are needed.",
                "target",
            )
        wanted = self._wanted_of(set(plain.values()), labels, one_class)
        positives = [label for label in labels if plain[label] == wanted]
        self._remember(labels)
        y = text.is_in(positives).to_numpy().astype(np.int64)
        if str(self.positive) in positives:
            return y, str(self.positive)
        return y, positives[0] if positives else wanted

    def count_labels(self, column):
        """How often each distinct label occurs in a column, in which none may be missing.

        Examples
        --------
        >>> LabelReader("paid").count_labels(pl.Series(["yes", "no", "yes"]))
        {'no': 1, 'yes': 2}
        """
        counts = self._text_of(column).alias("label").value_counts(name="n").sort("label")
        return dict(counts.iter_rows())

    def _code(self, label):
        plain = plain_label(label)
        if plain not in self._plain_seen:
            if self._wanted is None:
                self._check_known(plain, label)
            self._remember([label])
        if self._wanted is None:
            return int(plain in _POSITIVES)
        return int(plain == self._wanted)

    def _wanted_of(self, plain, labels, one_class):
        if self._wanted is not None:
            if self._wanted not in plain and not one_class:
                raise InputError(
                    f"No row of column {self.target!r} has the positive label "
                    f"{str(self.positive)!r}: " + near_matches(self.positive, labels),
                    "positive",
                )
            return self._wanted
        for pair in KNOWN_PAIRS:
            if plain == set(pair) or (one_class and plain < set(pair)):
                return pair[1]
        listed = ", ".join(map(repr, labels[:_SHOWN])) + (" ..." if len(labels) > _SHOWN else "")
        raise self._unclear(f"the labels {listed}", "one")

    def _check_known(self, plain, label):
        together = self._plain_seen | {plain}
        if any(together <= set(pair) for pair in KNOWN_PAIRS):
            return
        known = any(plain in pair for pair in KNOWN_PAIRS)
        after = f" after {' and '.join(map(repr, self.seen))}" if known else ""
        raise self._unclear(f"the label {shown(label)}{after}", "label")

    def _unclear(self, labels, word):
        return InputError(
            f"Column {self.target!r} has {labels}; set {{positive}} to the positive {word} (all "
            "others are then negative).",
            "positive",
        )

    def _remember(self, labels):
        for label in labels[: _SHOWN - len(self.seen)]:
            if plain_label(label) not in self._plain_seen:
                self.seen.append(label)
                self._plain_seen.add(plain_label(label))


def _column_text(column, target):
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise InputError(
            f"Column {target!r} holds {column.dtype}; labels are text, numbers, true or false.",
            "target",
        )
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if len(whole) and (whole == whole.round()).all() and whole.abs().max() < _EXACT:
            column = column.cast(pl.Int64)
    text = column.cast(pl.String).str.strip_chars()
    return text.set(text.is_in(["", *MISSING_WORDS]), None)


def _text(value):
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return str(value).strip()


def plain_label(label):
    """One form for all ways to write a label."""
    number = parse_number(label)
    if number is None or abs(number) >= _EXACT:
        return label.casefold()
    return str(int(number)) if number.is_integer() else repr(number)


class ClassReader(_Reader):
    """Reads labels of k classes as numbers from 0, from a whole column or one at a time.

    Parameters
    ----------
    target : str
        Name of the label column, for messages.
    classes : sequence of str
        The classes, in order.

    Examples
    --------
    >>> reader = ClassReader("kind", ["dos", "probe"])
    >>> reader.read_column(pl.Series(["probe", "DOS"])), reader.read_one("probe")
    (array([1, 0]), 1)
    """

    def __init__(self, target, classes):
        super().__init__(target)
        self.classes = list(classes)
        self._numbers = {plain_label(label): code for code, label in enumerate(self.classes)}

    def read_column(self, column):
        """Numbers of the classes of a column, in which no label may be missing."""
        text = self._text_of(column)
        codes = {label: self._code(label) for label in sorted(text.unique().to_list())}
        return text.replace_strict(codes, return_dtype=pl.Int64).to_numpy()

    def _code(self, label):
        if (plain := plain_label(label)) not in self._numbers:
            raise InputError(
                f"Column {self.target!r} has the label {shown(label)}, which is not a row of the "
                "cost matrix: " + near_matches(label, self.classes),
                "cost_matrix",
            )
        return self._numbers[plain]
