"""A group of requests: decided together, written in one transaction."""

import os

from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.serve._policy import paid_for
from stakes.serve._report import decided
from stakes.serve._requests import Decide, Labeled
from stakes.serve._store import Entry
from stakes.stream import Prices


class Group:
    """Requests that are decided together and written in one transaction."""

    def __init__(self, service, requests):
        """What can be done before the turn of this process."""
        self._service = service
        self._requests = requests
        self.entries = []
        decides = [request for request in requests if isinstance(request, Decide)]
        self._prices = {id(request): self._prices_of(request) for request in decides}
        good = [r for r in decides if not isinstance(self._prices[id(r)], InputError)]
        ahead = service.state.score_ahead(
            [request.event for request in good], [self._prices[id(request)] for request in good]
        )
        self._ahead = dict(zip(map(id, good), ahead, strict=True))

    def answers(self):
        """Handle the requests in their order; neighboring decisions are scored together."""
        self._state, self.at = self._service.state, self._service.now()
        ids = {str(r.id) for r in self._requests if r.id is not None}
        self._decisions = self._service._store.decisions(ids)
        self._labels = self._service._store.labels(ids)
        answers, run = [], []
        for request in self._requests:
            if isinstance(request, Decide):
                run.append(request)
                continue
            answers += self._decide(run)
            run = []
            answers.append(self._label(request))
        return answers + self._decide(run)

    def _decide(self, run):
        answers = [None] * len(run)
        fresh = {}  # id -> (event, prices, scores of trained models, number of reasons)
        ids = [os.urandom(8).hex() if r.id is None else str(r.id) for r in run]
        for i, request in enumerate(run):
            if ids[i] in self._decisions or ids[i] in fresh:
                continue
            prices = self._prices[id(request)]
            if isinstance(prices, InputError):
                answers[i] = prices
            else:
                more = (self._ahead[id(request)], request.reasons)
                fresh[ids[i]] = (request.event, prices, *more)
        failed = self._score(fresh)
        for i, name in enumerate(ids):
            if answers[i] is None:
                known = self._decisions.get(name)
                answers[i] = (known and decided(name, known, self._state.capacity)) or failed[name]
        return answers

    def _score(self, fresh):
        """Decide about new events; errors by id."""
        if not fresh:
            return {}
        events, prices, ahead, n_reasons = zip(*fresh.values(), strict=True)
        try:
            found = self._state.score(events, prices, ahead)
        except InputError as error:
            if len(fresh) == 1:
                return {next(iter(fresh)): error}
            parts = [self._score({id: one}) for id, one in fresh.items()]  # which one it was
            return {id: error for part in parts for id, error in part.items()}
        outside = self._state.ranges.outside_many(events)
        for id, event, price, n, (features, scores), out in zip(
            fresh, events, prices, n_reasons, found, outside, strict=True
        ):
            body = self._state.decide(event, price, features, scores, out, self.at, n)
            self._decisions[id] = body
            self._write("decision", id, body)
            if (early := self._labels.get(id)) is not None:
                self._write("label", id, {"status": "learned", "label": early["label"]})
        return {}

    def _prices_of(self, request):
        given = request.costs
        if given is not None:
            given = {name: getattr(given, name) for name in COST_NAMES}
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
