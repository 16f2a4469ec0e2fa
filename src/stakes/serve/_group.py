"""A group of requests: decided together, written in one transaction."""

import os
from itertools import count

from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.serve._batch import Batch
from stakes.serve._policy import paid_for
from stakes.serve._report import decided
from stakes.serve._requests import Decide, Labeled
from stakes.serve._store import Entry
from stakes.stream import Prices
from stakes.tables import Events


class Group:
    """Requests that are decided together and written in one transaction."""

    def __init__(self, service, requests):
        """What can be done before the turn of this process."""
        self._service = service
        self._requests = requests
        self.entries = []
        decides = [request for request in requests if isinstance(request, Decide)]
        events = Events([request.event for request in decides])
        prices = service._prices.of_many(events)
        for i, request in enumerate(decides):
            if request.costs is not None:
                prices[i] = self._prices_of(request)
        ids = [os.urandom(8).hex() if r.id is None else str(r.id) for r in decides]
        reasons, times = [r.reasons for r in decides], [r.time for r in decides]
        asked = Batch(ids, events, prices, reasons, times, {})
        good = [i for i, price in enumerate(prices) if not isinstance(price, InputError)]
        self._asked = asked.take(good)
        self._asked.ahead = service.state.score_ahead(self._asked.events, self._asked.prices)
        # id and row of each request in its order, or the error of its prices
        rows = dict(zip(good, range(len(good)), strict=True))
        self._rows = iter([(ids[i], rows.get(i, prices[i])) for i in range(len(decides))])

    def answers(self):
        """Handle the requests in their order; neighboring decisions are scored together."""
        self._state, self.at = self._service.state, self._service.now()
        ids = {str(r.id) for r in self._requests if r.id is not None}
        self._decisions = self._service._store.decisions(ids)
        self._labels = self._service._store.labels(ids)
        answers, run = [], []
        for request in self._requests:
            if isinstance(request, Decide):
                run.append(next(self._rows))
                continue
            answers += self._decide(run)
            run = []
            answers.append(self._label(request))
        return answers + self._decide(run)

    def _decide(self, run):
        """Answers to neighboring decisions, each of them (id, row of what is asked or an error)."""
        failed, fresh = {}, {}  # position -> error; id -> (position, row)
        for i, (id, row) in enumerate(run):
            if id in fresh:  # twice: is it still open when its second turn comes?
                failed |= self._score(fresh)
                fresh = {}
            if id in self._decisions:
                continue
            if isinstance(row, InputError):
                failed[i] = row
                continue
            fresh[id] = i, row
            if id in self._labels:  # an early label is learned before the next event is scored
                failed |= self._score(fresh)
                fresh = {}
        failed |= self._score(fresh)
        return [
            failed[i] if i in failed else decided(id, self._decisions[id], self._state.capacity)
            for i, (id, _) in enumerate(run)
        ]

    def _score(self, fresh):
        """Decide about new events; errors by position."""
        if not fresh:
            return {}
        batch = self._asked.take([row for _, row in fresh.values()])
        try:
            bodies = self._state.decide(batch, self.at)
        except InputError as error:
            if len(fresh) == 1:
                return {i: error for i, _ in fresh.values()}
            parts = [self._score({id: one}) for id, one in fresh.items()]  # which one it was
            return {i: error for part in parts for i, error in part.items()}
        numbers = count(self._state.seq + 1)
        entries = [
            Entry(seq, self.at, "decision", id, body)
            for seq, id, body in zip(numbers, fresh, bodies, strict=False)
        ]
        self._state.follow_decisions(entries)
        self.entries += entries
        self._decisions.update(zip(fresh, bodies, strict=True))
        *_, last = fresh
        if (early := self._labels.get(last)) is not None:
            self._write("label", last, {"status": "learned", "label": early["label"]})
        return {}

    def _prices_of(self, request):
        given = {name: getattr(request.costs, name) for name in COST_NAMES}
        given = {name: price for name, price in given.items() if price is not None}
        try:
            return self._service._prices.of(request.event, given)
        except InputError as error:
            return error

    def _label(self, request):
        id = str(request.id)
        try:
            label = request.label
            label = int(label) if label is True or label is False else self._read(label)
        except InputError as error:
            return error
        if label is None:
            return InputError("The label is missing; send 0 or 1, or the words of the data.")
        before, decision = self._labels.get(id), self._decisions.get(id)
        if decision is None:
            status = "early"
        elif before is None:
            status = "learned"
        else:
            status = "repeated" if before["label"] == label else "corrected"
        body = {"status": status, "label": label}
        if status != "repeated" and before != body:
            self._write("label", id, body)
        return Labeled(id, status, label, decision and self._paid(decision, label))

    def _read(self, label):
        return self._service.labels.read_one(label)

    def _paid(self, decision, label):
        action = decision["actions"][decision["model"]]
        return paid_for(Prices(*decision["prices"]), label, action, self._state.capacity)

    def _write(self, kind, id, body):
        entry = Entry(self._state.seq + 1, self.at, kind, id, body)
        if kind == "label":
            self._labels[id] = body
        self._state.follow(entry, self._decisions.get(id))
        self.entries.append(entry)
