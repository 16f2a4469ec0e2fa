"""A small service for tests, and events for it."""

import random
import threading
from contextlib import contextmanager

import uvicorn

from stakes.online import ProbitClassifier
from stakes.serve import App, Capacity, LearningModel, Service, State, open_store
from stakes.serve._clock import Clock
from stakes.serve._requests import Decide, Label
from stakes.serve._run import _listen

SETTINGS = dict(fp_cost=5.0, fn_cost="amount", tp_cost=0.0, tn_cost=0.0, target="fraud")


def new_service(url, capacity=None, clock=None, every=10_000, **learners):
    learners = learners or {"probit": ProbitClassifier()}
    models = {name: LearningModel(learner, 0.1) for name, learner in learners.items()}
    state = State(models, capacity or Capacity(), ["fraud"])
    settings = dict(SETTINGS, positive=None)
    clock = clock and Clock(clock, lambda: 0.0)
    return Service(open_store(url), state, settings, checkpoint_every=every, clock=clock)


def stopped_clock():
    return Clock(lambda: 0.0, lambda: 0.0)


def make_events(n, seed=0):
    """(id, event, label): fraud is more likely for large amounts in one country."""
    rng = random.Random(seed)
    found = []
    for i in range(n):
        amount, country = round(rng.lognormvariate(3, 1), 2), rng.choice(["FR", "DE", "BR"])
        risk = 0.05 + 0.5 * (country == "BR" and amount > 25)
        event = {"amount": amount, "country": country, "hour": rng.randrange(24)}
        found.append((f"e{i}", event, int(rng.random() < risk)))
    return found


def decide(id, event):
    return Decide(event, id)


def label(id, y):
    return Label(id, y)


@contextmanager
def listening(service, tokens=None):
    """The address of a service in a thread of this process."""
    config = uvicorn.Config(App(service, tokens).asgi(), log_level="error", lifespan="on")
    server, listener = uvicorn.Server(config), _listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
