"""Which learner to use on a given table, and why, based on the study."""

from dataclasses import dataclass

import numpy as np

from stakes.study._record import stored_record
from stakes.study._rules import Facts, advised


@dataclass(frozen=True)
class Advice:
    """Which learner to use on a table.

    Parameters
    ----------
    learner : str
        Its name in `stakes compare --learners` and :func:`stakes.compare.contestants`.
    why : list of str
        Sentences: the reason, the evidence from the study, what to watch out for.
    page : str
        Its page of the documentation.
    """

    learner: str
    why: list
    page: str

    def __str__(self):
        return "\n".join([f"Use {self.learner}.", *(f"- {sentence}" for sentence in self.why)])


def advise(data, *, stream=False, error_bars=False, adversary=False, record=None):
    """Recommend a learner and decision rule for a table, with reasons.

    The rules are those of the guide, based on the money study. They are a starting point: run
    :func:`stakes.compare.compare` on the table to see what is cheapest there.

    Parameters
    ----------
    data : PricedData
        The table with its costs.
    stream : bool, default=False
        Whether rows arrive one by one and the model learns from each.
    error_bars : bool, default=False
        Whether measurements come with error bars.
    adversary : bool, default=False
        Whether adversaries change their data to evade the model.
    record : dict or None, default=None
        Your own study (:func:`~stakes.study.make_record`). None: the stored one.

    Returns
    -------
    Advice

    Examples
    --------
    >>> from stakes.datasets import load
    >>> advise(load("german")).learner
    'recommended blend'
    >>> advise(load("german"), stream=True).page
    'stream_forest'
    """
    record = stored_record() if record is None else record
    stakes = data.summary()
    facts = Facts(stakes.n, stakes.n_positive, stream, error_bars, adversary)
    rule = advised(facts)
    learner = rule.learner(record)
    found = _like_this(stakes, learner, record) if rule.shown else _not_shown(rule)
    why = [rule.why(facts), *found, *_costs_in_words(stakes)]
    return Advice(learner, why, rule.page)


def _like_this(stakes, learner, record):
    """Result of the learner on the data set of the study that is most similar to this table."""
    near = min(record["sets"], key=lambda one: _distance(stakes, one))
    found = {f["learner"]: f for f in near["learners"]}
    if learner not in found:
        return []
    best = near["learners"][0]
    others = f"the best, {best['learner']}, saved {best['savings']:.1%}"
    if best["learner"] == learner:
        others = f"none of the {len(found)} contestants saved more"
    return [
        f"On {near['name']}, the data set of the money study most similar to yours "
        f"({near['rows']:,} rows, {near['positives'] / near['rows']:.1%} positive), it "
        f"{_against_constant(found[learner]['savings'])}; {others}."
    ]


def _against_constant(savings):
    if savings < 0:
        return f"cost {-savings:.1%} more than the best constant policy"
    return f"saved {savings:.1%} of the best constant policy's cost"


def _not_shown(rule):
    return [f"No data set of the money study covers this case; see the page {rule.page!r}."]


def _distance(stakes, one):
    """Distance between two tables by size and share of positives, on log scales."""
    share = max(stakes.n_positive, 0.5) / stakes.n
    there = one["positives"] / one["rows"]
    return np.hypot(np.log10(stakes.n / one["rows"]), np.log10(share / there))


def _costs_in_words(stakes):
    """What the costs imply, whichever learner is used."""
    low, high = stakes.break_even_low, stakes.break_even_high
    if high - low > 0.01:
        yield (
            "Costs differ from row to row: the break-even probability lies between "
            f"{low:.3f} and {high:.3f} for 90% of the rows, so pass the costs to predict as well."
        )
    elif abs(low - 0.5) > 0.01:
        yield f"Decide positive above a probability of {low:.3f}, not 0.5."
    else:
        yield "Both mistakes cost the same: the usual threshold of 0.5 is right."
    if stakes.top_share > 0.2:
        yield (
            f"1% of the rows hold {stakes.top_share:.0%} of what is at stake: look at the tail "
            "(stakes.risk), not only at the mean."
        )
