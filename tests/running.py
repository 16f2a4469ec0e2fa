"""Processes that a test stops on the way: on a busy machine they start late."""

import time


def wait_until(happened, process, seconds=300):
    """Return as soon as `happened()`; fail if the process ends before, or nothing happens."""
    end = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, "the process ended before it could be stopped"
        assert time.monotonic() < end, f"nothing happened in {seconds} seconds"
        time.sleep(0.05)
