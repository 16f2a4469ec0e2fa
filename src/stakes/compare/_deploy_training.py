"""Train a contestant on all rows of a table in parts, and save it."""

import contextlib
import importlib.util
import math
import warnings
from dataclasses import dataclass, replace

from sklearn.base import clone

from stakes._core.deciding import decide_with_costs
from stakes.compare._contestants import Contestant, baselines, find_contestant, library
from stakes.compare._deploy import read_report, store_trained, winner_of
from stakes.compare._fit import POLICY, fit_contestant
from stakes.decision import BayesDecisionClassifier
from stakes.errors import BelowTrivialWarning, InputError
from stakes.scale import can_fit, fit_parts

EXTERNAL = "XGBoost, calibrated, Bayes decision"
SAMPLE = 20_000  # rows on which settings are chosen
_C = "estimator__C"


def train_parts_to_file(
    path, learner, settings, *, source=None, random_state=0, tune=True, n_jobs=1, key=None, run=None
):
    """Fit a contestant to all rows of a folder or a Spark data frame and save it.

    Settings are chosen on a random sample of 20,000 rows; the chosen ones are fitted to all rows.
    The file is that of :func:`train_to_file`.

    Parameters
    ----------
    path : str or Path
        The model file.
    learner : str or None
        Name of a contestant that can be trained in parts, see :func:`stakes.scale.fit_parts`. None:
        calibrated XGBoost with the Bayes decision if it is installed, else logistic regression.
    settings : TableSettings
        The folder, the label and the costs.
    source : SparkTable, default=None
        The rows, instead of the folder of the settings.
    random_state : int, default=0
        Seed for all random choices.
    tune : bool, default=True
        Whether the contestant's grid is searched.
    n_jobs : int, default=1
        Number of files in work at the same time; for XGBoost, threads. -1: one per core.
    key, run
        As in :func:`train_to_file`.

    Returns
    -------
    PartsTraining
    """
    contestant = external_contestant(learner)
    table = settings.survey(SAMPLE, random_state=random_state, n_jobs=n_jobs, source=source)
    estimator, chosen = clone(contestant.estimator), {}
    if tune and contestant.grid:
        chosen = _chosen_on_sample(contestant, table, random_state)
        estimator.set_params(**chosen)
    seeds = [n for n in estimator.get_params() if n.split("__")[-1] == "random_state"]
    estimator.set_params(**dict.fromkeys(seeds, random_state))
    form = dict(scale=contestant.scale, one_hot=contestant.one_hot)
    fitted = fit_parts(estimator, table, **form, n_jobs=n_jobs)
    paid = table.fold(Paid, _AddPaid(fitted.model), _both, n_jobs=n_jobs)
    paid.warn(contestant.name)
    facts = [_training(table, fitted, chosen, contestant), paid.sentence(), *table.notes]
    parts = dict(rows=table.rows, positives=table.positives, columns=table.columns, facts=facts)
    how = dict(key=key, run=run, parts=parts)
    card = store_trained(path, contestant.name, fitted.model, chosen, settings, table.sample, **how)
    return PartsTraining(contestant.name, table.rows, card, paid, fitted.certificate)


@dataclass(frozen=True)
class PartsTraining:
    """What :func:`train_parts_to_file` did.

    Attributes
    ----------
    learner : str
        Name of the contestant.
    rows : int
        Number of rows.
    card : Path
        The model card.
    paid : Paid
        What its decisions about the training rows cost.
    certificate : dict
        As in :class:`~stakes.scale.PartsFit`.
    """

    learner: str
    rows: int
    card: object
    paid: object
    certificate: dict


def external_contestant(name=None):
    """The contestant of a name, if it can be trained on a table in parts.

    Examples
    --------
    >>> external_contestant("logistic regression, Bayes decision").family
    'baseline'
    """
    installed = importlib.util.find_spec("xgboost") is not None
    if name is None:
        name = EXTERNAL if installed else "logistic regression, Bayes decision"
    if name.casefold() in (EXTERNAL.casefold(), "xgboost", "xgb"):
        if not installed:
            raise InputError("XGBoost is not installed: pip install xgboost-cpu.")
        return _xgboost()
    found = find_contestant(name)
    if not can_fit(found.estimator):
        offered = [entry.name for entry in library() if can_fit(entry.build().estimator)]
        offered += [one.name for one in baselines() if can_fit(one.estimator)]
        raise InputError(
            f"{found.name} cannot be trained on a folder; train it on a sample, or take one of: "
            f"{EXTERNAL}; {'; '.join(offered)}."
        )
    return found


def sampled_learners(names=None):
    """Learners to compare on a sample of a folder: also the booster that all rows can train.

    Parameters
    ----------
    names : sequence of str, default=None
        As in :func:`contestants`.

    Returns
    -------
    list of str or Contestant
    """
    if names is None:
        names = [entry.name for entry in library() if entry.recommended]
    installed = importlib.util.find_spec("xgboost") is not None
    return [*names, *([_xgboost()] if installed else [])]


def winner_in_parts(folder):
    """The cheapest learner of a comparison that can be trained on a table in parts.

    Parameters
    ----------
    folder : Path
        Results of a comparison.

    Returns
    -------
    str
    """
    best, learners = winner_of(folder), read_report(folder)["learners"]
    for found in learners:
        if found["below_trivial"] or found["family"] == "constant":
            continue
        with contextlib.suppress(InputError):
            return external_contestant(found["learner"]).name
    raise InputError(
        f"{best} won in {folder}, but no learner there that beats the constant policies can be "
        "trained on a folder; train it on a sample, or name a learner: {parameter}.",
        "learner",
    )


def _xgboost():
    from xgboost import XGBClassifier

    booster = XGBClassifier(
        n_estimators=300, learning_rate=0.1, max_depth=6, min_child_weight=3, n_jobs=1
    )
    learner = BayesDecisionClassifier(booster, calibration="isotonic")
    return Contestant(EXTERNAL, "baseline", learner, one_hot=False, scale=False)


def _chosen_on_sample(contestant, table, seed):
    """Settings of least cost in inner folds of the sample."""
    _, chosen, _ = fit_contestant(contestant, table.sample, seed, True)
    if POLICY in chosen:
        raise InputError(
            f"{contestant.name} lost to a constant policy on a sample of {len(table.sample):,} "
            "rows; name another learner, or train it without tuning."
        )
    if _C in chosen:  # the penalty of a row stays the same: C weighs the sum over all rows
        chosen[_C] *= len(table.sample) / table.rows
    return chosen


def _training(table, fitted, chosen, contestant):
    text = f"All {table.rows:,} rows were read in parts."
    if chosen:
        text += f" Settings were chosen on a random sample of {len(table.sample):,} rows."
    if fitted.held_out:
        text += f" {fitted.held_out:,} rows were held out to calibrate the probabilities."
    if fitted.certificate:
        text += (
            f" After {fitted.certificate['passes']} passes the objective is within "
            f"{fitted.certificate['gap']:.1e} of its minimum over all rows (relative)."
        )
    return text


@dataclass(frozen=True)
class Paid:
    """What decisions and both constant policies cost, in sums that are exact in any order.

    Attributes
    ----------
    rows : int
        Number of decisions.
    learner, negative, positive : tuple of float
        Sums of batches; :attr:`totals` adds them up.
    """

    rows: int = 0
    learner: tuple = ()
    negative: tuple = ()
    positive: tuple = ()

    @property
    def totals(self):
        """Cost of the learner's decisions, of always negative and of always positive."""
        return [math.fsum(part) for part in (self.learner, self.negative, self.positive)]

    @property
    def savings(self):
        """Share of the cheaper constant policy's cost that the learner saves."""
        paid, *policies = self.totals
        best = min(policies)
        return (best - paid) / abs(best) if best else float("nan")

    def sentence(self):
        """The money in words."""
        paid, negative, positive = (1000 * total / self.rows for total in self.totals)
        return (
            f"On the training rows, 1,000 decisions cost {paid:,.2f}; always negative costs "
            f"{negative:,.2f}, always positive {positive:,.2f}."
        )

    def warn(self, name):
        """Warn if a constant policy is cheaper."""
        paid, *policies = self.totals
        if paid > min(policies) + 1e-9 * max(map(abs, policies)):
            answer = ("negative", "positive")[policies.index(min(policies))]
            warnings.warn(
                f"The decisions of {name} on the training rows cost more than always predicting "
                f"{answer}: use another learner.",
                BelowTrivialWarning,
                stacklevel=3,
            )


@dataclass(frozen=True)
class _AddPaid:
    model: object

    def __call__(self, paid, rows):
        decided, _ = decide_with_costs(self.model, rows.table, **rows.costs.keywords())
        positive = rows.y == 1
        answers = (decided == 1, positive & False, positive | True)
        sums = [float(rows.costs.paid(positive, answer).sum()) for answer in answers]
        return _both(paid, Paid(len(positive), *((one,) for one in sums)))


def _both(paid, other):
    parts = {name: getattr(paid, name) + getattr(other, name) for name in vars(paid)}
    return replace(paid, **parts)
