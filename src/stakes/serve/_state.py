"""What a service knows: a function of its journal."""

import json
import random
from collections import Counter
from dataclasses import asdict, dataclass, field

import joblib

from stakes.errors import InputError
from stakes.serve._alarms import PROMISE_EVERY, RANGE_EVERY, PaidWindows, Pauses
from stakes.serve._difference import Difference
from stakes.serve._hours import ALWAYS, NEVER, Hours
from stakes.serve._models import model_of_bytes
from stakes.serve._policy import ALERT, PASS, REVIEW, Capacity, Policy, paid_for
from stakes.serve._ranges import Ranges
from stakes.serve._reasons import strongest
from stakes.stream import (
    DriftTest,
    PendingEvent,
    Prices,
    RowEncoder,
    Totals,
    packed,
    unpacked,
)

MAX_OPEN = 10_000  # reviews that wait; beyond, the oldest are taken off the list
_STATE = "state"


@dataclass
class Contender:
    """A model of the service, its use of the people's time and its money.

    Attributes
    ----------
    model : LearningModel or TrainedModel
        Gives the probabilities.
    policy : Policy
        Turns them into actions.
    totals : Totals
        Money so far.
    lead : Difference
        What it would have saved per event against the champion.
    """

    model: object
    policy: Policy
    totals: Totals = field(default_factory=Totals)
    lead: Difference = field(default_factory=Difference)


class State:
    """Models, scales of the features and totals after the first entries of the journal.

    The same entries give the same state, bit for bit: a service that was killed, and any other
    process, rebuilds it from a checkpoint and the entries after it.

    Parameters
    ----------
    models : dict
        Name -> model; the first one decides, the others are its challengers.
    capacity : Capacity, default=Capacity()
        How many alerts and reviews people can look at.
    drop : container of str, default=()
        Fields that are not features.
    private : container of str, default=()
        Fields that are not stored: models of `stakes train` and prices see them, a learner does
        not, for its scales could not be rebuilt.

    Attributes
    ----------
    seq : int
        The last entry of the journal that is part of this state.
    version : int
        The last entry that changed a model: names the state of the models.
    champion : str
        The model that decides.
    contenders : dict
        Name -> :class:`Contender`.
    reviews : dict
        Id -> expected saving, of the events that wait for a review.
    hours : Hours
        Money by hour.
    pauses : Pauses
        Between labels.
    drift : DriftTest
        Whether the champion's decisions cost what they promised.
    paid : PaidWindows
        Whether they cost what the comparison promised.
    ranges : Ranges
        Whether fields leave the range that they had when the champion was trained.
    """

    def __init__(self, models, capacity=Capacity(), drop=(), private=()):  # noqa: B008
        self.capacity = capacity
        self.drop = frozenset(drop) | frozenset(private)
        self.private = frozenset(private)
        self.encoder = RowEncoder()
        self.seq = self.version = 0
        self.contenders = {name: Contender(m, Policy(capacity)) for name, m in models.items()}
        self.champion = next(iter(models))
        self.reviews = {}
        self.hours = Hours()
        self.pauses = Pauses()
        self._watch()

    def _watch(self):
        """Begin to watch the champion."""
        model = self.contenders[self.champion].model
        self.drift = DriftTest(PROMISE_EVERY, model.tolerance)
        self.paid = PaidWindows(model.promised)
        self.ranges = Ranges(model.ranges, model.rows, RANGE_EVERY)

    def score_ahead(self, events, prices):
        """Trained model -> scores of events, which the journal does not change; for a batch."""
        models = {n: c.model for n, c in self.contenders.items() if not c.model.learns}
        try:
            return {name: m.score(events, None, prices) for name, m in models.items() if prices}
        except InputError:  # of one of the events, which will be found
            return {}

    def decide(self, batch, at):
        """What the journal keeps of decisions about the events that come next.

        The scales of the features take the events in: each must become the next entry.
        """
        features, scores = self._score(batch)
        names, model, version = list(scores), self.champion, self.version
        actions, gains = {}, {}
        for name, found in scores.items():
            decide = self.contenders[name].policy.decide
            taken = [
                decide(*one, price, at) for one, price in zip(found, batch.prices, strict=True)
            ]
            actions[name], gains[name] = zip(*taken, strict=True)
        bodies = [
            {
                "at": at if time is None else min(time, at),
                "event": event,
                "features": row,
                "prices": prices,
                "scores": dict(zip(names, found, strict=True)),
                "actions": dict(zip(names, taken, strict=True)),
                "propensity": 1.0,
                "gain": gain,
                "model": model,
                "version": version,
            }
            for time, event, row, prices, found, taken, gain in zip(
                batch.times,
                batch.events.rows,
                packed(features),
                batch.prices,
                zip(*scores.values(), strict=True),
                zip(*actions.values(), strict=True),
                gains[model],
                strict=True,
            )
        ]
        self._explore(bodies)
        for body, outside in zip(bodies, self.ranges.outside_many(batch.events), strict=True):
            if outside:
                body["outside"] = outside  # written down, so that the event may be erased
        for body, n in zip(bodies, batch.reasons, strict=True):
            if n:
                body["reasons"] = self.reasons(body, n)
        if self.private:
            for body in bodies:
                event = body["event"].items()
                body["event"] = {n: value for n, value in event if n not in self.private}
        return bodies

    def _explore(self, bodies):
        """Let a share of the champion's alerts pass at random."""
        share = self.capacity.explore
        for body in bodies if share else ():
            if body["actions"][self.champion] == ALERT:
                explored = random.random() < share  # written down: a replay does not draw again
                body["propensity"] = share if explored else 1 - share
                body["actions"][self.champion] = PASS if explored else ALERT

    def _score(self, batch):
        """Features, and for each model (probability, action), of each event."""
        # trained models first: they may refuse an event, and the scales must not move then
        models = {name: contender.model for name, contender in self.contenders.items()}
        events, prices = batch.events, batch.prices
        scores = {
            name: batch.ahead[name] if name in batch.ahead else model.score(events, None, prices)
            for name, model in models.items()
            if not model.learns
        }
        features = [None] * len(events)
        if len(scores) < len(models):
            features = self._features(events)
        for name, model in models.items():
            if model.learns:
                scores[name] = model.score(events, features, prices)
        return features, {name: scores[name] for name in models}

    def reasons(self, body, k):
        """(field, money) of the k fields that speak most for a decision; None without any."""
        model, acts = self.contenders[body["model"]].model, body["actions"][body["model"]] != PASS
        if body["event"] is None:
            return None
        features = self._unpacked(body)
        found = model.explain(body["event"], features, Prices(*body["prices"]))
        return found and strongest(found, acts, k)

    def follow(self, entry, decision=None):
        """Take one entry in that was decided by this state.

        Parameters
        ----------
        entry : Entry
            The next one of the journal.
        decision : dict, default=None
            For a label: the body of its decision.
        """
        if entry.kind == "decision":
            return self.follow_decisions([entry])
        self.seq = entry.seq
        if entry.kind == "label":
            self._follow_label(entry, decision)
        elif entry.kind == "promote":
            self.champion = entry.id
            self.version = entry.seq
            self._watch()
            for contender in self.contenders.values():
                contender.lead = Difference()

    def follow_decisions(self, entries):
        """Take in decisions of one moment, made by this state, as :meth:`follow` takes in one."""
        self.seq = entries[-1].seq
        for at, n in Counter([entry.body["at"] for entry in entries]).items():
            self.hours.decided(at, n)
        for contender in self.contenders.values():
            contender.totals.events += len(entries)
        for entry in entries:
            body = entry.body
            self.ranges.add(body.get("outside", ()))
            if body["actions"][body["model"]] == REVIEW:
                self.reviews[entry.id] = body["gain"]
                if len(self.reviews) > MAX_OPEN:
                    del self.reviews[next(iter(self.reviews))]

    def add(self, name, content):
        """Add a challenger from its model file."""
        self.contenders[name] = Contender(model_of_bytes(content), Policy(self.capacity))

    def replay(self, entries, model):
        """Take in entries of the journal, as a service did when it wrote them.

        Parameters
        ----------
        entries : iterable of (Entry, dict or None)
            With the body of the decision that a label is about.
        model : callable
            Name -> content of the model file that was added under it.
        """
        for entry, decision in entries:
            if entry.seq != self.seq + 1:
                raise InputError(f"Entry {self.seq + 1} of the journal is missing.")
            if entry.kind == "decision":
                body = entry.body
                if self._learners() and body["event"] is None:
                    raise InputError(
                        f"The event of entry {entry.seq} was erased; states up to its erasure "
                        "cannot be rebuilt, later ones can."
                    )
                if self._learners():
                    self._features([body["event"]])
                for name, score in body["scores"].items():
                    decide = self.contenders[name].policy.decide
                    decide(*score, Prices(*body["prices"]), entry.at)
            elif entry.kind == "label" and decision is None and entry.body["status"] != "early":
                raise InputError(
                    f"The decision that entry {entry.seq} labels was removed; this state cannot be "
                    "rebuilt, the newest one can."
                )
            elif entry.kind == "add":
                self.add(entry.id, model(entry.id))
            self.follow(entry, decision)

    def digest(self):
        """A text that two states share only if they are equal in every bit."""
        learned = [model.learner.__getstate__() for model in self._learners()]
        return joblib.hash([json.dumps(self._facts()), learned])

    def parts(self):
        """Everything as named bytes, for a checkpoint."""
        models = {f"model {name}": c.model.to_bytes() for name, c in self.contenders.items()}
        return {_STATE: json.dumps(self._facts()).encode(), **models}

    @classmethod
    def of_parts(cls, parts):
        """From what :meth:`parts` returned."""
        facts = json.loads(parts[_STATE])
        names = [name for name, *_ in facts["contenders"]]
        models = {name: model_of_bytes(parts[f"model {name}"]) for name in names}
        private = facts.get("private", ())  # none in checkpoints of earlier versions
        state = cls(models, Capacity(**facts["capacity"]), facts["drop"], private)
        state.seq, state.version = facts["seq"], facts["version"]
        state.champion = facts["champion"]
        state.encoder = RowEncoder(state=facts["encoder"])
        state.reviews = dict(facts["reviews"])
        state.hours, state.pauses = Hours(facts["hours"]), Pauses(*facts["pauses"])
        state._watch()
        state.drift.set_state(facts["drift"])
        if "paid" in facts:  # checkpoints of earlier versions have none
            state.paid.set_state(facts["paid"])
            state.ranges.set_state(facts["ranges"])
        for name, policy, totals, lead in facts["contenders"]:
            contender = state.contenders[name]
            contender.policy = Policy.of_state(state.capacity, policy)
            contender.totals, contender.lead = Totals(**totals), Difference.of_state(lead)
        return state

    def _facts(self):
        return dict(
            seq=self.seq,
            version=self.version,
            champion=self.champion,
            capacity=asdict(self.capacity),
            drop=sorted(self.drop),
            private=sorted(self.private),
            encoder=self.encoder.get_state(),
            reviews=list(self.reviews.items()),
            hours=self.hours.rows(),
            pauses=[self.pauses.last, self.pauses.longest],
            drift=self.drift.get_state(),
            paid=self.paid.get_state(),
            ranges=self.ranges.get_state(),
            contenders=[
                [name, c.policy.get_state(), asdict(c.totals), c.lead.get_state()]
                for name, c in self.contenders.items()
            ],
        )

    def _learners(self):
        return [c.model for c in self.contenders.values() if c.model.learns]

    def _features(self, events):
        return self.encoder.encode_many(events, skip=self.drop)

    def _unpacked(self, body):
        features = body["features"]
        return features and unpacked(features, body["event"], self.drop)

    def _follow_label(self, entry, decision):
        label, status = entry.body["label"], entry.body["status"]
        self.pauses.label(entry.at)
        if status == "early":
            return
        self.reviews.pop(entry.id, None)
        prices = Prices(*decision["prices"])
        if status == "corrected":
            self._book(decision, prices, 1 - label, sign=-1)
            self._book(decision, prices, label)
            return
        paid = self._book(decision, prices, label)
        for name, cost in paid.items():
            if name != self.champion and self.champion in paid:
                self.contenders[name].lead.add(paid[self.champion] - cost)
        self._test_promise(decision, prices, label, paid)
        if decision["features"] is not None:
            features = self._unpacked(decision)
            for model in self._learners():
                model.learn(features, label, prices)
            self.version = entry.seq

    def _test_promise(self, decision, prices, label, paid):
        """Hold what the champion paid against what it promised; a review promises nothing."""
        action = decision["actions"].get(self.champion)
        probability = decision["scores"].get(self.champion, (None,))[0]
        if decision["model"] != self.champion:
            return
        self.paid.add(paid[self.champion])
        if probability is not None and action != REVIEW:
            event = PendingEvent({}, prices, probability, int(action == ALERT))
            self.drift.add(event, label, paid[self.champion])

    def _book(self, decision, prices, label, sign=1):
        """Book an event for every model that decided about it; what each one paid."""
        paid = {}
        for name, action in decision["actions"].items():
            paid[name] = paid_for(prices, label, action, self.capacity)
            self.contenders[name].totals.book(prices, label, paid[name], sign)
        constant = {NEVER: prices.paid(label, 0), ALWAYS: prices.paid(label, 1)}
        self.hours.booked(decision["at"], paid | constant, sign)
        return paid
