"""Results of parallel tasks as they finish, on any joblib backend."""

import itertools
from numbers import Integral

import joblib

from stakes._core.sklearn_private import Interval

# what a parameter n_jobs may be; joblib has no meaning for 0
N_JOBS = [
    None,
    Interval(Integral, 1, None, closed="left"),
    Interval(Integral, None, -1, closed="right"),
]
ROUND = 4  # tasks per worker in a round: few enough to lose little work, enough to share it evenly


def as_finished(tasks, n_jobs=1):
    """Run tasks in parallel and yield each result, in no particular order.

    Tasks are drawn only when a worker is free. Backends that cannot stream results (Ray, Spark)
    get the tasks in rounds, and the results come after each round.

    Parameters
    ----------
    tasks : iterable of joblib.delayed(...)(...)
        The tasks.
    n_jobs : int, default=1
        Number of workers; -1: one per core. joblib's `parallel_config` selects another backend.

    Yields
    ------
    object
        What a task returned.

    Examples
    --------
    >>> sorted(as_finished((joblib.delayed(abs)(x) for x in (-2, 1)), n_jobs=1))
    [1, 2]
    """
    try:
        pool = joblib.Parallel(
            n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs"
        )
    except ValueError as error:
        if "does not support return_as" not in str(error):
            raise
        yield from _in_rounds(iter(tasks), n_jobs)
    else:
        yield from pool(tasks)


def _in_rounds(tasks, n_jobs):
    size = ROUND * joblib.effective_n_jobs(n_jobs)
    while results := _round(itertools.islice(tasks, size), n_jobs):
        yield from results


def _round(tasks, n_jobs):
    return joblib.Parallel(n_jobs=n_jobs, pre_dispatch="n_jobs", batch_size=1)(tasks)
