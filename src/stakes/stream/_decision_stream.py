"""Decide about events, wait for their labels, learn, and count the money."""

import json
import math
from collections import deque
from dataclasses import asdict

from stakes._core.deciding import takes_costs
from stakes._core.model_file import load_model, save_model
from stakes._core.words import shown
from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.stream._delay import tell_delay
from stakes.stream._drift import DriftTest
from stakes.stream._pending import PendingEvent, PendingEvents
from stakes.stream._prices import PriceList
from stakes.stream._row_encoder import RowEncoder
from stakes.stream._saved import read_saved
from stakes.stream._totals import Outcome, Totals
from stakes.tables import LabelReader, is_missing


class DecisionStream:
    """Decide about events one at a time, and learn from their labels whenever they arrive.

    An event is a dict of fields: numbers, text, true/false or dates. Its features and prices are
    computed once, when it is decided; its label is learned with them, however late. Methods are
    not thread-safe: a service with several threads needs a lock around them.

    Parameters
    ----------
    learner : estimator with `learn_one`
        Changed in place, and resumed if it is fitted. A learner with `predict_proba_one` decides
        by least expected cost, any other by its `predict_one`.
    fp_cost, fn_cost, tp_cost, tn_cost : float or str, default=1, 1, 0, 0
        Cost of a false positive, false negative, true positive and true negative: a number, or an
        expression over the event's fields (see :class:`~stakes.tables.CostExpression`).
    target : str, default=None
        Field of the label; never a feature.
    positive : str or number, default=None
        Positive label; every other label is negative. May be omitted if the labels are 0/1, -1/1,
        no/yes, n/y, false/true or f/t.
    drop : sequence of str, default=()
        Fields that are not features.
    prior : float, default=0.5
        Probability of the positive class until the first label is learned.
    max_pending : int, default=10000
        Maximum number of events that wait for a label; the oldest is dropped beyond it.
    delay : int, default=0
        Simulated delay: `learn` counts a label at once but learns it this many events later. A
        learner whose `label_delay` is None gets it.
    n_features : int, default=None
        Number of features that names are hashed to, so that memory is bounded whatever texts
        arrive. None: one feature per name, `max_features` at most.
    max_features : int, default=100000
        Maximum number of names without hashing; new ones beyond it are ignored.
    false_alarm_every : int or None, default=100000
        Number of labels between two false alarms of the drift test, on average or more; None: no
        test. See `drift`.
    encoder : RowEncoder, default=None
        Turns events into features; None: a new one, with `n_features` and `max_features`.

    Attributes
    ----------
    totals : Totals
        Events, labels and money so far.
    counts : LabelCounts
        How labels arrived.
    drift : DriftTest
        Whether recent decisions cost what they promised.
    labels : LabelReader
        The reader of labels.
    extra : dict
        What was saved with the stream in addition, see :meth:`save`.

    Examples
    --------
    >>> from stakes.online import ProbitClassifier
    >>> stream = DecisionStream(ProbitClassifier(), fp_cost=1, fn_cost="amount", prior=0.02)
    >>> stream.decide({"amount": 99.0, "country": "FR"}, id="a17")
    Decision(id='a17', action=1, probability=0.02, break_even=0.01, expected_cost=0.98)
    >>> stream.label("a17", "yes")
    Outcome(id='a17', status='learned', label=1, paid=0.0)
    """

    def __init__(
        self,
        learner,
        *,
        fp_cost=1.0,
        fn_cost=1.0,
        tp_cost=0.0,
        tn_cost=0.0,
        target=None,
        positive=None,
        drop=(),
        prior=0.5,
        max_pending=10_000,
        delay=0,
        n_features=None,
        max_features=100_000,
        false_alarm_every=100_000,
        encoder=None,
    ):
        _check(learner, prior, max_pending, delay)
        if delay:
            tell_delay(learner, delay)
        self.learner = learner
        self.costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        self.target = target
        self.positive = positive
        self.drop = tuple(drop)
        self.prior = prior
        self.max_pending = max_pending
        self.delay = delay
        self.encoder = RowEncoder(max_features, n_features) if encoder is None else encoder
        self.drift = DriftTest(false_alarm_every)
        self.labels = LabelReader("label" if target is None else target, positive)
        self.totals = Totals()
        self.extra = {}
        self._prices = PriceList(self.costs, target)
        self._no_features = frozenset(self.drop) | ({target} - {None})
        self._pending = PendingEvents(max_pending)
        self._delayed = deque()  # (PendingEvent, label) that `learn` holds back
        self._takes_costs = takes_costs(learner, "learn_one")
        self._has_proba = hasattr(learner, "predict_proba_one")
        self._is_started = hasattr(learner, "classes_")
        self._classes = list(getattr(learner, "classes_", (0, 1)))

    @property
    def counts(self):
        """How labels arrived: late, dropped, too late, unknown, repeated."""
        return self._pending.counts

    @property
    def n_pending(self):
        """Number of events that wait for a label, or for their simulated delay."""
        return len(self._pending) + len(self._delayed)

    @property
    def first_repeated(self):
        """The first id that was repeated since the stream was made or loaded, or None."""
        return self._pending.first_repeated

    def knows(self, id):
        """Whether an event of this id has been decided (and is not forgotten yet)."""
        return id in self._pending

    def is_complete(self, event):
        """Whether an event has every field that its prices need, and at least one feature."""
        has = {name for name, value in event.items() if not is_missing(value)}
        return self._prices.columns <= has and not has <= self._no_features

    def decide(self, event, id=None):
        """Decide about one event; its label may follow by :meth:`label`.

        Parameters
        ----------
        event : dict
            Field -> value.
        id : str or int, default=None
            Names the event; None: its number in the stream.

        Returns
        -------
        Decision or None
            A pending event that is sent again gets its first decision; None if its id is closed.
        """
        if id is not None and id in self._pending:
            return self._repeated(id)
        return self._decide(event, self._prices.of(event), id)

    def decide_many(self, events, ids=None):
        """Decide about several events: the same as one by one, but all are priced first.

        Parameters
        ----------
        events : sequence of dict
            If one of them has no valid price, none is decided.
        ids : sequence of str or int, default=None
            One for each event.

        Returns
        -------
        list of Decision or None
        """
        events = list(events)
        ids = [None] * len(events) if ids is None else ids
        rows = []
        for i, (event, id) in enumerate(zip(events, ids, strict=True)):
            try:
                prices = None if id in self._pending else self._prices.of(event)
            except InputError as error:
                raise error.with_context(f"Event {i} of the batch: ") from None
            rows.append((event, prices, id))
        # an id may also be repeated within the batch
        return [self._repeated(r[2]) if r[2] in self._pending else self._decide(*r) for r in rows]

    def label(self, id, y):
        """Learn the label of an event that was decided before, in any order.

        Parameters
        ----------
        id : str or int
            The event's id.
        y : label
            As in `positive`; None, NaN or empty text is ignored.

        Returns
        -------
        Outcome
        """
        label = self.labels.read_one(y)
        if label is None:
            return Outcome(id, "missing")
        status, event = self._pending.take(id)
        if event is None:
            return Outcome(id, status, label)
        paid = self._book(event, label)
        self._learn(event, label)
        return Outcome(id, "learned", label, paid)

    def learn(self, event, y=None, id=None):
        """Decide about an event whose label is known already, then learn it.

        Parameters
        ----------
        event : dict
            Field -> value.
        y : label, default=None
            None: the field `target` of the event. An event without a label is only decided; with
            an `id` it is then pending.
        id : str or int, default=None
            So that a repeated event is recognized; None: not remembered.

        Returns
        -------
        Decision or None
            As for :meth:`decide`.
        """
        if y is None and self.target is not None:
            y = event.get(self.target)
        label = self.labels.read_one(y)
        if id is not None and label is None:
            return self.decide(event, id)
        if id is not None and id in self._pending:
            earlier = self._pending.get(id)
            self.label(id, y)
            return earlier and earlier.decision(id)
        pending = self._considered(event, self._prices.of(event))
        if id is not None:
            self._pending.close(id, labeled=True)
        if label is not None:
            self._book(pending, label)
        self._delayed.append((pending, label))
        if len(self._delayed) > self.delay:
            self._learn(*self._delayed.popleft())
        return pending.decision(self.totals.events if id is None else id)

    def save(self, path, **extra):
        """Write everything to a file from which :meth:`load` resumes exactly.

        Parameters
        ----------
        path : str or Path
            An older file of that name stays until the new one is complete.
        **extra : numbers, text, lists and dicts
            Stored as well, and returned in `extra`.
        """
        state = dict(
            encoder=self.encoder.get_state(),
            pending=self._pending.get_state(),
            delayed=list(self._delayed),
            totals=asdict(self.totals),
            labels=getattr(self.labels, "seen", []),
            drift=self.drift.get_state(),
        )
        # the state as one text: skops writes a file of a million small values slowly
        facts = dict(decision_stream=self._settings(), state=json.dumps(state), extra=extra)
        save_model(self.learner, path, **facts)

    @classmethod
    def load(cls, path, **changed):
        """Resume from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.
        **changed
            The four costs (or the cost matrix) or `prior`, for events decided from now on; all else
            is kept, and pending events keep their prices.
        """
        for name in changed.keys() - {*COST_NAMES, "prior", "cost_matrix"}:
            raise InputError("{parameter} of a saved stream cannot change, only costs can.", name)
        stored = load_model(path)
        settings, state, extra = read_saved(path, stored.facts)
        encoder = RowEncoder(state=state["encoder"])
        if settings.get("cost_matrix"):
            from stakes.stream._class_stream import ClassStream as cls  # which is one of these
        stream = cls(stored.model, encoder=encoder, **settings | changed)
        stream._restore_labels_and_totals(state)
        stream.drift.set_state(state["drift"])
        stream.extra = extra
        stream._pending = PendingEvents.of_state(stream.max_pending, state["pending"])
        stream._delayed.extend((PendingEvent.of_state(*e), label) for e, label in state["delayed"])
        return stream

    @property
    def result_columns(self):
        """Columns of a file of decisions."""
        return ("decision", "probability", "break_even", "expected_cost")

    def result_of(self, decision):
        """The values of these columns."""
        return [decision.action, *decision[2:]]

    def _settings(self):
        return dict(
            self.costs,
            target=self.target,
            positive=self.positive,
            drop=list(self.drop),
            prior=self.prior,
            max_pending=self.max_pending,
            delay=self.delay,
            false_alarm_every=self.drift.false_alarm_every,
        )

    def _restore_labels_and_totals(self, state):
        self.labels = LabelReader(self.labels.target, self.positive, seen=state["labels"])
        self.totals = Totals(**state["totals"])

    def _repeated(self, id):
        self._pending.repeat(id)
        earlier = self._pending.get(id)
        return earlier and earlier.decision(id)

    def _decide(self, event, prices, id):
        if id is None:
            id = self.totals.events + 1
            while id in self._pending:  # the caller's own ids may be numbers as well
                id += 1
        pending = self._considered(event, prices)
        self._pending.add(id, pending)
        return pending.decision(id)

    def _considered(self, event, prices):
        """An event with its features and the action; nothing about it is computed again."""
        features = self.encoder.encode(event, skip=self._no_features)
        probability, action = self._probability_and_action(features, prices)
        self.totals.events += 1
        return PendingEvent(features, prices, probability, action)

    def _probability_and_action(self, features, prices):
        p = self.prior
        if self._is_started:
            positive = self._classes[1]
            if not self._has_proba:
                return None, int(self.learner.predict_one(features) == positive)
            p = float(self.learner.predict_proba_one(features).get(positive, p))
        return p, int(p > prices.break_even)

    def _book(self, event, label):
        """Count what an event cost; returns it."""
        paid = event.prices.paid(label, event.action)
        self.totals.book(event.prices, label, paid)
        if self._is_started and event.probability is not None:
            self.drift.add(event, label, paid)
        return paid

    def _learn(self, event, label):
        if label is None:
            return
        costs = event.prices.keywords() if self._takes_costs else {}
        self.learner.learn_one(event.features, self._classes[label], **costs)
        self._is_started = True
        self.encoder.follow(getattr(self.learner, "half_life_", math.inf))


def _check(learner, prior, max_pending, delay):
    if not hasattr(learner, "learn_one"):
        raise InputError(
            f"{type(learner).__name__} has no learn_one, so it cannot learn one event at a time; "
            "use a learner of stakes.online, online_forest or online_kernel."
        )
    if not 0 <= prior <= 1:
        raise InputError(
            f"{{parameter}} must be between 0 and 1. Got {shown(prior)} instead.", "prior"
        )
    if max_pending < 1:
        raise InputError(
            f"{{parameter}} must be at least 1. Got {shown(max_pending)} instead.", "max_pending"
        )
    if delay < 0:
        raise InputError(
            f"{{parameter}} must not be negative. Got {shown(delay)} instead.", "delay"
        )
