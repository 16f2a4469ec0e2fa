"""Streams of events of many classes, with actions that need not be the classes."""

import math
from dataclasses import dataclass, field

from sklearn.base import BaseEstimator, clone

from stakes._core.stored.spec import Listed, Part
from stakes.errors import InputError
from stakes.stream._decision_stream import DecisionStream
from stakes.stream._pending import PendingEvent
from stakes.stream._prices import ClassPrices
from stakes.tables import ClassReader, CostTable


class OneVsRestLearner(BaseEstimator):
    """One two-class learner per class, fed event by event; their probabilities are normalized.

    Parameters
    ----------
    learner : estimator with `learn_one` and `predict_proba_one`
        Copied for each class.
    n_classes : int
        Number of classes.

    Attributes
    ----------
    members_ : list of estimator
        The learner of each class against all others.

    Examples
    --------
    >>> from stakes.online import ProbitClassifier
    >>> model = OneVsRestLearner(ProbitClassifier(), n_classes=3)
    >>> for code in (0, 1, 2) * 30:
    ...     model.learn_one({f"word_{code}": 1.0}, code)
    >>> max(enumerate(model.predict_proba_one({"word_2": 1.0})), key=lambda one: one[1])[0]
    2
    """

    _file_state = {"members_": Listed(Part(methods=("learn_one", "predict_proba_one")))}

    def __init__(self, learner, n_classes):
        self.learner = learner
        self.n_classes = n_classes

    def learn_one(self, x, code):
        """Learn one event of the class with this number."""
        if not hasattr(self, "members_"):
            self.members_ = [clone(self.learner) for _ in range(self.n_classes)]
        for place, member in enumerate(self.members_):
            member.learn_one(x, int(place == code))

    def predict_proba_one(self, x):
        """Probabilities of the classes, as a list."""
        if not hasattr(self, "members_"):
            return [1 / self.n_classes] * self.n_classes
        p = [float(member.predict_proba_one(x).get(1, 0.0)) for member in self.members_]
        total = math.fsum(p)
        return [one / total for one in p] if total > 0 else [1 / len(p)] * len(p)


@dataclass
class ClassTotals:
    """Running totals of a stream of many classes.

    Attributes
    ----------
    events, labels : int
        Events decided, and labels received for them.
    paid : float
        What the labeled events cost as decided.
    constant : list of float
        What always taking each action would have cost.
    """

    events: int = 0
    labels: int = 0
    paid: float = 0.0
    constant: list = field(default_factory=list)


class ClassStream(DecisionStream):
    """A :class:`DecisionStream` of many classes: `Decision.action` is the number of an action.

    Parameters
    ----------
    learner : estimator with `learn_one` and `predict_proba_one`
        A two-class learner, of which one is kept for each class; or a :class:`OneVsRestLearner`.
    cost_matrix : CostTable or dict
        The costs; a dict as from :meth:`~stakes.tables.CostTable.to_dict`.
    **options
        `target`, `drop`, `max_pending`, `delay`, `n_features`, `max_features` and `encoder` of
        :class:`DecisionStream`. There is no drift test.

    Attributes
    ----------
    totals : ClassTotals
        Events, labels and money so far.

    Examples
    --------
    >>> from stakes.online import ProbitClassifier
    >>> costs = CostTable.of(["ok", "theft", "fault"], ["ignore", "call"],
    ...                      [[0, 2], ["amount", 1], [5, 1]])
    >>> stream = ClassStream(ProbitClassifier(), cost_matrix=costs)
    >>> decision = stream.decide({"amount": 80.0, "shop": "b"}, id="a17")
    >>> costs.actions[decision.action], round(decision.expected_cost, 2)
    ('call', 1.33)
    >>> stream.label("a17", "theft").paid
    1.0
    """

    def __init__(self, learner, *, cost_matrix, **options):
        table = CostTable.of(**cost_matrix) if isinstance(cost_matrix, dict) else cost_matrix
        if not isinstance(learner, OneVsRestLearner):
            if not hasattr(learner, "predict_proba_one"):
                raise InputError(
                    f"{type(learner).__name__} gives no probabilities, which a cost matrix needs; "
                    "take a learner such as probit."
                )
            learner = OneVsRestLearner(learner, len(table.classes))
        options = {name: value for name, value in options.items() if name not in _TWO_CLASS}
        super().__init__(learner, false_alarm_every=None, **options)
        self.table = table
        self.labels = ClassReader("label" if self.target is None else self.target, table.classes)
        self.totals = ClassTotals(constant=[0.0] * len(table.actions))
        self._prices = _ClassPriceList(table, self.target)

    @property
    def result_columns(self):
        """Columns of a file of decisions."""
        return (
            "decision",
            *(f"probability_{name}" for name in self.table.classes),
            "expected_cost",
        )

    def result_of(self, decision):
        """The values of these columns."""
        return [self.table.actions[decision.action], *decision.probability, decision.expected_cost]

    def _settings(self):
        return super()._settings() | {"cost_matrix": self.table.to_dict()}

    def _restore_labels_and_totals(self, state):
        self.totals = ClassTotals(**state["totals"])

    def _probability_and_action(self, features, prices):
        p = self.learner.predict_proba_one(features)
        expected = [prices.expected(p, action) for action in range(len(self.table.actions))]
        return p, expected.index(min(expected))

    def _book(self, event, label):
        paid = event.prices.paid(label, event.action)
        self.totals.labels += 1
        self.totals.paid += paid
        for action in range(len(self.table.actions)):
            self.totals.constant[action] += event.prices.paid(label, action)
        return paid

    def _learn(self, event: PendingEvent, label):
        if label is not None:
            self.learner.learn_one(event.features, label)
            self._is_started = True


class _ClassPriceList:
    """The costs of events of many classes."""

    def __init__(self, table, target):
        self._table = table
        self.columns = frozenset(table.columns)
        if target in self.columns:
            raise InputError(
                f"{{parameter}} uses the target {target!r}, which is unknown when a decision is "
                "made; remove it.",
                "cost_matrix",
            )
        self._same = None if self.columns else self._computed({})

    def of(self, event, given=None):
        """The costs of one event."""
        return self._same or self._computed(event)

    def _computed(self, event):
        return ClassPrices(map(tuple, self._table.evaluate_one(event).tolist()))


_TWO_CLASS = ("fp_cost", "fn_cost", "tp_cost", "tn_cost", "positive", "prior", "false_alarm_every")
