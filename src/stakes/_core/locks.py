"""One lock for each learner that learns: compiled loops do not look whether an array has room."""

import contextlib
import os
import threading
import weakref

_locks = weakref.WeakKeyDictionary()
_door = threading.Lock()


def lock_of(model):
    """The lock of a model, which the thread that holds it may take again.

    Learning first makes room and then fills it. A second thread that learns in between would fill
    the same room, and write behind the end of an array.

    Examples
    --------
    >>> class Learner:
    ...     pass
    >>> learner = Learner()
    >>> with lock_of(learner), lock_of(learner):
    ...     lock_of(learner) is lock_of(Learner())
    False
    """
    lock = _locks.get(model)
    if lock is None:
        with _door:
            lock = _locks.setdefault(model, threading.RLock())
    return lock


@contextlib.contextmanager
def unchanged_if_it_fails(model):
    """Restore a model's state if learning raises; one thread at a time.

    A mix of old and new state is unsafe: a compiled loop would read as many features as the new
    state says from the arrays of the old one.
    """
    with lock_of(model):
        before = vars(model).copy()
        try:
            yield
        except BaseException:
            vars(model).clear()
            vars(model).update(before)
            raise


def _forget():
    """A forked process has none of the threads that hold locks."""
    global _door
    _door = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
