"""Features of many events in one matrix, and as the text that a journal keeps of each row."""

from base64 import b64decode
from binascii import b2a_base64
from collections.abc import Sequence
from functools import cached_property

import numpy as np

_PACKED = np.dtype("<f8")


class FeatureRows(Sequence):
    """Features of events that have the same fields; each row reads as a dict.

    Parameters
    ----------
    fields : list of str
        Fields of the events that are features.
    texts : dict
        Position of a field -> its feature in each row, such as "kind=gold"; the others are numbers.
    values : ndarray of shape (n, len(fields))
        The values of the features.

    Examples
    --------
    >>> rows = FeatureRows(["x", "kind"], {1: ["kind=a", "kind=b"]}, np.array([[0.5, 1], [2, 1]]))
    >>> rows[1]
    {'x': 2.0, 'kind=b': 1.0}
    >>> unpacked(rows.packed()[1], {"x": 7, "kind": "b"}) == rows[1]
    True
    """

    def __init__(self, fields, texts, values):
        self._fields = fields
        self._texts = texts
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return dict(zip(self.names[i], self.values[i].tolist(), strict=True))

    @cached_property
    def names(self):
        """Names of the features in each row, as tuples."""
        if not self._texts:
            return [tuple(self._fields)] * len(self)
        found, made = list(zip(*self._texts.values(), strict=True)), {}
        for texts in set(found):
            names = list(self._fields)
            for j, text in zip(self._texts, texts, strict=True):
                names[j] = text
            made[texts] = tuple(names)
        return [made[texts] for texts in found]

    def packed(self):
        """The values of each row as a short text, which :func:`unpacked` reads."""
        content = np.ascontiguousarray(self.values, _PACKED).tobytes()
        size = len(content) // len(self)
        rows = [content[i : i + size] for i in range(0, len(content), size)]
        return [b2a_base64(row, newline=False).decode() for row in rows]


def packed(features):
    """What a journal keeps of the features of some events: texts, or the dicts as they are."""
    return features.packed() if isinstance(features, FeatureRows) else features


def unpacked(stored, event, skip=()):
    """The features of an event, from what :func:`packed` gave.

    Parameters
    ----------
    stored : str or dict
        Of this event.
    event : dict
        Its fields.
    skip : container of str, default=()
        Those that are no features.

    Returns
    -------
    dict of str -> float
    """
    if isinstance(stored, dict):
        return stored
    fields = [item for item in event.items() if item[0] not in skip]
    names = [f"{name}={value}" if isinstance(value, str) else name for name, value in fields]
    values = np.frombuffer(b64decode(stored), _PACKED).tolist()
    return dict(zip(names, values, strict=True))
