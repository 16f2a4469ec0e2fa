"""What a saved stream may hold: checked before anything of it is used."""

import json
from dataclasses import fields

from stakes._core.jit.drift import N_BETS
from stakes._core.stored.facts import COST_MATRIX
from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    COUNT,
    Anything,
    Either,
    Fields,
    Flag,
    Listed,
    Mapping,
    Maybe,
    Number,
    Sometimes,
    Text,
    Together,
)
from stakes._core.stored.state import check_plain
from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.stream._pending import LabelCounts

_CLASS = Number(0, 1, whole=True)
_ID = Either((Text(), Number(whole=True)))
_EVENT = Together(
    (
        Mapping(Number(-1e100, 1e100)),
        Together((Number(-1e100, 1e100),) * 4),
        Maybe(Number(0, 1)),
        _CLASS,
    )
)
# with many classes: a row of costs per class, a probability per class, the number of an action
_CLASS_EVENT = Together(
    (
        Mapping(Number(-1e100, 1e100)),
        Listed(Listed(Number(-1e100, 1e100))),
        Listed(Number(0, 1)),
        COUNT,
    )
)
_SETTINGS = Fields(
    dict.fromkeys(COST_NAMES, Either((Number(), Text())))
    | {
        "target": Maybe(Text()),
        "positive": Maybe(Either((Text(), Number(), Flag()))),
        "drop": Listed(Text()),
        "prior": Number(0, 1),
        "max_pending": Number(1, 2**53, whole=True),
        "delay": COUNT,
        "false_alarm_every": Maybe(Number(1)),
        "cost_matrix": Sometimes(COST_MATRIX),
    }
)
_SUMS = Together((Number(1, 2**53), Number(-1e100, 1e100), Number(0, 1e250)))


def _state(event, label, totals):
    """What the state of a stream holds, with its kind of events, labels and totals."""
    return Fields(
        {
            "encoder": Fields(
                {
                    "columns": Mapping(_SUMS),
                    "texts": Listed(Text()),
                    "max_features": COUNT,
                    "n_features": Maybe(Number(1, 2**31, whole=True)),
                    "half_life": Maybe(Number(1)),
                }
            ),
            "pending": Fields(
                {
                    "open": Listed(Together((_ID, event))),
                    "closed": Listed(Together((_ID, Flag()))),
                    "counts": Fields({one.name: COUNT for one in fields(LabelCounts)}),
                }
            ),
            "delayed": Listed(Together((event, Maybe(label)))),
            "totals": Fields(totals),
            "labels": Listed(Text()),
            "drift": Fields(
                {
                    "seen": COUNT,
                    "sums": Together((Number(0), Number(0))),
                    "statistics": Together((Number(0),) * N_BETS),
                    "changes": Together((Together((Number(0), COUNT, Number(), Number())),) * 2),
                    "alarms": COUNT,
                    "last": Maybe(Together((COUNT, COUNT, Number(), Number()))),
                }
            ),
        }
    )


_STATE = _state(
    _EVENT,
    _CLASS,
    dict.fromkeys(("events", "labels", "positives"), COUNT)
    | dict.fromkeys(("paid", "never", "always"), Number()),
)
_CLASS_STATE = _state(
    _CLASS_EVENT,
    COUNT,
    dict.fromkeys(("events", "labels"), COUNT) | {"paid": Number(), "constant": Listed(Number())},
)
_PLACE = Fields(
    {
        "offset": COUNT,
        "records": COUNT,
        "written": COUNT,
        "skipped": Sometimes(Together((COUNT, COUNT))),
    }
)


def read_saved(path, facts):
    """Settings, state and extra facts of a saved stream.

    Parameters
    ----------
    path : str or Path
        File that the facts are from, for messages.
    facts : dict
        What was stored with the model.
    """
    if "decision_stream" not in facts:
        raise InputError(f"{str(path)!r} is a model, not a saved stream; use another file.")
    known = Fields({"decision_stream": _SETTINGS, "state": Text(), "extra": Mapping(Anything())})
    _check(path, facts, known)
    try:
        state = json.loads(facts["state"])
    except (ValueError, RecursionError):
        raise InputError(f"The saved stream {str(path)!r} is damaged: it has no state.") from None
    many = facts["decision_stream"].get("cost_matrix")
    _check(path, state, _CLASS_STATE if many else _STATE)
    if many:
        _check_sizes(path, many, state)
    return facts["decision_stream"], state, facts["extra"]


def _check_sizes(path, matrix, state):
    """The events of many classes have the costs and probabilities of all of them."""
    k, m = len(matrix["classes"]), len(matrix["actions"])
    events = [event for _, event in state["pending"]["open"]]
    events += [event for event, _ in state["delayed"]]
    labels = [label for _, label in state["delayed"] if label is not None]
    fit = all(
        len(p) == len(costs) == k and all(len(row) == m for row in costs) and action < m
        for _, costs, p, action in events
    )
    if not fit or len(state["totals"]["constant"]) != m or any(label >= k for label in labels):
        raise InputError(f"The saved stream {str(path)!r} is damaged: its events do not fit.")


def check_place(path, extra):
    """Where a run of `stakes stream` stopped, as saved with the stream."""
    if "file" not in extra:
        raise InputError(f"{str(path)!r} is not a checkpoint of stakes stream.")
    _check(path, extra, Fields({"file": _PLACE, "settings": Mapping(Anything())}))
    return extra


def _check(path, value, spec):
    try:
        check_plain(value, spec)
    except Damaged as error:
        raise InputError(f"The saved stream {str(path)!r} is damaged: {error}.") from None
