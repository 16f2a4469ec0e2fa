"""The rules of the advice, in the order in which they are applied."""

from collections.abc import Callable
from dataclasses import dataclass

from stakes.compare import RECOMMENDED
from stakes.study._record import excess, stored_record

FEW, MANY = 50, 200_000
ENOUGH_FOR_TREES = 200


@dataclass(frozen=True)
class Facts:
    """The facts that the rules use.

    Parameters
    ----------
    rows, positives : int
        Size of the table, and number of positives.
    stream, error_bars, adversary : bool, default=False
        What the user says about the problem.
    """

    rows: int
    positives: int
    stream: bool = False
    error_bars: bool = False
    adversary: bool = False

    @property
    def rarer(self):
        """Number of rows of the rarer class."""
        return min(self.positives, self.rows - self.positives)


@dataclass(frozen=True)
class Rule:
    """One question, and the learner to use if the answer is yes.

    Parameters
    ----------
    question : str
        The question, as shown in the diagram of the guide.
    applies : callable
        Facts -> bool.
    learner : callable
        Record of a study -> the name of a contestant.
    page : str
        Page of the documentation.
    why : callable
        Facts -> a sentence with the reason.
    shown : bool, default=True
        Whether the study has evidence for this rule.
    """

    question: str
    applies: Callable
    learner: Callable
    page: str
    why: Callable
    shown: bool = True


def best_of(record, allowed):
    """The allowed contestant that is closest to the best in the mean over the data sets.

    A study in which none of them ran says nothing about them: the stored one decides then.
    """
    for one in (record, stored_record()):
        families = {f["learner"]: f["family"] for part in one["sets"] for f in part["learners"]}
        above = excess(one)
        names = [name for name in above if allowed(name, families[name])]
        if names:
            return min(names, key=lambda name: above[name]["mean"])
    raise LookupError("No contestant of the stored study fits this rule.")


def _online(record):
    return best_of(record, lambda name, family: family == "online" and ", tuned" not in name)


def _quick(record):
    quick = ("hist gradient boosting, Bayes decision", "logistic regression, Bayes decision")
    return best_of(record, lambda name, family: name in quick)


RULES = (
    Rule(
        "Do the measurements come with error bars?",
        lambda facts: facts.error_bars,
        lambda record: "UncertainLogisticClassifier",
        "uncertain",
        lambda facts: "It uses the error bars and certifies each prediction.",
        shown=False,
    ),
    Rule(
        "Do adversaries adapt to the model?",
        lambda facts: facts.adversary,
        lambda record: "StackelbergClassifier",
        "game",
        lambda facts: (
            "It is trained against an adversary's best response; no other learner here is."
        ),
        shown=False,
    ),
    Rule(
        f"Does the data arrive as a stream, with {ENOUGH_FOR_TREES} rows of the rarer class?",
        lambda facts: facts.stream and facts.rarer >= ENOUGH_FOR_TREES,
        lambda record: "StreamBlendClassifier",
        "stream_forest",
        lambda facts: (
            "It blends a linear learner, a forest and kernel features in one pass and fixed "
            "memory; its page compares them on streams with late labels."
        ),
        shown=False,
    ),
    Rule(
        "Does the data arrive as a stream?",
        lambda facts: facts.stream,
        _online,
        "online",
        lambda facts: (
            "Among the learners that need one pass and store no rows, it is closest to the best on "
            "the study's data sets, with default settings."
        ),
    ),
    Rule(
        f"Does the rarer class have fewer than {FEW} rows?",
        lambda facts: facts.rarer < FEW,
        lambda record: "logistic regression, Bayes decision",
        "decision",
        lambda facts: (
            f"The rarer class has {facts.rarer} rows, too few to choose between models; the data "
            "sets of the study have more, so check the intervals in the report."
        ),
    ),
    Rule(
        f"Are there more than {MANY:,} rows?",
        lambda facts: facts.rows > MANY,
        _quick,
        "decision",
        lambda facts: (
            f"With {facts.rows:,} rows training time matters: it trains one model, the blend 36. "
            "Try the blend on a sample (PricedData.sample)."
        ),
    ),
    Rule(
        "Otherwise",
        lambda facts: True,
        lambda record: RECOMMENDED,
        "decision",
        lambda facts: (
            "Independent rows and enough of both classes: a blend of a linear model, forests and "
            "boosters that decides by expected cost."
        ),
    ),
)


def advised(facts):
    """The first rule that applies."""
    return next(rule for rule in RULES if rule.applies(facts))
