"""Facts that `stakes train` stores with a model, checked before they are used."""

from stakes._core.stored.plain import Damaged
from stakes._core.stored.spec import (
    Either,
    Fields,
    Flag,
    Listed,
    Mapping,
    Maybe,
    Number,
    Sometimes,
    Text,
)
from stakes._core.stored.state import check_plain
from stakes.costs import COST_NAMES
from stakes.errors import InputError

# of many classes, as CostTable.to_dict writes it
COST_MATRIX = Fields(
    {
        "classes": Listed(Text(), "truths"),
        "actions": Listed(Text(), "decisions"),
        "cells": Listed(Listed(Text(), "decisions"), "truths"),
    }
)
COSTS = Fields(dict.fromkeys(COST_NAMES, Maybe(Either((Number(), Text())))))
_REPLICATES = Fields({"column": Text(), "pooled": Mapping(Number(0))})
_TRAINED = {
    "kinds": Mapping(Text()),
    "costs": COSTS,
    "target": Maybe(Text()),
    "cost_matrix": Sometimes(Maybe(COST_MATRIX)),
    "missing": Sometimes(Listed(Text())),
    "ranges": Sometimes(Mapping(Listed(Number(), 2))),
    "promised": Sometimes(Maybe(Listed(Number(), 2))),
    "positive": Sometimes(Maybe(Either((Text(), Number(), Flag())))),
    "replicates": Sometimes(Either((Fields({}), _REPLICATES))),
    "rows": Sometimes(Number()),
    "words": Sometimes(Listed(Text(), 2)),
    "currency": Sometimes(Maybe(Text())),
    "background": Sometimes(Mapping(Listed(Maybe(Either((Number(), Text(), Flag())))))),
}


def check_trained(path, facts):
    """Raise an error unless a model file has what `stakes train` stores with a model."""
    if not {"kinds", "costs", "target"} <= facts.keys():
        raise InputError(f"{str(path)!r} was not made by stakes train; train it there.")
    check_facts(path, facts)


def check_facts(path, facts):
    """Raise an error if a model file has damaged facts under the names that `stakes train` uses."""
    known = {name: facts[name] for name in _TRAINED if name in facts}
    try:
        check_plain(known, Fields({name: _TRAINED[name] for name in known}))
        _check_rows(facts.get("background", {}), facts.get("kinds", {}))
    except Damaged as error:
        raise InputError(f"The model file {str(path)!r} is damaged: {error}.") from None


def _check_rows(columns, kinds):
    """Columns of the table that was trained on: equally long, each of one kind."""
    if not columns.keys() <= kinds.keys():
        raise Damaged("its typical rows have an unknown column")
    if len({len(column) for column in columns.values()}) > 1:
        raise Damaged("its typical rows have columns of several lengths")
    for column in columns.values():
        if len({_kind(value) for value in column if value is not None}) > 1:
            raise Damaged("its typical rows have a column of several kinds of values")


def _kind(value):
    return next((one for one in (bool, str) if isinstance(value, one)), float)
