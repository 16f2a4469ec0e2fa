"""What a saved stream may hold: checked before anything of it is used."""

import json
from dataclasses import fields

from stakes._core.jit.drift import N_BETS
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
    }
)
_SUMS = Together((Number(1, 2**53), Number(-1e100, 1e100), Number(0, 1e250)))
_STATE = Fields(
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
                "open": Listed(Together((_ID, _EVENT))),
                "closed": Listed(Together((_ID, Flag()))),
                "counts": Fields({one.name: COUNT for one in fields(LabelCounts)}),
            }
        ),
        "delayed": Listed(Together((_EVENT, Maybe(_CLASS)))),
        "totals": Fields(
            dict.fromkeys(("events", "labels", "positives"), COUNT)
            | dict.fromkeys(("paid", "never", "always"), Number())
        ),
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
    _check(path, state, _STATE)
    return facts["decision_stream"], state, facts["extra"]


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
