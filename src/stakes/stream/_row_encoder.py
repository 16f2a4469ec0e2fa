"""Events to features: numbers on a running scale, text as indicators."""

from datetime import date, datetime, timedelta
from math import inf, isfinite, sqrt
from zlib import crc32

import numpy as np

from stakes._core.intake import LARGEST
from stakes.errors import InputError
from stakes.stream._feature_rows import FeatureRows
from stakes.stream._row_encoder_jit import standardize_rows
from stakes.tables import Events, parse_value

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000.0  # microseconds
FASTEST = 1000.0  # events: a scale needs more of them than a learner
HIGH = 1 << 31
_NUMBERS = {float, int}
_NEW = (None,)  # sums of a field that was not seen before


class RowEncoder:
    r"""Turn one event after the other into a dict of features, in bounded memory.

    A number becomes :math:`(x - m_t)/s_t` with the running mean and standard deviation of its
    field, this event included (Welford's sums); text becomes the indicator ``field=text``; a date
    becomes days since 1970, month and weekday (with a time also the hour), each of them a number.
    Text is read as a field of a CSV is (:func:`stakes.tables.parse_value`), so "12.5" is a number
    and "NA" is missing. Missing values and infinite numbers are left out; a number beyond 1e100,
    whose products overflow, is an error. An event that is refused changes nothing.

    Parameters
    ----------
    max_features : int, default=100000
        Maximum number of features; new fields and new texts beyond it are ignored.
    n_features : int, default=None
        Number of features to hash names to, as in scikit-learn's ``FeatureHasher``: fields and
        texts become "#0", "#1", ... by a hash of their names, and nothing is ignored. Names that
        share a feature add up, texts with a sign that depends on the name. None: no hashing.
    state : dict, default=None
        Return value of :meth:`get_state`, to resume from.

    Examples
    --------
    >>> encoder = RowEncoder()
    >>> encoder.encode({"amount": 10.0, "kind": "gold"})
    {'amount': 0.0, 'kind=gold': 1.0}
    >>> encoder.encode({"amount": 30.0, "kind": None})
    {'amount': 1.0}
    """

    def __init__(self, max_features=100_000, n_features=None, state=None):
        if state is None:
            limits = dict(max_features=int(max_features), n_features=n_features)
            state = {"columns": {}, "texts": [], "half_life": None} | limits
        self.max_features, self.n_features = state["max_features"], state["n_features"]
        self._keeps = 1.0  # share of the sums of a scale that is kept at the next number
        self.follow(state["half_life"])
        # field -> [count, mean, sum of squared deviations]
        self._columns = {name: list(sums) for name, sums in state["columns"].items()}
        self._texts = dict.fromkeys(state["texts"])  # a dict keeps the order, a set does not
        self._numeric = set()  # fields whose text was a number before

    def encode(self, record, learn=True, skip=()):
        """Features of one event.

        Parameters
        ----------
        record : dict
            Field -> number, text, true/false, date or missing.
        learn : bool, default=True
            False: the running scales stay as they are, and new features are ignored.
        skip : container of str, default=()
            Fields that are not features.

        Returns
        -------
        dict of str -> float
        """
        return self._encoded(self._read(record, skip), learn)

    def encode_many(self, records, skip=()):
        """Features of several events, as :meth:`encode` gives them one after the other.

        If one of them is refused, nothing has changed.

        Parameters
        ----------
        records : list of dict or Events
            The events.
        skip : container of str, default=()
            Fields that are not features.

        Returns
        -------
        FeatureRows or list of dict
        """
        events = records if isinstance(records, Events) else Events(records)
        found = self._encoded_together(events, skip) if len(events) > 1 else None
        if found is None:
            read = [self._read(record, skip) for record in events.rows]
            found = [self._encoded(one, True) for one in read]
        return found

    def _encoded_together(self, events, skip):
        """Features of events that all have the same fields, numbers and texts only; else None."""
        fields = [name for name in events.fields or () if name not in skip]
        if self._keeps != 1.0 or self.n_features is not None or not fields:
            return None
        if any("=" in name for name in fields):  # might be the name of a text
            return None
        rows = np.ones((len(events), len(fields)))
        texts, numbers = {}, []  # column -> features; columns of numbers
        for j, name in enumerate(fields):
            values = events.column(name)
            types = set(map(type, values))
            if types <= _NUMBERS and type(self._columns.get(name, _NEW)[0]) is int:
                numbers.append(j)
                try:
                    rows[:, j] = values
                except OverflowError:
                    return None
            elif types == {str} and name not in self._numeric:
                texts[j] = [f"{name}={value}" for value in values]
                for feature, value in zip(texts[j], values, strict=True):
                    if feature not in self._texts and not isinstance(parse_value(value), str):
                        return None
            else:
                return None
        if not np.abs(rows).max() <= LARGEST:  # or missing
            return None
        if texts and len(self._columns) + len(self._texts) + rows.size > self.max_features:
            return None
        self._standardize(rows, numbers, fields)
        for features in zip(*texts.values(), strict=True):
            self._texts.update(dict.fromkeys(features))
        return FeatureRows(fields, texts, rows)

    def _standardize(self, rows, numbers, fields):
        """Put the columns of numbers on their running scales, which take them in."""
        sums = [self._columns[fields[j]] for j in numbers]
        counts, means, squares = np.array(sums, dtype=np.float64).reshape(-1, 3).T.copy()
        standardize_rows(rows, np.array(numbers, dtype=np.int64), counts, means, squares)
        for one, mean, square in zip(sums, means.tolist(), squares.tolist(), strict=True):
            one[:] = one[0] + len(rows), mean, square

    def _encoded(self, read, learn):
        # all of an event is read before: a refused event changes nothing
        features = {}
        if self.n_features is not None:
            return self._hashed(read, learn)
        columns, keeps = self._columns, self._keeps
        for name, number in read:
            if number is None:
                self._text(features, name, learn)
            elif learn and keeps == 1.0 and name in columns:
                # as in _number, without the call: half of the time of an event goes into it
                sums = columns[name]
                sums[0] = count = sums[0] + 1
                before = number - sums[1]
                sums[1] = mean = sums[1] + before / count
                after = number - mean
                sums[2] += before * after
                variance = sums[2] / count
                features[name] = after / sqrt(variance) if variance > 0 else 0.0
            else:
                self._number(features, name, number, learn)
        return features

    def get_state(self):
        """Everything as lists and dicts of plain values."""
        columns = {name: list(sums) for name, sums in self._columns.items()}
        return {
            "columns": columns,
            "texts": list(self._texts),
            "max_features": self.max_features,
            "n_features": self.n_features,
            "half_life": self.half_life,
        }

    def follow(self, half_life):
        """Forget as fast as a learner does, but not faster than with a half-life of 1,000 events.

        Parameters
        ----------
        half_life : float or None
            The learner's `half_life_`; None or infinite: the scales forget nothing.
        """
        if half_life is not None and half_life < inf:
            self.half_life = max(float(half_life), FASTEST)
            self._keeps = 0.5 ** (1.0 / self.half_life)
        else:
            self.half_life, self._keeps = None, 1.0

    def _hashed(self, read, learn):
        features = {}
        for name, number in read:
            code = crc32(name.encode())
            feature = f"#{code % self.n_features}"
            if number is None:
                value = 1.0 if code & HIGH else -1.0
            else:
                one = {}
                self._number(one, feature, number, learn)
                value = one.get(feature, 0.0)
            features[feature] = features.get(feature, 0.0) + value
        return features

    def _read(self, record, skip):
        """Pairs of feature and number; None for text."""
        read, texts, numeric = [], self._texts, self._numeric
        for name, value in record.items():
            if name in skip:
                continue
            if type(value) is float and -LARGEST <= value <= LARGEST:
                read.append((name, value))
                continue
            if isinstance(value, str):
                if name in numeric:  # as parse_value below, in half of its time
                    try:
                        number = float(value)
                    except ValueError:
                        number = inf
                    if -LARGEST <= number <= LARGEST and "_" not in value and value.isascii():
                        read.append((name, number))
                        continue
                feature = f"{name}={value}"
                if feature in texts:  # seen before, so it needs no parsing
                    read.append((feature, None))
                    continue
                value = parse_value(value)
                if isinstance(value, str):
                    read.append((feature, None))
                    continue
                numeric.add(name)
            if value is None or value != value:
                continue
            if isinstance(value, date):
                read += [(f"{name}{part}", number) for part, number in _parts(value).items()]
            else:
                number = _float(name, value)
                if isfinite(number):
                    read.append((name, number))
        return read

    def _is_full(self):
        if self.n_features is not None:
            return False
        return len(self._columns) + len(self._texts) >= self.max_features

    def _text(self, features, name, learn):
        if name not in self._texts:
            if not learn or self._is_full():
                return
            self._texts[name] = None
        features[name] = 1.0

    def _number(self, features, name, value, learn):
        sums = self._columns.get(name)
        if sums is None:
            if not learn or self._is_full():
                return
            sums = self._columns[name] = [0, 0.0, 0.0]
        if learn:
            # Welford: the deviations before and after the update of the mean
            if self._keeps < 1.0:
                sums[0] *= self._keeps
                sums[2] *= self._keeps
            sums[0] += 1
            before = value - sums[1]
            sums[1] += before / sums[0]
            sums[2] += before * (value - sums[1])
        deviation = sqrt(sums[2] / sums[0])
        features[name] = (value - sums[1]) / deviation if deviation > 0 else 0.0


def _parts(value):
    """A date as numbers: the same as in :class:`~stakes.tables.TableEncoder`."""
    parts = {".month": float(value.month), ".weekday": float(value.isoweekday())}
    if isinstance(value, datetime):
        since = value.replace(tzinfo=None) - _EPOCH - (value.utcoffset() or timedelta())
        return {".days": since // _MICROSECOND / _DAY, **parts, ".hour": float(value.hour)}
    return {".days": float(value.toordinal() - _EPOCH.toordinal()), **parts}


def _float(name, value):
    try:
        number = value if type(value) is float else float(value)
    except OverflowError:
        return inf
    except (TypeError, ValueError):
        raise InputError(
            f"Field {name!r} is a {type(value).__name__}; a field is a number, a text, true, false "
            "or a date."
        ) from None
    if LARGEST < abs(number) < inf:
        raise InputError(
            f"Field {name!r} is {number:.3g}; products of numbers beyond {LARGEST:g} overflow. "
            "Check the field, or scale it."
        )
    return number
