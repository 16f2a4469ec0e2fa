"""A few events as the rows of a table, without a data frame for each call."""

import numpy as np
import polars as pl

from stakes.tables._kinds import blank_out, cast_like

_NUMBERS = {"number": ({float}, {float, int, type(None)}), "boolean": ({bool}, {bool, type(None)})}
_TEXTS = {str, type(None)}


class Events:
    """Some events, whose fields are also read as columns, each of them once.

    Parameters
    ----------
    events : sequence of dict
        Field -> number, text, true/false or None.

    Attributes
    ----------
    fields : list of str or None
        Fields that all events have, in the same order; None if they differ.

    Examples
    --------
    >>> events = Events([{"kind": "b", "amount": 7}, {"kind": "a", "amount": 5}])
    >>> events.fields, events.column("amount"), events.column("day")
    (['kind', 'amount'], (7, 5), (None, None))
    """

    def __init__(self, events):
        self.rows = events
        fields = list(events[0]) if events else []
        self.fields = fields if all(list(event) == fields for event in events) else None
        self._columns = {}
        if self.fields:
            columns = zip(*[event.values() for event in events], strict=True)
            self._columns = dict(zip(fields, columns, strict=True))

    def __len__(self):
        return len(self.rows)

    def column(self, name):
        """Values of a field; None where it is absent."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = tuple([event.get(name) for event in self.rows])
        return found


class EventReader:
    """Reads events of one kind.

    Parameters
    ----------
    kinds : dict
        Column -> kind in training.
    missing : sequence of str, default=()
        Texts that are missing values.

    Examples
    --------
    >>> from stakes.tables import TableEncoder
    >>> encoder = TableEncoder().fit(pl.DataFrame({"kind": ["b", "a"], "amount": [1.5, 2.0]}))
    >>> encoder.encode(EventReader(encoder.kinds_).rows([{"kind": "b", "amount": 7}]))
    array([[1., 7.]])
    """

    def __init__(self, kinds, missing=()):
        self.kinds = kinds
        self.missing = [text.strip() for text in missing]
        self._codes = {}  # text column -> category -> code

    def rows(self, events):
        """Events, or a list of dicts, as :class:`EventRows`; a field that is absent is missing."""
        return EventRows(self, events if isinstance(events, Events) else Events(events))

    def codes(self, values, encoder, name):
        """Codes of texts, as an encoder gives them."""
        known = self._codes.get(name)
        if known is None:
            categories = enumerate(encoder.categories_[name])
            known = self._codes[name] = {text: float(code) for code, text in categories}
        other = float(len(known)) if encoder.has_other_[name] else np.nan
        if self.missing:
            values = [None if v is None or v.strip() in self.missing else v for v in values]
        return [np.nan if value is None else known.get(value, other) for value in values]


class EventRows:
    """Events that a model takes in place of a table: first its encoder.

    A data frame of one row costs milliseconds, whatever it holds. If all values have the types of
    training, the matrix is filled from the events; dates and values that must be cast first take
    the way through a data frame, with the same result.

    Parameters
    ----------
    reader : EventReader
        Of one encoder.
    events : Events
        The events.
    """

    def __init__(self, reader, events):
        self._reader = reader
        self.events = events

    def __len__(self):
        return len(self.events)

    def frame(self):
        """The events as a table that has the kinds of training."""
        kinds = self._reader.kinds
        columns = {name: self.events.column(name) for name in kinds}
        table = pl.DataFrame({n: pl.Series(n, c, strict=False) for n, c in columns.items()})
        return cast_like(blank_out(table, self._reader.missing), kinds)

    def encoded_by(self, encoder):
        """The matrix that a fitted encoder makes of the events; None: it needs the table."""
        if not encoder.kinds_.keys() <= self._reader.kinds.keys():
            return None
        empty = getattr(encoder, "empty_", ())  # files of earlier versions have none
        matrix = np.empty((len(self.events), len(encoder.kinds_)))
        for j, (name, kind) in enumerate(encoder.kinds_.items()):
            values = self.events.column(name)
            types = set(map(type, values))
            if kind == "text" and types <= _TEXTS:
                matrix[:, j] = self._reader.codes(values, encoder, name)
            elif kind not in _NUMBERS or not types <= _NUMBERS[kind][1]:
                return None
            elif name in empty:
                matrix[:, j] = 0.0
            elif types <= _NUMBERS[kind][0]:
                matrix[:, j] = values
            else:
                matrix[:, j] = [np.nan if value is None else value for value in values]
        matrix[np.isinf(matrix)] = np.nan
        return matrix
