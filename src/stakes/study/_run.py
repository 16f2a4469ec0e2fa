"""Run the study: all learners, default and tuned, on all data sets.

Interrupted runs resume, and a stored study is continued from its rows.
"""

from dataclasses import dataclass, replace

from stakes.compare import compare, contestants
from stakes.datasets import load
from stakes.study._rows import check_same_folds, merged, same_settings

SETS = (
    "german",
    "spambase",
    "telco_churn",
    "default_credit",
    "bank_marketing",
    "kdd98",
    "card_fraud",
    "kdd99",
)
# training rows of learners that scale worse than linearly; the test rows are the same for all
TRAIN_ROWS = {"quick": None, "fast": None, "medium": 2_500, "slow": 1_500}
TUNED, CALIBRATED = ", tuned", ", Bayes decision"


@dataclass(frozen=True, eq=False)
class Study:
    """The fits of a study.

    Parameters
    ----------
    rows : list of dict
        A row per fit, sorted.
    datasets : list of PricedData
        The data sets, sampled.
    plan : dict
        Folds, repeats and seed of all rows.
    """

    rows: list
    datasets: list
    plan: dict


def study_field(names=("all",)):
    """The contestants of the study, with default settings and, where they have a grid, tuned.

    A learner with scores only is tuned with its own decision rule. Its calibrated version, with
    the Bayes decision, runs with default settings only: tuning would take a hundred fits per fold.

    Parameters
    ----------
    names : sequence of str, default=("all",)
        As for :func:`stakes.compare.contestants`.

    Returns
    -------
    list of Contestant

    Examples
    --------
    >>> [c.name for c in study_field([])][2:4]
    ['logistic regression at 0.5', 'logistic regression at 0.5, tuned']
    """
    field = []
    for one in contestants(names):
        rows = None if one.as_is else TRAIN_ROWS[one.speed]
        field.append(replace(one, grid={}, train_rows=rows, max_rows=None))
        calibrated = one.guarded and one.name.endswith(CALIBRATED)
        if one.grid and not calibrated:
            tuned = one.name + TUNED
            field.append(replace(one, name=tuned, train_rows=rows, max_rows=None))
    return field


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
    stored=(),
    progress=None,
):
    """Compare every learner of the library, default and tuned, on real data with costs.

    Parameters
    ----------
    names : sequence of str, default=SETS
        Data sets of :func:`stakes.datasets.load`.
    learners : sequence of str, default=("all",)
        As for :func:`stakes.compare.contestants`.
    rows : int, default=6_000
        Larger data sets are sampled (:meth:`stakes.tables.PricedData.sample`).
    repeats, folds : int, default=3, 3
        Repeated stratified cross-validation; a later call with more repeats continues this one.
    out : path, default="stakes-study"
        Directory of the finished fits; call again with the same arguments to resume.
    n_jobs : int, default=1
        Number of parallel fits.
    random_state : int, default=0
        Base of all seeds.
    fresh : bool, default=False
        Whether to start over: fits of the named learners are run again, also if they are in `out`
        or `stored`.
    stored : sequence of dict, default=()
        Rows of an earlier study on the same data and folds (:func:`~stakes.study.stored_rows`).
        They are kept if the library still has the learner, and only fits that they lack are run.
        The constant policies are run anyway and must cost the same as before: that shows that data
        and folds are the same.
    progress : callable or None, default=None
        Called as `progress(done, total, row)` after each fit.

    Returns
    -------
    Study
    """
    datasets = [_sampled(load(name), rows) for name in names]
    field = study_field(learners)
    if fresh and "all" in learners:
        stored = ()
    offered = {c.name for c in [*study_field(), *field]}
    stored = [row for row in stored if row["learner"] in offered]
    known = same_settings(stored, {c.name: c.settings for c in field}, {d.name for d in datasets})
    again = _named(field) if fresh else set()
    results = compare(
        datasets,
        learners=field,
        repeats=repeats,
        folds=folds,
        out=out,
        n_jobs=n_jobs,
        random_state=random_state,
        fresh=fresh,
        progress=progress,
        first_table=lambda quick: check_same_folds(stored, quick),  # before the long fits
        skip={key for key, row in known.items() if row["learner"] not in again},
    )
    check_same_folds(stored, results.rows)
    return Study(merged(stored, results.rows), datasets, results.file.plan)


def _named(field):
    """Names of the contestants to run again: baselines only if nothing else takes part."""
    baselines = {c.name for c in study_field(())}
    return {c.name for c in field} - baselines or baselines


def _sampled(data, rows):
    if len(data) <= rows:
        return data
    whole = f"{data.description} {rows:,} of {len(data):,} rows."
    return replace(data.sample(rows, random_state=0), description=whole)
