"""What the study runs on, and who takes part: every learner as it comes, and tuned."""

from dataclasses import replace

from stakes.compare import contestants

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
# learners that grow faster than the rows learn from fewer, and are judged on the same test rows
TRAIN_ROWS = {"fast": None, "medium": 2_500, "slow": 1_500}
TUNED, CALIBRATED = ", tuned", ", Bayes decision"


def study_field(names=("all",)):
    """The contestants of the study, in their default settings and, where they have a grid, tuned.

    A learner that gives only scores is tuned with its own rule; calibrated, with the Bayes
    decision, it takes part as it comes: tuning it would fit it a hundred times a fold.

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
