"""Run the study: all learners, default and tuned, on all data sets; interrupted runs resume."""

from dataclasses import replace

from stakes.compare import compare, contestants
from stakes.datasets import load

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
        Whether to start over instead of resuming from `out`.
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
    return replace(data.sample(rows, random_state=0), description=whole)
