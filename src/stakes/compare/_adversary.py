"""A comparison against adversaries: what each learner costs after the best moves against it."""

from dataclasses import replace

import numpy as np

from stakes.errors import InputError
from stakes.game import attack, harden, without_moves

ON_MOVES, WITHOUT = ", trained on moves", ", without what moves"
_DEFENDED = ("logistic regression, Bayes decision", "hist gradient boosting, Bayes decision")
CASE_SECONDS = 0.5  # of a case that no quick move gets past trees


def with_defences(contestants):
    """The contestants, and defended forms of the baselines with the Bayes decision."""
    more = [
        replace(one, name=one.name + form, family="game", defence=form)
        for one in contestants
        if one.name in _DEFENDED
        for form in (ON_MOVES, WITHOUT)
    ]
    return [*contestants, *more]


def check_can_train(name):
    """Refuse the name of a defended contestant, whose fit depends on the moves."""
    for form, instead in (
        (ON_MOVES, "use stakes.game.harden in Python"),
        (WITHOUT, "train it under its plain name and drop the columns that move"),
    ):
        if name.endswith(form):
            raise InputError(f"{name!r} depends on the moves of the adversary; {instead}.")


def defended(contestant, model, train, adversaries):
    """The model of a contestant, fitted again with its defence."""
    if contestant.defence is None:
        return model
    if contestant.defence == WITHOUT:
        return without_moves(model, train.X, train.y, adversaries, **train.costs)
    how = dict(fresh=False, case_seconds=CASE_SECONDS)
    return harden(model, train.X, train.y, adversaries, **how, **train.costs)


def after_moves(model, test, adversaries):
    """Decisions about the test rows after the moves of the adversary that costs most."""
    how = dict(settle=False, case_seconds=CASE_SECONDS, **test.costs)
    found = [attack(model, test.X, test.y, one, **how) for one in adversaries]
    worst = max(found, key=lambda one: one.bill_after)
    facts = dict(
        cost_unmoved=worst.bill,
        cost_bound=worst.bill_bound,
        moved=int(worst.past.sum()),
        moves_found_by=worst.method,
    )
    return worst.decided_after, np.full(len(test), np.nan), facts


def after_adversary(plan, rows):
    """What a report says about the adversaries of its plan, if it has any."""
    names = ", ".join(plan.get("adversaries", ()))
    if not names:
        return []
    said = [f"All costs are those after the best moves of {names} against each learner."]
    searched = {row["learner"] for row in rows if row.get("moves_found_by") == "search"}
    if searched:
        said.append(
            "Moves were searched for, so that the cost is a lower bound, against "
            f"{'; '.join(sorted(searched))}."
        )
    return said
