"""Streams of events of many classes, with actions that need not be the classes."""

from dataclasses import dataclass, field

from stakes.errors import InputError
from stakes.online import OneVsRestStreamClassifier
from stakes.stream._decision_stream import DecisionStream
from stakes.stream._pending import PendingEvent
from stakes.stream._prices import ClassPrices
from stakes.tables import ClassReader, CostTable


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
        A two-class learner, of which one is kept for each class; or a
        :class:`~stakes.online.OneVsRestStreamClassifier`.
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
        if not isinstance(learner, OneVsRestStreamClassifier):
            if not hasattr(learner, "predict_proba_one"):
                raise InputError(
                    f"{type(learner).__name__} does not predict probabilities, which a cost matrix "
                    "needs; use a learner such as probit."
                )
            learner = OneVsRestStreamClassifier(learner)
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
        k = len(self.table.classes)
        p = [1 / k] * k
        if self._is_started:
            p = list(self.learner.predict_proba_one(features).values())
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
            self.learner.learn_one(
                event.features,
                label,
                classes=range(len(self.table.classes)),
                sample_weight=event.prices.at_stake(label),
            )
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
