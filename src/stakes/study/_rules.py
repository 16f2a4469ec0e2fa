"""The rules of the advice, in the order in which they are asked."""

from collections.abc import Callable
from dataclasses import dataclass

from stakes.compare._contestants import RECOMMENDED
from stakes.study._excess import excess

FEW, MANY = 50, 200_000


@dataclass(frozen=True)
class Facts:
    """What the rules look at.

    Parameters
    ----------
    rows, positives : int
        What the table says.
    stream, error_bars, adversary : bool, default=False
        What the user says of the problem.
    """

    rows: int
    positives: int
    stream: bool = False
    error_bars: bool = False
    adversary: bool = False

    @property
    def rarer(self):
        """How many rows the rarer class has."""
        return min(self.positives, self.rows - self.positives)


@dataclass(frozen=True)
class Rule:
    """One question, and what to use if the answer is yes.

    Parameters
    ----------
    question : str
        As the guide's picture asks it.
    applies : callable
        Facts -> bool.
    learner : callable
        Record of a study -> the name of a contestant.
    page : str
        The page of the documentation.
    why : callable
        Facts -> the sentence that says what decided.
    shown : bool, default=True
        Whether the study's sets show what is asked here.
    """

    question: str
    applies: Callable
    learner: Callable
    page: str
    why: Callable
    shown: bool = True


def best_of(record, allowed):
    """The allowed contestant that is nearest to the best in the mean over the study's sets."""
    above = excess(record)
    return min((name for name in above if allowed(name)), key=lambda name: above[name]["mean"])


def _online(record):
    families = {f["learner"]: f["family"] for one in record["sets"] for f in one["learners"]}
    return best_of(record, lambda name: families[name] == "online" and ", tuned" not in name)


def _quick(record):
    quick = ("hist gradient boosting, Bayes decision", "logistic regression, Bayes decision")
    return best_of(record, lambda name: name in quick)


RULES = (
    Rule(
        "Do the measurements come with error bars?",
        lambda facts: facts.error_bars,
        lambda record: "UncertainMarginClassifier",
        "uncertain",
        lambda facts: "Error bars are data: it allows for them, and certifies each prediction.",
        shown=False,
    ),
    Rule(
        "Does somebody change the rows to get past you?",
        lambda facts: facts.adversary,
        lambda record: "StackelbergClassifier",
        "game",
        lambda facts: "It is trained against the best answer to itself; no other learner here is.",
        shown=False,
    ),
    Rule(
        "Do rows come one by one, to be learnt from at once?",
        lambda facts: facts.stream,
        _online,
        "online",
        lambda facts: (
            "Of the learners that need one pass and no memory of the rows it is, in default "
            "settings, nearest to the best on the study's sets."
        ),
    ),
    Rule(
        f"Are there fewer than {FEW} rows of the rarer class?",
        lambda facts: facts.rarer < FEW,
        lambda record: "logistic regression, Bayes decision",
        "decision",
        lambda facts: (
            f"There are {facts.rarer} rows of the rarer class, too few to weigh several "
            "models; no set of the study has so few, so look at the report's intervals."
        ),
    ),
    Rule(
        f"Are there more than {MANY:,} rows?",
        lambda facts: facts.rows > MANY,
        _quick,
        "decision",
        lambda facts: (
            f"With {facts.rows:,} rows it is trained once where the blend trains 36 "
            "models; try the blend on a sample (PricedData.sample)."
        ),
    ),
    Rule(
        "Else",
        lambda facts: True,
        lambda record: RECOMMENDED,
        "decision",
        lambda facts: (
            "Independent rows, enough of both classes: a blend of linear model, forests "
            "and boosters, with the decision of least expected cost."
        ),
    ),
)


def advised(facts):
    """The first rule that applies."""
    return next(rule for rule in RULES if rule.applies(facts))
