"""Run many small cases in child processes, so that a crash is a result like any other."""

import os
import signal
import struct
import sys
import time
import traceback

LIMIT = 20  # seconds for one case


def run_cases(case, seeds, until=None):
    """Results of `case(seed)` for each seed: (seed, words) for all, crashes and hangs included.

    Parameters
    ----------
    case : callable
        Returns a word for a good end ("refused", "harmless"), anything else that it returns or
        raises is a finding.
    seeds : iterable of int
        Cases.
    until : float, default=None
        Time (as `time.monotonic`) to stop at.
    """
    seeds = seeds if isinstance(seeds, range) else list(seeds)
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
        done = yield from _results(read, seeds, at)
        _, status = os.waitpid(pid, 0)
        at += done
        if os.WIFSIGNALED(status) and at < len(seeds):
            number = os.WTERMSIG(status)
            name = "hang" if number == signal.SIGALRM else signal.Signals(number).name
            yield seeds[at], name
            at += 1
        elif done == 0 or os.WEXITSTATUS(status) == 3:
            return


def _child(case, seeds, write, until):
    """Answer all seeds; every answer is its length and its text."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    for seed in seeds:
        if until is not None and time.monotonic() > until:
            os._exit(3)
        signal.alarm(LIMIT)
        try:
            words = case(seed)
        except MemoryError:
            words = "harmless"
        except BaseException as error:
            where = traceback.extract_tb(sys.exc_info()[2])[-1]
            words = f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"
        signal.alarm(0)
        data = words.encode("utf-8", "replace")[:2000]
        os.write(write, struct.pack(">i", len(data)) + data)
    os._exit(0)


def _results(read, seeds, at):
    done = 0
    with os.fdopen(read, "rb") as stream:
        while len(head := stream.read(4)) == 4:
            words = stream.read(struct.unpack(">i", head)[0]).decode("utf-8", "replace")
            yield seeds[at + done], words
            done += 1
    return done
