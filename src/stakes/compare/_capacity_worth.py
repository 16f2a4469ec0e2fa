"""What one more alert or review would be worth, from the out-of-fold probabilities."""

from dataclasses import replace

import numpy as np

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
_WORDS = {"max_alerts": "alert", "max_reviews": "review"}


def worth_of_capacity(table, learner, words):
    """The limits in words, what one more of each would save, and the cost with fewer and more.

    Parameters
    ----------
    table : OutOfFold
        Out-of-fold predictions of a comparison with a capacity.
    learner : str
        Name of the learner.
    words : Wording
        How amounts are written.

    Returns
    -------
    dict or None
        None without a capacity.
    """
    capacity = table.capacity
    if capacity is None:
        return None
    limited = [name for name in _WORDS if _is_limit(name, capacity)]
    n_periods = 1 if table.periods is None else len(np.unique(table.periods))
    now = _cost(table, learner, capacity)
    worth = {}
    for name in limited:
        more = 1 if isinstance(getattr(capacity, name), int) else 0.01
        saved = now - _cost(table, learner, capacity.with_more(name, more))
        worth[name] = {"more": more, "saved_per_period": float(saved / n_periods)}
    curve = None
    if limited:
        name = limited[-1]
        limit = getattr(capacity, name)
        amounts = [_scaled(limit, step) for step in STEPS]
        amounts = sorted({a for a in amounts if a <= 1.0 or isinstance(a, int)})
        costs = [_cost(table, learner, replace(capacity, **{name: a})) for a in amounts]
        per_1000 = [1000 * cost / len(table.data) for cost in costs]
        curve = {"of": _WORDS[name], "limit": amounts, "cost_per_1000": per_1000, "now": limit}
    per = f"per {len(table.data):,} rows" if table.periods is None else "per day"
    sentence = _sentence(capacity, limited, worth, per, words.amount)
    return {"sentence": sentence, "worth": worth, "curve": curve}


def _is_limit(name, capacity):
    if name == "max_reviews" and capacity.review_cost is None:
        return False
    value = getattr(capacity, name)
    return isinstance(value, int) or value < 1


def _cost(table, learner, capacity):
    """Total cost under another capacity, in the first repeat."""
    found = table.of(learner)
    action = table.act(found.decided, found.probability, capacity)
    return float(table.paid(action, capacity).sum())


def _scaled(limit, step):
    return round(limit * step) if isinstance(limit, int) else float(limit * step)


def _sentence(capacity, limited, worth, per, money):
    parts = [_limit_in_words(name, getattr(capacity, name), per) for name in limited]
    text = f"Capacity: {' and '.join(parts)}. " if parts else ""
    if capacity.review_cost is not None:
        price = capacity.review_cost
        price = money(price) if np.ndim(price) == 0 else f"{money(np.mean(price))} on average"
        text += f"A review costs {price} and finds the truth. "
    saved = [
        f"one more {_WORDS[name]} {per} would save {money(one['saved_per_period'])}"
        if one["more"] == 1
        else f"{_WORDS[name]}s for another {one['more']:.0%} of the rows would save "
        f"{money(one['saved_per_period'])} {per}"
        for name, one in worth.items()
    ]
    words = "; ".join(saved)
    return (text + (f"{words[0].upper()}{words[1:]}." if words else "")).strip()


def _limit_in_words(name, limit, per):
    if isinstance(limit, int):
        return f"at most {limit:,} {_WORDS[name]}{'' if limit == 1 else 's'} {per}"
    return f"{_WORDS[name]}s for at most {100 * limit:.3g}% of the rows"
