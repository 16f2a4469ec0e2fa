"""Decide, write down, answer; learn labels in the order of the journal."""

from contextlib import contextmanager, suppress

from stakes.costs import COST_NAMES
from stakes.errors import InputError, near_matches
from stakes.serve._alarms import alarms
from stakes.serve._clock import Clock
from stakes.serve._group import Group
from stakes.serve._models import model_of_bytes
from stakes.serve._report import decided, totals_of
from stakes.serve._requests import Hour, Page, Reason, Review
from stakes.serve._state import State
from stakes.serve._store import Entry
from stakes.stream import PriceList
from stakes.tables import LabelReader

EXPLAINED = 5  # events whose reasons are computed in one call: each takes milliseconds


class NotWrittenError(Exception):
    """A request could not be written down: nothing of it happened, and it may be sent again."""


class Service:
    """Decides about events and learns their labels; everything is on disk before it is answered.

    Not thread-safe: one thread calls it, with as many requests at a time as have arrived, which
    are then written in one transaction.

    Parameters
    ----------
    store : Store
        Where the journal is; locked by this service.
    state : State, default=None
        The first state of a new store; None: the store is resumed.
    settings : dict, default=None
        fp_cost, fn_cost, tp_cost, tn_cost, target, positive of a new store. Costs that are given
        for a store that is resumed hold from now on.
    checkpoint_every : int, default=10000
        Entries between checkpoints.
    keep : float, default=None
        Seconds after which entries are forgotten, see :meth:`prune`; None: never.
    clock : Clock, default=None
        Time of the entries; None: that of the machine.
    """

    def __init__(
        self, store, state=None, settings=None, *, checkpoint_every=10_000, keep=None, clock=None
    ):
        store.lock()
        self._store = store
        self._clock = Clock() if clock is None else clock
        self._every = checkpoint_every
        self._keep = keep
        with store.turn():
            if store.setting("service") is None:
                if state is None:
                    raise InputError("The store is empty; name a model or a learner to start with.")
                store.save_checkpoint(0, state.parts())
                store.save_setting("service", settings)
            elif settings:
                store.save_setting("service", store.setting("service") | settings)
        self.settings = store.setting("service")
        costs = {name: self.settings[name] for name in COST_NAMES}
        self._prices = PriceList(costs, self.settings["target"])
        self._reasons = {}  # of the events that wait for a review
        self._is_lost = False  # whether the state must be read again before the next request
        self._resume()

    def handle(self, requests):
        """Answers to a group of requests, each of them an answer or an error to raise.

        Parameters
        ----------
        requests : list of Decide or Label

        Returns
        -------
        list of Decided, Labeled, InputError or NotWrittenError
        """
        try:
            group = Group(self, requests)
            with self._turn():
                answers = group.answers()
                if group.entries:
                    self._store.append(group.entries)
        except Exception as error:
            if len(requests) > 1 and not self._is_lost:  # one of them may be to blame
                return [answer for request in requests for answer in self.handle([request])]
            is_input = isinstance(error, ValueError | OverflowError)  # numbers it cannot take
            failed = InputError(str(error)) if is_input else NotWrittenError(str(error))
            return [failed] * len(requests)
        if self.state.seq - self._checkpointed >= self._every:
            self.checkpoint()
        return answers

    @property
    def store_errors(self):
        """Exceptions that mean that the store cannot be used now."""
        return (OSError, *self._store.errors)

    def check(self):
        """Raise an error if the store cannot be used."""
        self._store.recover()
        self._store.last()

    def catch_up(self):
        """Take in what other processes have written since."""
        if not self._store.is_shared:
            return
        if self._is_lost or self._store.last()[0] > self.state.seq:
            with self._turn():
                pass

    def decision(self, id):
        """The decision about an event; None if there is none."""
        found = self._store.decisions([id]).get(id)
        return found and decided(id, found, self.state.capacity)

    def reviews(self, limit=100):
        """Events that wait for a review, the most expensive first, with the reasons to act."""
        waiting = sorted(self.state.reviews, key=lambda id: -self.state.reviews[id])
        found = {}
        for i in range(0, len(waiting), limit):
            some = waiting[i : i + limit]
            stored = self._store.decisions(some)
            found |= {id: stored[id] for id in some if id in stored}  # others were forgotten
            if len(found) >= limit:
                break
        found = dict(list(found.items())[:limit])
        self._explain(found)
        capacity = self.state.capacity
        return [
            Review(decided(id, body, capacity), body["event"], self._reasons.get(id))
            for id, body in found.items()
        ]

    def _explain(self, waiting):
        """Find reasons of a few events more: the rest is left to the next call."""
        self._reasons = {id: known for id, known in self._reasons.items() if id in waiting}
        if self.state.private:  # what is stored is not what the model saw
            return
        missing = [id for id in waiting if id not in self._reasons]
        for id in missing[:EXPLAINED]:
            found = self.state.reasons(waiting[id], 3)
            self._reasons[id] = found and [Reason(*one) for one in found]

    def report(self):
        """Money so far, by model."""
        return totals_of(self.state)

    def page(self, with_reviews):
        """Everything that the page shows; reviews only for those who may see events."""
        return Page(
            self.report(),
            [Hour(*row) for row in self.state.hours.rows()],
            alarms(self.state, self._clock.peek()),
            self.state.pauses.last,
            self.reviews() if with_reviews else None,
        )

    def add(self, name, content):
        """Add a challenger: it sees every event from now on, and decides about none.

        Parameters
        ----------
        name : str
            A new name.
        content : bytes
            A model file of `stakes train`.
        """
        model_of_bytes(content)
        self.catch_up()
        if name in self.state.contenders:
            raise InputError(f"There is a model {name!r} already; use another name.")
        with self._turn():
            self.state.add(name, content)
            self._record("add", name, {}, [(name, content)])

    def promote(self, name):
        """Let a challenger decide from now on; the champion becomes a challenger."""
        self.catch_up()
        if name not in self.state.contenders:
            raise InputError(f"There is no model {name!r}: " + self._near(name))
        with self._turn():
            self._record("promote", name, {"before": self.state.champion})

    def erase(self, id):
        """Remove the fields and features of an event; what was learned from it stays.

        The state is saved first, so that no later state is rebuilt through the event.
        """
        if self.decision(id) is None:
            raise InputError(f"There is no decision about {id!r}; check the id.")
        with self._turn():
            entry = self._entry("erase", id, {})
            self.state.follow(entry)
            self._store.erase(id, entry)
            self._save()
        self._checkpointed = self.state.seq

    def prune(self, before):
        """Forget entries that are older than a time; the number of them.

        The state is saved first and stays as it is. Ids of forgotten events are new again, and
        their labels are no longer learned.
        """
        with self._turn():
            self._save()
            return self._store.prune(before, self.state.seq)

    def checkpoint(self):
        """Save the state, so that the next start has little to replay; forget what is too old."""
        with self._turn():
            self._save()
            if self._keep is not None:
                # a part at a time, for requests wait
                before = self._clock.peek() - self._keep
                self._store.prune(before, self.state.seq, most=2 * self._every)
        self._checkpointed = self.state.seq

    def close(self):
        """Save the state and give up the store."""
        try:
            self.checkpoint()
        finally:
            self._store.close()

    def now(self):
        """The time of the next entry."""
        return self._clock.tick()

    def _record(self, kind, id, body, models=()):
        entry = self._entry(kind, id, body)
        self._store.append([entry], models)
        self.state.follow(entry)

    def _entry(self, kind, id, body):
        return Entry(self.state.seq + 1, self.now(), kind, id, body)

    def _near(self, name):
        return near_matches(name, self.state.contenders)

    @contextmanager
    def _turn(self):
        """A transaction on top of everything that is written; if it fails, nothing happened."""
        try:
            self._store.recover()
            with self._store.turn():
                if self._is_lost:
                    self._resume()
                elif self._store.is_shared:
                    self._follow_others()
                yield
        except Exception:
            self._is_lost = True  # the state may be ahead of the journal: back to what is on disk
            with suppress(Exception):  # no disk, no network: tried again with the next request
                self._store.recover()
                self._resume()
            raise

    def _follow_others(self):
        last, at = self._store.last()
        if last == self.state.seq:
            return
        try:
            self.state.replay(self._store.entries(after=self.state.seq), self._store.model)
            self._clock.set(at)
        except InputError:  # entries were erased or pruned: begin at a newer checkpoint
            self._resume()

    def _resume(self):
        self._clock.set(self._store.last()[1])
        self.state = rebuild(self._store)
        self._checkpointed = self._store.checkpoint()[0]
        self.labels = LabelReader(self.settings["target"] or "label", self.settings["positive"])
        self._is_lost = False

    def _save(self):
        newest = self._store.checkpoint_seq()  # another process may have saved this state
        if self.state.seq > newest:
            self._store.save_checkpoint(self.state.seq, self.state.parts())


def rebuild(store, until=None):
    """The state of a service after any entry of its journal.

    Parameters
    ----------
    store : Store
        The journal and its checkpoints.
    until : int, default=None
        The last entry; None: all.
    """
    found = store.checkpoint(until)
    if found is None:
        raise InputError(f"The journal before entry {until:,} was removed; name a later entry.")
    seq, parts = found
    state = State.of_parts(parts)
    state.replay(store.entries(after=seq, until=until), store.model)
    return state
