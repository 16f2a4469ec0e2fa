"""Which one should I use? The study's answer for a given table, and why."""

from dataclasses import dataclass

import numpy as np

from stakes.study._record import stored_record
from stakes.study._rules import Facts, advised


@dataclass(frozen=True)
class Advice:
    """What to use on a table.

    Parameters
    ----------
    learner : str
        As `stakes compare --learners` and :func:`stakes.compare.contestants` call it.
    why : list of str
        Sentences: what decided, what the study says of it, what to mind.
    page : str
        The page of the documentation on it.
    """

    learner: str
    why: list
    page: str

    def __str__(self):
        return "\n".join([f"Use {self.learner}.", *(f"- {sentence}" for sentence in self.why)])


def advise(data, *, stream=False, error_bars=False, adversary=False, record=None):
    """Say which learner and decision rule to use on a table, and why.

    The rules are those of the guide; their evidence is the money study. It is a start: what pays
    on a table is decided on that table, by :func:`stakes.compare.compare`.

    Parameters
    ----------
    data : PricedData
        The table with its prices.
    stream : bool, default=False
        Whether rows come one by one, and the model must learn from each.
    error_bars : bool, default=False
        Whether measurements come with their errors.
    adversary : bool, default=False
        Whether somebody changes the rows to get past the decision.
    record : dict or None, default=None
        A study of your own (:func:`~stakes.study.make_record`); None: the stored one.

    Returns
    -------
    Advice

    Examples
    --------
    >>> from stakes.datasets import load
    >>> advise(load("german")).learner
    'recommended blend'
    >>> advise(load("german"), stream=True).page
    'online'
    """
    record = stored_record() if record is None else record
    stakes = data.summary()
    facts = Facts(stakes.n, stakes.n_positive, stream, error_bars, adversary)
    rule = advised(facts)
    learner = rule.learner(record)
    found = _like_this(stakes, learner, record) if rule.shown else _not_shown(rule)
    why = [rule.why(facts), *found, *_mind(stakes)]
    return Advice(learner, why, rule.page)


def _like_this(stakes, learner, record):
    """What the learner did on the set of the study that is most like this table."""
    near = min(record["sets"], key=lambda one: _distance(stakes, one))
    found = {f["learner"]: f for f in near["learners"]}
    if learner not in found:
        return []
    best = near["learners"][0]
    beside = f"the best of all, {best['learner']}, saved {best['savings']:.1%}"
    if best["learner"] == learner:
        beside = f"no other of {len(found)} saved more"
    return [
        f"On {near['name']}, the set of the money study that is most like yours "
        f"({near['rows']:,} rows, {near['positives'] / near['rows']:.1%} positive), it "
        f"{_against_trivial(found[learner]['savings'])}; {beside}."
    ]


def _against_trivial(savings):
    if savings < 0:
        return f"cost {-savings:.1%} more than the best trivial policy"
    return f"saved {savings:.1%} of the best trivial policy's cost"


def _not_shown(rule):
    return [f"No set of the money study has this question in it: see the page {rule.page!r}."]


def _distance(stakes, one):
    """How far apart two tables are in size and in rarity, in powers of ten."""
    share = max(stakes.n_positive, 0.5) / stakes.n
    there = one["positives"] / one["rows"]
    return np.hypot(np.log10(stakes.n / one["rows"]), np.log10(share / there))


def _mind(stakes):
    """What a reader should know whatever is used."""
    low, high = stakes.break_even_low, stakes.break_even_high
    if high - low > 0.01:
        yield (
            "Prices differ from row to row: the probability above which an alarm pays lies between "
            f"{low:.3f} and {high:.3f} in 90 % of the rows, so give the costs to predict as well."
        )
    elif abs(low - 0.5) > 0.01:
        yield f"An alarm pays above a probability of {low:.3f}, not 0.5."
    else:
        yield "Both mistakes cost the same: the usual rule at 0.5 is right here."
    if stakes.top_share > 0.2:
        yield (
            f"1 % of the rows hold {stakes.top_share:.0%} of the stakes: look at the tail "
            "(stakes.risk) and not at the mean alone."
        )
