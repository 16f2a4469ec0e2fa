"""Run the fits in parallel, store each as it finishes, stop in time, resume later."""

import platform
import subprocess
import time
import warnings
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import joblib
import numpy
import scipy.sparse
import sklearn

from stakes import __version__
from stakes._core.parallel import as_finished
from stakes._core.words import shown
from stakes.compare._adversary import with_defences
from stakes.compare._class_contestants import class_contestants
from stakes.compare._contestants import contestants
from stakes.compare._fit import fit_one
from stakes.compare._out_of_fold_classes import out_of_fold
from stakes.compare._plan import make_plan, make_tasks, n_folds, random_tasks
from stakes.compare._results import Results, ResultsFile, key_of
from stakes.compare._wording import Wording
from stakes.errors import InputError
from stakes.tables import ClassData, PricedData, as_frame

QUICK_ROWS = 20_000  # rows up to which the quick learners are not worth a worker


def compare(
    data,
    *,
    learners=None,
    repeats=1,
    folds=5,
    tune=True,
    today=None,
    capacity=None,
    wording=None,
    adversary=None,
    time_budget=None,
    out="stakes-report",
    n_jobs=1,
    random_state=0,
    fresh=False,
    progress=None,
    first_table=None,
    skip=(),
):
    """Find the learner and decision rule that lose the least money.

    All learners see the same folds; settings are tuned on cost inside the training rows. Rows are
    appended to `out/results.jsonl` as fits finish: call again with the same arguments to resume
    an interrupted run.

    Parameters
    ----------
    data : PricedData or list of PricedData
        The data sets to compare on.
    learners : str, or sequence of str or Contestant, default=None
        See :func:`stakes.compare.contestants`; constant policies and baselines always take part.
    repeats, folds : int, default=1, 5
        Repeated stratified cross-validation; a later call with more repeats continues this one.
    tune : bool, default=True
        Whether to search grids on cost, and to replace learners that lose to a constant policy,
        in three inner folds. False: all learners run with default settings.
    today : array-like of 0 and 1, or None, default=None
        Today's decision for each row, as the reference. None: the cheaper constant policy.
    capacity : Capacity or None, default=None
        Limits on alerts and reviews, of all rows or of each day if the rows have times. Learners
        that decide by expected cost use them as well as they can, others lose their alerts with the
        lowest probability. Nothing is fitted again if only the capacity changes.
    wording : Wording or None, default=None
        What the report calls the decisions, and the currency.
    adversary : Moves or list of Moves, default=None
        What an adversary can do, see :class:`stakes.game.Moves`. Learners are then tuned and
        compared by what they cost after the best moves against them (of the adversary that costs
        most), and defended forms of the baselines take part: trained on moves, and without the
        columns that move.
    time_budget : float or None, default=None
        Seconds: no fit is started that would probably end later, judged by the fits before it. If
        no learners are named, a blend that uses the time it has takes part, see
        :func:`stakes.compare.timed_blend`.
    out : path, default="stakes-report"
        Directory for the results and the report.
    n_jobs : int, default=1
        Number of parallel fits. joblib's `parallel_config` selects another backend (Dask, Ray,
        Spark); results are the same, and are stored after each round of fits where a backend
        cannot stream them.
    random_state : int, default=0
        Base of all seeds; results do not depend on `n_jobs`.
    fresh : bool, default=False
        Whether to start over instead of resuming from `out`.
    progress : callable or None, default=None
        Called as `progress(done, total, row)` after each fit.
    first_table : callable or None, default=None
        Called with the rows so far once the quick learners are done, if others follow.
    skip : collection of tuple, default=()
        Fits that are known from elsewhere, as (data set, contestant, repeat, fold): they are not
        run and not in the results.

    Returns
    -------
    Results
    """
    datasets = [data] if isinstance(data, PricedData) else list(data)
    datasets = [d if d.origin is None else _as_table(d) for d in datasets]
    adversaries = _as_list(adversary)
    _check(datasets, today, repeats, folds)
    _check_limits(datasets, capacity, adversaries)
    n_fits = repeats * sum(n_folds(d, folds) for d in datasets)
    field, unable = _field(datasets, learners, adversaries, time_budget, n_fits, n_jobs)
    settings = dict(repeats=repeats, folds=folds, random_state=random_state)
    plan = make_plan(datasets, tune=tune, adversaries=adversaries, **settings)
    file = ResultsFile(Path(out), plan).open(fresh=fresh)
    tasks, refused = make_tasks(datasets, field.values(), **settings)
    tasks = [task for task in tasks if task.key not in skip]
    deadline = numpy.inf if time_budget is None else time.monotonic() + time_budget
    how = dict(folds=folds, tune=tune, adversaries=adversaries)
    run = _Run(file, field, {d.name: d for d in datasets}, how, n_jobs, deadline)
    unfinished = run.finish(tasks, progress, first_table)
    wanted = {task.key for task in tasks}
    rows, file.rows = file.rows, [row for row in file.rows if key_of(row) in wanted]
    refused = [*unable, *refused]
    results = Results(file, datasets, refused, unfinished, today, capacity, wording or Wording())
    # what random folds would have promised, for the best learner only
    at_random = [task for d in datasets for task in _at_random(results, d, folds, random_state)]
    file.rows = rows
    run.finish(at_random)
    wanted |= {task.key for task in at_random}
    file.rows = [row for row in file.rows if key_of(row) in wanted]
    return results


@dataclass
class _Run:
    """The fits of a comparison: what takes part, where rows are stored, when no fit starts."""

    file: ResultsFile
    field: dict  # contestants by name
    data: dict  # data sets by name
    how: dict  # keywords of fit_one
    n_jobs: int
    deadline: float

    def finish(self, tasks, progress=None, first_table=None):
        """Run the tasks that are not stored yet; how many are left."""
        done = self.file.done({name: c.settings for name, c in self.field.items()})
        todo = [task for task in tasks if task.key not in done]
        # here, not in workers, which take seconds to start: the first table comes soon
        small = all(len(d) <= QUICK_ROWS for d in self.data.values())
        quick = [task for task in todo if small and self.field[task.learner].speed == "quick"]
        rest = [task for task in todo if task not in quick]
        finished = len(tasks) - len(todo)
        if progress:
            progress(finished, len(tasks), None)
        with _workers(self.file.directory):
            for some, jobs in ((quick, 1), (rest, self.n_jobs)):
                for row, arrays in as_finished(self._fits(some), jobs) if some else ():
                    self.file.add(row | environment(), arrays)
                    finished += 1
                    if progress:
                        progress(finished, len(tasks), row)
                if some is quick and quick and rest and first_table:
                    first_table(self.file.rows)
        return len(tasks) - finished

    def _fits(self, tasks):
        for task in tasks:
            one = self.field[task.learner]
            end = time.monotonic() + expected_seconds(one, self.file.rows, self.field)
            # the report needs the constant policies, whatever the budget
            if end < self.deadline or one.family == "constant":
                yield joblib.delayed(fit_one)(task, self.data[task.data], one, **self.how)


def _field(datasets, learners, adversaries, time_budget, n_fits, n_jobs):
    """Contestants by name, and those that cannot take part with the reason."""
    unable = []
    if isinstance(datasets[0], ClassData):
        field, unable = class_contestants(learners, datasets[0])
    else:
        bars = {"error_bars": True} if all(d.errors for d in datasets) else {}
        field = list(contestants(learners, **bars))
        if learners is None and time_budget and not adversaries:
            field.append(_timed(time_budget, n_fits, n_jobs))
    if adversaries:
        field = with_defences(field)
    return {c.name: c for c in field}, unable


def _timed(time_budget, n_fits, n_jobs):
    """The blend with two fifths of the time of a comparison: workers have to start as well."""
    from stakes.compare._timed_models import timed_contestant  # it loads the boosters

    at_once = min(joblib.effective_n_jobs(n_jobs), n_fits)
    rounds = -(-n_fits // at_once)
    return timed_contestant(max(round(0.4 * time_budget / rounds, 1), 1.0))


def expected_seconds(contestant, rows, field):
    """How long a fit will take: as its learner's others, else as the quickest of its speed."""
    own = [row for row in rows if row["learner"] == contestant.name]
    if not own and contestant.speed == "timed":
        return contestant.estimator.estimator.time_budget
    if own:
        return max(row.get("seconds", 0.0) for row in own)
    alike = [one.name for one in field.values() if one.speed == contestant.speed]
    alike = [row.get("seconds", 0.0) for row in rows if row["learner"] in alike]
    return min(alike, default=0.0)


def _check_limits(datasets, capacity, adversaries):
    if len(datasets) > 1 and numpy.ndim(getattr(capacity, "review_cost", None)):
        raise InputError("A review_cost for each row is possible for one data set only.")
    if adversaries and capacity is not None:
        raise InputError("An adversary cannot be combined with limits on alerts and reviews.")
    if any(isinstance(d, ClassData) for d in datasets):
        if len(datasets) > 1:
            raise InputError("A comparison with a cost matrix takes one data set.")
        if capacity is not None or adversaries:
            raise InputError("Limits, reviews and adversaries are for two classes; remove them.")


def _as_list(adversary):
    if adversary is None:
        return []
    return list(adversary) if isinstance(adversary, list | tuple) else [adversary]


def _as_table(data):
    if scipy.sparse.issparse(data.X):
        raise InputError(f"{data.name} is sparse; folds by time or group need a table.")
    return replace(data, X=as_frame(data.X))


def _at_random(results, data, folds, random_state):
    if data.origin is None:
        return []
    best = out_of_fold(results, data).best()
    if best is None:
        return []
    return random_tasks(data, best, folds=folds, random_state=random_state)


@lru_cache
def environment():
    """Versions, machine and commit, stored with every row."""
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


@contextmanager
def _workers(out):
    """What may happen to joblib's workers: restarts are harmless, a killed one ends the run."""
    with warnings.catch_warnings():
        # joblib restarts workers whose memory has grown; no result is lost
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        try:
            yield
        except BrokenExecutor:
            raise MemoryError(
                f"a worker was killed, probably out of memory; finished fits are kept in {out}: "
                "run it again to resume, with fewer jobs to use less memory"
            ) from None


def _check(datasets, today, repeats, folds):
    if not datasets:
        raise InputError("There is no data set to compare on.")
    names = [d.name for d in datasets]
    if len(set(names)) < len(names):
        raise InputError("Two data sets have the same name; rename one.")
    if repeats < 1 or folds < 2:
        raise InputError("A comparison needs at least 1 repeat and 2 folds.")
    for d in datasets:
        d.as_costs()
        d.kinds  # noqa: B018  found here once, and sent to the workers with the data
        if len(numpy.unique(d.y)) < 2:
            raise InputError(f"{d.name} has only one class; two are needed.")
        absent = [c for i, c in enumerate(getattr(d, "classes", ())) if not (d.y == i).any()]
        if absent:
            raise InputError(
                f"{d.name} has no row of the class {shown(absent[0])}; remove it from the cost "
                "matrix."
            )
    if today is not None and (len(datasets) > 1 or len(today) != len(datasets[0])):
        raise InputError("today must have one decision (0 or 1) for each row of one data set.")
