"""Records of a stream to features: numbers on a running scale, text as indicators."""

import math


class RowEncoder:
    r"""Turn one record after the other into a dict of features, in memory that is bounded.

    A number becomes :math:`(x - m_t)/s_t` with the mean and standard deviation of its column so
    far, this record among them (Welford's sums); text becomes the indicator ``column=text``. What
    is missing is left out.

    Parameters
    ----------
    max_features : int, default=100000
        New columns and new texts beyond this many features are passed over.
    state : dict, default=None
        What :meth:`get_state` gave: goes on from there.

    Examples
    --------
    >>> encoder = RowEncoder()
    >>> encoder.encode({"amount": 10.0, "kind": "gold"})
    {'amount': 0.0, 'kind=gold': 1.0}
    >>> encoder.encode({"amount": 30.0, "kind": None})
    {'amount': 1.0}
    """

    def __init__(self, max_features=100_000, state=None):
        state = state or {"columns": {}, "texts": []}
        self.max_features = int(max_features)
        self._columns = {name: list(sums) for name, sums in state["columns"].items()}
        self._texts = dict.fromkeys(state["texts"])  # a dict keeps the order, a set does not

    def encode(self, record, learn=True):
        """Features of one record; `learn=False` leaves the scales as they are."""
        features = {}
        for name, value in record.items():
            if value is None or value == "":
                continue
            if isinstance(value, str):
                self._text(features, f"{name}={value}", learn)
            else:
                self._number(features, name, float(value), learn)
        return features

    def get_state(self):
        """Everything as lists and dicts of plain values."""
        columns = {name: list(sums) for name, sums in self._columns.items()}
        return {"columns": columns, "texts": list(self._texts)}

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
            sums[0] += 1
            before = value - sums[1]
            sums[1] += before / sums[0]
            sums[2] += before * (value - sums[1])
        deviation = math.sqrt(sums[2] / sums[0])
        features[name] = (value - sums[1]) / deviation if deviation > 0 else 0.0
