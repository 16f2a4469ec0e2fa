"""Events to features: numbers on a running scale, text as indicators."""

import math
from datetime import date, datetime, timedelta

from stakes._core.intake import LARGEST
from stakes.errors import InputError
from stakes.tables import parse_value

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000.0  # microseconds


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

    def __init__(self, max_features=100_000, state=None):
        state = state or {"columns": {}, "texts": [], "max_features": int(max_features)}
        self.max_features = state["max_features"]
        # field -> [count, mean, sum of squared deviations]
        self._columns = {name: list(sums) for name, sums in state["columns"].items()}
        self._texts = dict.fromkeys(state["texts"])  # a dict keeps the order, a set does not

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
        read = list(_read(record, skip))  # all of it first: a refused event changes nothing
        features = {}
        for name, number in read:
            if number is None:
                self._text(features, name, learn)
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
        }

    def _is_full(self):
        return len(self._columns) + len(self._texts) >= self.max_features

    def _text(self, features, name, learn):
        if name not in self._texts:
            if not learn or self._is_full():
                return
            self._texts[name] = None
        features[name] = 1.0

    def _number(self, features, name, value, learn):
        if not math.isfinite(value):
            return
        sums = self._columns.get(name)
        if sums is None:
            if not learn or self._is_full():
                return
            sums = self._columns[name] = [0, 0.0, 0.0]
        if learn:
            # Welford: the deviations before and after the update of the mean
            sums[0] += 1
            before = value - sums[1]
            sums[1] += before / sums[0]
            sums[2] += before * (value - sums[1])
        deviation = math.sqrt(sums[2] / sums[0])
        features[name] = (value - sums[1]) / deviation if deviation > 0 else 0.0


def _read(record, skip):
    """Pairs of feature and number; None for text."""
    for name, value in record.items():
        if name in skip:
            continue
        if isinstance(value, str):
            value = parse_value(value)
        if value is None or value != value:
            continue
        if isinstance(value, str):
            yield f"{name}={value}", None
        elif isinstance(value, date):
            for part, number in _parts(value).items():
                yield f"{name}{part}", number
        else:
            yield name, _float(name, value)


def _parts(value):
    """A date as numbers: the same as in :class:`~stakes.tables.TableEncoder`."""
    parts = {".month": float(value.month), ".weekday": float(value.isoweekday())}
    if isinstance(value, datetime):
        since = value.replace(tzinfo=None) - _EPOCH - (value.utcoffset() or timedelta())
        return {".days": since // _MICROSECOND / _DAY, **parts, ".hour": float(value.hour)}
    return {".days": float(value.toordinal() - _EPOCH.toordinal()), **parts}


def _float(name, value):
    try:
        number = float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        raise InputError(
            f"Field {name!r} is a {type(value).__name__}; a field is a number, a text, true, false "
            "or a date."
        ) from None
    if LARGEST < abs(number) < math.inf:
        raise InputError(
            f"Field {name!r} is {number:.3g}; products of numbers beyond {LARGEST:g} overflow. "
            "Check the field, or scale it."
        )
    return number
