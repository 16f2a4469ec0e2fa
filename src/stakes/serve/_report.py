"""Answers of a service, from its state and its journal."""

from dataclasses import asdict

import msgspec

from stakes.serve._policy import expected_cost
from stakes.serve._requests import Decided, Lead, Money, Reason, Totals
from stakes.stream import Prices


def decided(id, body, capacity):
    """The answer about one event, from what the journal has of it."""
    name = body["model"]
    probability, action = body["scores"][name][0], body["actions"][name]
    prices = body["prices"]
    if not isinstance(prices, Prices):  # from the journal
        prices = Prices(*prices)
    expected = None
    if probability is not None:
        expected = expected_cost(prices, probability, action, capacity)
    rest = (body["model"], body["version"], body["propensity"])
    reasons = body.get("reasons")
    reasons = reasons and [Reason(*one) for one in reasons]
    return Decided(id, action, probability, prices.break_even, expected, *rest, reasons)


def totals_of(state):
    """Money so far, by model."""
    models = {
        name: Money(**asdict(contender.totals), lead=_lead(contender.lead))
        for name, contender in state.contenders.items()
    }
    policy = state.contenders[state.champion].policy
    return Totals(
        state.champion,
        state.version,
        models,
        len(state.reviews),
        policy.alerts.price if policy.alerts.limit is not None else None,
        policy.reviews.price if policy.reviews.limit is not None else None,
    )


def as_json(answer):
    """An answer as text to read."""
    return msgspec.json.format(msgspec.json.encode(answer)).decode()


def _lead(difference):
    return Lead(difference.n, difference.mean, difference.interval()) if difference.n else None
