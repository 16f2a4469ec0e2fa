"""Two verbs over the parts of a table: map each part to a result, fold all into one state."""

import contextlib
import itertools
import os
from dataclasses import replace

import joblib
from threadpoolctl import threadpool_limits

from stakes._core.parallel import as_finished
from stakes.errors import InputError
from stakes.scale._folder import Folder


def map_parts(function, source, *, n_jobs=1):
    r"""Call a function on every part of a table.

    Parameters
    ----------
    function : callable
        Called as `function(part)` with a :class:`Part`, in a worker process: it must be
        picklable, and so must be what it returns.
    source : str, Path, Folder, list of Part or SparkTable
        A folder or glob of files, some of its parts, or a Spark data frame, whose partitions are
        its parts.
    n_jobs : int, default=1
        Number of parts in work at the same time; -1: one per core. joblib's `parallel_config`
        selects another backend, whose workers must see the same files.

    Yields
    ------
    (Part, object)
        Each part and its result, as parts finish. If a part fails, its file is named and the rest
        is not started.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> for name, text in {"a.csv": "x\n1\n2\n", "b.csv": "x\n3\n"}.items():
    ...     _ = Path(folder.name, name).write_text(text)
    >>> def count(part):
    ...     return sum(batch.height for batch in part.batches())
    >>> sorted((part.name, rows) for part, rows in map_parts(count, folder.name))
    [('a.csv', 2), ('b.csv', 1)]
    >>> folder.cleanup()
    """
    if hasattr(source, "map"):
        yield from source.map(function)
        return
    parts = parts_of(source)
    here = os.getcwd()
    tasks = (joblib.delayed(_call)(function, part, k, here) for k, part in enumerate(parts))
    for k, result in as_finished(tasks, n_jobs):
        yield parts[k], result


def fold_parts(source, *, start, add, merge, numbered=False, n_jobs=1):
    r"""Fold all rows of a table into one state, in one pass and in little memory.

    A state is made for every part, takes up the part's batches one after the other, and is merged
    with the states of the parts before it. States are merged in the order of the parts, so the
    result does not depend on `n_jobs`.

    Parameters
    ----------
    source : str, Path, Folder, list of Part or SparkTable
        A folder or glob of files, some of its parts, or a Spark data frame, whose partitions are
        its parts. On Spark, states are merged in a tree, on the workers.
    start : callable
        `start()` makes the state of no rows.
    add : callable
        `add(state, batch)` returns the state with a polars frame of rows added.
    merge : callable
        `merge(state, other)` returns the state of both.
    numbered : bool, default=False
        Whether to call `add(state, batch, first)` with the number of the batch's first row, from 0.
        In a folder, rows are numbered through all files, which are counted first; on Spark, the
        numbers of a partition start at its own number times 2 to the power of 40.
    n_jobs : int, default=1
        As in :func:`map_parts`; not used on Spark.

    Returns
    -------
    object
        The state of all rows.

    Examples
    --------
    >>> import tempfile
    >>> from operator import add
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> for name, text in {"a.csv": "x\n1\n2\n", "b.csv": "x\n3\n"}.items():
    ...     _ = Path(folder.name, name).write_text(text)
    >>> def add_sum(state, batch):
    ...     return state + batch["x"].cast(int).sum()
    >>> fold_parts(folder.name, start=int, add=add_sum, merge=add)
    6
    >>> folder.cleanup()
    """
    fold = Fold(start, add, numbered)
    if hasattr(source, "fold"):
        return source.fold(fold, merge)
    parts = parts_of(source)
    if numbered:
        parts = number_rows(parts, n_jobs)
    place = {part.name: k for k, part in enumerate(parts)}
    state, waiting, following = start(), {}, 0
    for part, result in map_parts(fold, parts, n_jobs=n_jobs):
        waiting[place[part.name]] = result
        while following in waiting:
            state = merge(state, waiting.pop(following))
            following += 1
    return state


class Fold:
    """The state of one part."""

    def __init__(self, start, add, numbered=False):
        self.start, self.add, self.numbered = start, add, numbered

    def __call__(self, part):
        state, first = self.start(), part.first
        for batch in part.batches():
            state = self.add(state, batch, *([first] if self.numbered else []))
            first += batch.height
        return state


def number_rows(parts, n_jobs=1):
    """The parts, each with the number of its first row in the whole table."""
    rows = {part.name: n for part, n in map_parts(_count, parts, n_jobs=n_jobs)}
    firsts = itertools.accumulate((rows[part.name] for part in parts), initial=0)
    return [replace(part, first=first) for part, first in zip(parts, firsts, strict=False)]


def parts_of(source):
    """The parts of a folder, of a path to one, or of a list of them."""
    if isinstance(source, list):
        return source
    return (source if isinstance(source, Folder) else Folder(source)).parts


def _count(part):
    return part.count_rows()


def _call(function, part, k, folder):
    if os.getcwd() != folder:  # a worker that was started elsewhere is used again
        with contextlib.suppress(OSError):  # on another machine there may be no such folder
            os.chdir(folder)
    try:
        # sums of matrix products depend on the number of threads, results must not on n_jobs
        with threadpool_limits(1, user_api="blas"):
            return k, function(part)
    except InputError as error:
        if str(part.path) in str(error):
            raise
        raise error.with_context(f"In {str(part.path)!r}: ") from None
    except Exception as error:
        error.add_note(f"This happened in {str(part.path)!r}.")
        raise
