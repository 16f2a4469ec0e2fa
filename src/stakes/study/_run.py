"""Run the study: `stakes.compare` over all sets, kept fit by fit, so that it can be stopped."""

from dataclasses import replace

from stakes.compare import compare
from stakes.datasets import load
from stakes.study._field import SETS, study_field


def run_study(
    names=SETS,
    *,
    learners=("all",),
    rows=6_000,
    repeats=3,
    folds=3,
    out="stakes-study",
    n_jobs=1,
    random_state=0,
    fresh=False,
    progress=None,
):
    """Compare every learner of the library, default and tuned, on real data with prices.

    Parameters
    ----------
    names : sequence of str, default=SETS
        Data sets of :func:`stakes.datasets.load`.
    learners : sequence of str, default=("all",)
        As for :func:`stakes.compare.contestants`.
    rows : int, default=6_000
        Larger sets are sampled (:meth:`stakes.tables.PricedData.sample`).
    repeats, folds : int, default=3, 3
        Repeated stratified cross-validation; one repeat first, and more later, is the same.
    out : path, default="stakes-study"
        Where fits are kept: the same call goes on where an interrupted one stopped.
    n_jobs : int, default=1
        Fits side by side.
    random_state : int, default=0
        Base of all seeds.
    fresh : bool, default=False
        Start over instead of going on from what `out` holds.
    progress : callable or None, default=None
        Called as `progress(done, total, row)` after each fit.

    Returns
    -------
    stakes.compare.Results
    """
    return compare(
        [_sampled(load(name), rows) for name in names],
        learners=study_field(learners),
        repeats=repeats,
        folds=folds,
        out=out,
        n_jobs=n_jobs,
        random_state=random_state,
        fresh=fresh,
        progress=progress,
    )


def _sampled(data, rows):
    if len(data) <= rows:
        return data
    whole = f"{data.description} {rows:,} of {len(data):,} rows."
    return replace(data.sample(rows), description=whole)
