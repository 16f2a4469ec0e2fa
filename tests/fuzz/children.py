"""Run many small cases in child processes, so that a crash is a result like any other."""

import json
import os
import resource
import signal
import sys
import time
import traceback

LIMIT = 20  # seconds of CPU for one case; fifteen times as many on the clock
MEMORY = 12 * 2**30  # address space of a child
GOOD = ("refused", "harmless")
# a ValueError with such words was not meant for a user
ACCIDENTS = ("empty sequence", "broadcast", "out of bounds", "unpack", "ambiguous", "math domain")
ACCIDENTS += ("zero-size", "dimension mismatch", "infs or NaNs", "cannot reshape", "convert float")
ACCIDENTS += ("np.int64(", "np.float64(", "np.str_(", "np.True_", "np.False_", " array(")


def run_cases(case, seeds, until=None):
    """Results of `case(seed)` for each seed: (seed, result), crashes and hangs included.

    Parameters
    ----------
    case : callable
        Returns a word for a good end ("refused", "harmless") or a dict of such words -> count, if
        it tries several things; any other text that it returns, or what it raises, is a finding.
    seeds : sequence of int
        Cases. One child runs them all, until one of them ends it.
    until : float, default=None
        Time (as `time.monotonic`) to stop at.
    """
    at = 0
    while at < len(seeds):
        if until is not None and time.monotonic() > until:
            return
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            _child(case, seeds[at:], write, until)
        os.close(write)
        done, status = 0, None
        try:
            with os.fdopen(read, "rb") as stream:
                for line in stream:
                    yield seeds[at + done], json.loads(line)
                    done += 1
            _, status = os.waitpid(pid, 0)
        finally:
            if status is None:  # whoever asked wants no more results
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        at += done
        if os.WIFSIGNALED(status) and at < len(seeds):
            number = os.WTERMSIG(status)
            late = number in (signal.SIGALRM, signal.SIGPROF)
            name = "hang" if late else signal.Signals(number).name
            yield seeds[at], name
            at += 1
        elif os.WEXITSTATUS(status) == 3:
            return
        elif at < len(seeds):  # a library that ends the process
            yield seeds[at], f"exit with {os.WEXITSTATUS(status)}"
            at += 1


def in_child(job):
    """Run a job in a child without limits: it fills caches, and starts no threads here."""
    pid = os.fork()
    if pid == 0:
        try:
            job()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def _child(case, seeds, write, until):
    """Answer all seeds, a line of JSON for each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    for seed in seeds:
        if until is not None and time.monotonic() > until:
            os._exit(3)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        signal.alarm(15 * LIMIT)
        try:
            result = case(seed)
        except BaseException as error:
            result = unexpected(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        os.write(write, json.dumps(result).encode() + b"\n")
    os._exit(0)


def unexpected(error):
    """An exception that should not have come this far, and where it is from."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    name = os.path.relpath(where.filename, os.path.dirname(os.path.dirname(sys.executable)))
    return f"{type(error).__name__}: {str(error)[:300]} ({name}:{where.lineno})"
