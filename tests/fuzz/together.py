"""Estimators in several threads and in another process: the same answers as alone."""

import pickle
import subprocess
import sys
import threading
import warnings
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from checks import accepted

METHODS = ("predict_proba", "decision_function", "predict", "transform")
KINDS = ("threads predicting", "threads learning", "one object in threads", "another process")
KINDS += ("threads predicting, sparse rows", "events by name in threads")


def learn(model):
    """The method that learns from a table."""
    return model.fit_resample if hasattr(model, "fit_resample") else model.fit


def resampled(model, X, y, given):
    """The sample of a sampler, in the form of :func:`answers`."""
    X, y = clone(model).fit_resample(X, y, **given)
    return {"X": X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float), "y": y}


def case(model, kind, X, y, costs):
    """One estimator, used together with others."""
    given = accepted(learn(model), **costs)
    if kind == "events by name in threads":
        return _events_by_name(model, X, y)
    if hasattr(model, "fit_resample"):
        found = in_threads(lambda i: resampled(model, X, y, given))
        found.append(in_another_process(model, X, y, given))
        equal = all(same(one, resampled(model, X, y, given)) for one in found)
        return "harmless" if equal else f"other samples with {kind}"
    if kind == "threads predicting, sparse rows":  # wide ones, which stay sparse
        X = sparse.csr_array(np.hstack([np.abs(X), np.zeros((len(X), 300))]))
        if not get_tags(model).input_tags.sparse:
            return "harmless"
    alone = clone(model).fit(X, y, **given)
    expected = answers(alone, X)
    if kind.startswith("threads predicting"):
        found = in_threads(lambda i: [answers(alone, X) for _ in range(3)][-1])
    elif kind == "threads learning":
        found = in_threads(lambda i: answers(clone(model).fit(X, y, **given), X))
    elif kind == "one object in threads":
        return _one_object(model, alone, X, y, given, expected)
    else:
        found = [in_another_process(alone, X), in_another_process(clone(model), X, y, given)]
    for one in found:
        if isinstance(one, Exception):
            return f"{type(one).__name__}: {one}"
        if not same(one, expected):
            return f"other answers with {kind}"
    return "harmless"


def _one_object(model, alone, X, y, given, expected):
    """Learning in several threads without a lock may mix up the model, but nothing else."""
    shared = clone(alone)
    go_on = getattr(shared, "partial_fit", shared.fit)
    extra = {"classes": np.unique(y)} if hasattr(shared, "partial_fit") else {}
    extra = accepted(go_on, **extra)
    in_threads(lambda i: [go_on(X, y, **given, **extra) for _ in range(3)])
    again = answers(clone(model).fit(X, y, **given), X)
    return "harmless" if same(again, expected) else "later models differ"


def _events_by_name(model, X, y):
    """The same for events whose features have names, with new ones in each thread."""
    if not hasattr(model, "learn_one"):
        return "harmless"

    def job(i):
        for t, row in enumerate(X):
            event = {f"{i} {t} {j}": float(value) for j, value in enumerate(row)} | {"all": 1.0}
            model.learn_one(event, int(y[t]))
            model.predict_proba_one(event)

    model.learn_one({"all": 1.0}, 0)
    model.learn_one({"all": 1.0}, 1)
    in_threads(job)
    found = list(model.predict_proba_one({"all": 1.0}).values())
    return "harmless" if np.isfinite(found).all() else "probabilities are not finite"


def answers(model, X):
    """What a fitted model says, method by method."""
    found = {}
    for method in METHODS:
        if hasattr(model, method):
            value = getattr(model, method)(X)
            found[method] = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
    return found


def same(one, other):
    """Whether two models say exactly the same."""
    if isinstance(one, Exception) or isinstance(other, Exception):
        return False
    return one.keys() == other.keys() and all(np.array_equal(one[n], other[n]) for n in one)


def in_threads(job, n=4):
    """Results of the job in several threads that start together; exceptions are results."""
    found, start = [None] * n, threading.Barrier(n)

    def run(i):
        start.wait()
        try:
            found[i] = job(i)
        except Exception as error:
            found[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@cache
def _other():
    command = [sys.executable, "-m", "fuzz.together"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def in_another_process(model, X, y=None, given=None):
    """The answers of a model that was pickled, and fitted there if labels are given."""
    other = _other()
    pickle.dump((model, X, y, given), other.stdin)
    other.stdin.flush()
    return pickle.load(other.stdout)


def serve():
    """Answer for models that come as pickles, until there are no more."""
    warnings.simplefilter("ignore")
    while True:
        try:
            model, X, y, given = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            if hasattr(model, "fit_resample"):
                found = resampled(model, X, y, given)
            else:
                found = answers(model if y is None else model.fit(X, y, **given), X)
        except Exception as error:
            found = RuntimeError(f"{type(error).__name__}: {error}")
        pickle.dump(found, sys.stdout.buffer)
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
