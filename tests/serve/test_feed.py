"""Past events are played in order of time, and each label after its delay."""

import polars as pl
import pytest

from stakes.errors import InputError
from stakes.serve import feed


class Recorder:
    """A client that writes down what it is sent."""

    def __init__(self):
        self.sent, self.times = [], []

    def decide_many(self, events, ids, times):
        self.times += times or []
        self.sent += [("event", id, event) for id, event in zip(ids, events, strict=True)]
        return [{} for _ in events]

    def label_many(self, labels):
        self.sent += [("label", id, label) for id, label in labels.items()]
        return [{} for _ in labels]


def test_labels_come_when_they_are_due():
    table = pl.DataFrame(
        {
            "no": [7, 8, 9, 10],
            "time": ["2024-01-03", "2024-01-01", "2024-01-09", "2024-01-20"],
            "amount": [1.0, 2.0, 3.0, 4.0],
            "fraud": [1, 0, None, 1],
        }
    )
    client = Recorder()
    how = dict(target="fraud", time="time", id="no", label_delay="7d")
    assert feed(client, table, **how) == (4, 2, 1)
    order = [(kind, id) for kind, id, _ in client.sent]
    assert order == [
        ("event", "8"),
        ("event", "7"),
        ("label", "8"),
        ("event", "9"),
        ("label", "7"),
        ("event", "10"),
    ]
    assert [time / 86400 for time in client.times] == [19723, 19725, 19731, 19742]
    feed(client, table.with_columns(time=pl.Series([3, 1, 9, 20])), **how)
    assert len(client.times) == 4  # seconds since an unknown start are not sent
    assert client.sent[0][2] == {"time": "2024-01-01", "amount": 2.0}
    with pytest.raises(InputError, match="no column 'when'"):
        feed(client, table, target="fraud", time="when")
