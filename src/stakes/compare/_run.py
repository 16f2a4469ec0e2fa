"""Run the tasks side by side, keep each as it finishes, stop in time, go on where it stopped."""

import platform
import subprocess
import time
import warnings
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import joblib
import numpy
import scipy
import sklearn

from stakes import __version__
from stakes.compare._contestants import contestants
from stakes.compare._fit_one import fit_one
from stakes.compare._plan import make_plan, make_tasks
from stakes.compare._results import ResultsFile, key_of
from stakes.compare._summary import summarize
from stakes.compare.report import write_report
from stakes.errors import InputError
from stakes.tables import PricedData


@dataclass(eq=False)
class Results:
    """What a comparison found.

    Attributes
    ----------
    file : ResultsFile
        The rows, one per fit, and the arrays beside them.
    datasets : list of PricedData
        What was compared on.
    refused : list of str
        Sentences on learners that were left out, and why.
    unfinished : int
        Fits that the time budget left undone.
    today : array-like of 0 and 1, or None
        Today's decisions, if they were given.
    """

    file: ResultsFile
    datasets: list
    refused: list
    unfinished: int
    today: object = None
    _summary: dict | None = None

    @property
    def rows(self):
        """The rows of the results file as dicts."""
        return self.file.rows

    @property
    def report_path(self):
        """The page to open."""
        return Path(self.file.directory) / "report.html"

    def to_frame(self):
        """The rows as a polars frame."""
        return self.file.to_frame()

    def summary(self):
        """One dict with everything that the report says."""
        if self._summary is None:
            self._summary = summarize(self)
        return self._summary

    def report(self, command=None):
        """Write report.html, report.md and report.json; return the path of the page.

        Parameters
        ----------
        command : str or None, default=None
            What the page says to type to run the comparison again.
        """
        call = f"stakes.compare.compare({self.datasets[0].name!r} data, ...)"
        write_report({**self.summary(), "command": command or call}, self.file.directory)
        return self.report_path


def compare(
    data,
    *,
    learners=None,
    repeats=1,
    folds=5,
    tune=True,
    today=None,
    time_budget=None,
    out="stakes-report",
    n_jobs=1,
    random_state=0,
    fresh=False,
    progress=None,
):
    """Say which learner and decision rule loses least money.

    Every learner sees the same folds; settings are tuned on cost inside the training rows. Rows
    are appended to `out/results.jsonl` as fits finish: the same call goes on where an
    interrupted one stopped, and repeats nothing.

    Parameters
    ----------
    data : PricedData or list of PricedData
        What to compare on.
    learners : str, or sequence of str or Contestant, default=None
        See :func:`stakes.compare.contestants`; trivial policies and baselines are always in.
    repeats, folds : int, default=1, 5
        Repeated stratified cross-validation; more repeats later go on from what `out` holds.
    tune : bool, default=True
        Whether grids are searched on cost, and learners held against the trivial policies, in
        three inner folds; without, all are shown as they come.
    today : array-like of 0 and 1, or None, default=None
        Today's decisions, row by row; by default the cheaper trivial policy stands for them.
    time_budget : float or None, default=None
        Seconds after which no further fit is started.
    out : path, default="stakes-report"
        Directory of the results and the report.
    n_jobs : int, default=1
        Fits side by side, through joblib: its backends (Dask, Ray) work by context manager.
    random_state : int, default=0
        Base of all seeds; results do not depend on `n_jobs`.
    fresh : bool, default=False
        Start over instead of going on from what `out` holds.
    progress : callable or None, default=None
        Called as `progress(done, total, row)` after each fit.

    Returns
    -------
    Results
    """
    datasets = [data] if isinstance(data, PricedData) else list(data)
    _check(datasets, today, repeats, folds)
    field = contestants(learners)
    settings = dict(repeats=repeats, folds=folds, random_state=random_state)
    file = ResultsFile(Path(out), make_plan(datasets, tune=tune, **settings)).open(fresh=fresh)
    tasks, refused = make_tasks(datasets, field, **settings)
    by_name = {c.name: c for c in field}
    by_data = {d.name: d for d in datasets}
    wanted = {task.key for task in tasks}
    done = file.done({c.name: c.settings for c in field})
    todo = [task for task in tasks if task.key not in done]
    deadline = None if time_budget is None else time.monotonic() + time_budget

    def in_time():
        for task in todo:
            if deadline is None or time.monotonic() < deadline or _trivial(by_name, task):
                yield joblib.delayed(fit_one)(
                    task, by_data[task.data], by_name[task.learner], folds=folds, tune=tune
                )

    finished = len(tasks) - len(todo)
    if progress:
        progress(finished, len(tasks), None)
    pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    with warnings.catch_warnings():
        # joblib renews a worker whose memory has grown, and nothing is lost by it
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        try:
            for row, arrays in pool(in_time()):
                file.add(row | environment(), arrays)
                finished += 1
                if progress:
                    progress(finished, len(tasks), row)
        except BrokenExecutor:
            raise MemoryError(
                "a worker was stopped from outside, mostly for want of memory; what is finished "
                f"is kept in {out}, and the same call goes on: with fewer jobs it needs less"
            ) from None
    file.rows = [row for row in file.rows if key_of(row) in wanted]
    return Results(file, datasets, refused, len(tasks) - finished, today)


@lru_cache
def environment():
    """What a row must remember to be believed: versions, machine, commit."""
    try:
        here = Path(__file__).parent
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True
        ).stdout.strip()
    except OSError:
        commit = ""
    return {
        "stakes": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
        "cpu": platform.processor() or platform.machine(),
        "commit": commit,
    }


def _trivial(by_name, task):
    return by_name[task.learner].family == "trivial"


def _check(datasets, today, repeats, folds):
    if not datasets:
        raise InputError("There is no data set to compare on.")
    names = [d.name for d in datasets]
    if len(set(names)) < len(names):
        raise InputError("Two data sets have the same name; give each its own.")
    if repeats < 1 or folds < 2:
        raise InputError("A comparison needs at least 1 repeat and 2 folds.")
    for d in datasets:
        d.as_costs()
        if len(numpy.unique(d.y)) < 2:
            raise InputError(f"{d.name} has one class only; a decision needs two.")
    if today is not None and (len(datasets) > 1 or len(today) != len(datasets[0])):
        raise InputError("today must have one decision (0 or 1) for each row of one data set.")
