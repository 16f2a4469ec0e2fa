"""The contestants of a comparison: constant policies, baselines, and the library's learners."""

import hashlib
import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import entry_points
from typing import NamedTuple

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from stakes._core.deciding import takes_costs
from stakes._core.learners import FAMILIES, all_estimators, match_name
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.errors import InputError
from stakes.online_forest import StreamBlendClassifier
from stakes.tables import prepare
from stakes.tree import ConfidenceForestClassifier

CONSTANT_POLICIES = ("always negative", "always positive")
RECOMMENDED = "recommended blend"
TIMED = "timed blend"
GROUP = "stakes.learners"


@dataclass(frozen=True, eq=False)
class Contestant:
    """A learner, its decision rule, and how `compare` runs it.

    Parameters
    ----------
    name : str
        Name in tables and result rows.
    family : str
        "constant", "baseline", or a folder of the library.
    estimator : estimator
        The unfitted estimator that learns and decides.
    grid : dict, default={}
        Parameter grid for nested tuning.
    one_hot, scale : bool, default=True
        Whether categories are one-hot encoded and numbers standardized.
    as_is : bool, default=False
        Whether the estimator takes raw tables and prepares them itself.
    max_rows : int or None, default=None
        Maximum number of training rows; larger data sets are skipped.
    train_rows : int or None, default=None
        Number of training rows to sample, stratified by class. None: all of them.
    speed : {"quick", "timed", "fast", "medium", "slow"}, default="fast"
        How the fit time grows with the number of rows; "timed" takes a time that is given. Quick
        contestants, of which a first table is shown, run first, slow ones last.
    defence : str or None, default=None
        How it answers the moves of an adversary, see `compare`.
    error_bars : bool, default=False
        Whether the estimator takes the values of a table and their error bars.
    """

    name: str
    family: str
    estimator: BaseEstimator
    grid: dict = field(default_factory=dict)
    one_hot: bool = True
    scale: bool = True
    as_is: bool = False
    max_rows: int | None = None
    train_rows: int | None = None
    speed: str = "fast"
    defence: str | None = None
    error_bars: bool = False

    @property
    def settings(self):
        """Short hash of everything that a fit depends on, to detect changes under one name."""
        form = (self.family, self.one_hot, self.scale, self.as_is, self.train_rows, self.grid)
        text = self.estimator.__repr__(N_CHAR_MAX=10**6) + repr(form) + (self.defence or "")
        return hashlib.sha256(re.sub(r" at 0x\w+", "", text).encode()).hexdigest()[:12]

    @property
    def guarded(self):
        """Whether a constant policy may replace it; baselines are always shown unchanged."""
        return self.family not in ("constant", "baseline")

    @property
    def needs_inner_folds(self):
        """Whether to search a grid, or to check its own decision rule against constant policies.

        The Bayes decision needs no check: with uninformative probabilities it already is the
        cheaper constant policy. Nor does what chooses by likelihood in inner folds of its own.
        """
        own_rule = not isinstance(self.estimator, BayesDecisionClassifier)
        own_rule = own_rule and not getattr(self.estimator, "chooses_by_likelihood", False)
        return bool(self.grid) or (self.guarded and own_rule)


def contestants(names=None, *, error_bars=False):
    """The contestants of a comparison.

    Parameters
    ----------
    names : str, or sequence of str or Contestant, default=None
        Names of contestants, learners ("CWClassifier", or "cw" for short) or families ("online");
        "all" for every learner of the library; None for the recommended ones. May include your
        own `Contestant` objects. The constant policies and the baselines always take part.
    error_bars : bool, default=False
        Whether the tables have error bars: the learners that use them always take part then.

    Returns
    -------
    list of Contestant

    Examples
    --------
    >>> [c.name for c in contestants([])][:3]
    ['always negative', 'always positive', 'logistic regression at 0.5']
    """
    names = [names] if isinstance(names, str | Contestant) else names
    own = [one for one in names or () if isinstance(one, Contestant)]
    asked = [one for one in names or () if not isinstance(one, Contestant)]
    always, entries = baselines(), library()
    using = _using_error_bars() if error_bars else []
    if names is None:
        chosen = [entry for entry in entries if entry.recommended]
    elif "all" in asked:
        chosen = entries
    else:
        known = _known(entries, [*always, *using])
        chosen = [entry for name in asked for entry in known[match_name(name, known)]]
    built = [entry.build() for entry in dict.fromkeys(chosen)]
    # one contestant per name: the user's own replace those of the library
    return list({c.name: c for c in [*always, *built, *using, *own]}.values())


def find_contestant(name, *, error_bars=False):
    """The one contestant of a name.

    Parameters
    ----------
    name : str
        Name of a contestant, as in :func:`contestants`.
    error_bars : bool, default=False
        Whether to prefer one that uses error bars.

    Returns
    -------
    Contestant

    Examples
    --------
    >>> find_contestant("probit").name
    'ProbitClassifier'
    """
    always = {c.name: c for c in [*baselines(), *(_using_error_bars() if error_bars else [])]}
    known = _known(library(), always.values())
    name = match_name(name, known)
    if name in always:
        return always[name]
    if len(known[name]) > 1:
        members = ", ".join(entry.name for entry in known[name])
        raise InputError(f"{name!r} is a family of learners; name one of them: {members}.")
    return known[name][0].build()


def baselines():
    """The constant policies, and standard learners at 0.5 and with the Bayes decision."""
    rows = [
        Contestant(
            name, "constant", DummyClassifier(strategy="constant", constant=decision), speed="quick"
        )
        for decision, name in enumerate(CONSTANT_POLICIES)
    ]
    rows += _at_half_and_bayes(
        "logistic regression",
        LogisticRegression(max_iter=2000),
        {"C": [0.01, 0.1, 1.0]},
        speed="quick",
    )
    rows += _at_half_and_bayes(
        "hist gradient boosting",
        HistGradientBoostingClassifier(),
        {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]},
        tree=True,
    )
    rows.append(
        Contestant(
            "hist gradient boosting, calibrated, Bayes decision",
            "baseline",
            BayesDecisionClassifier(HistGradientBoostingClassifier(), calibration="isotonic"),
            one_hot=False,
            scale=False,
        )
    )
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        # one thread and row-wise histograms: the same bytes whatever the number of cores
        booster = LGBMClassifier(deterministic=True, force_row_wise=True, n_jobs=1, verbose=-1)
        grid = {"learning_rate": [0.03, 0.1], "num_leaves": [7, 31]}
        rows += _at_half_and_bayes("LightGBM", booster, grid, tree=True)
    return rows


class Entry(NamedTuple):
    """A contestant that the library offers; `build` makes it."""

    name: str
    family: str
    recommended: bool
    build: Callable


def library():
    """Everything that the library offers: its recommended blend and every two-class learner.

    Learners with probabilities decide by expected cost. Those with scores only are entered twice:
    trained with the costs, with their own decision rule; and trained without them, calibrated,
    with the Bayes decision. Both at once would count the costs twice.
    """
    entries = [Entry(RECOMMENDED, "decision", True, _blend), *plugged_in()]
    for name, learner in all_estimators(FAMILIES):
        info = getattr(learner, "_info", None)
        if info is not None and issubclass(learner, ClassifierMixin):
            for form in (name,) if info.gives_probability else (name, f"{name}, Bayes decision"):
                build = partial(_of_library, form, learner, calibrated=form != name)
                entries.append(Entry(form, info.family, info.recommended, build))
    return entries


def plugged_in():
    """Learners of other packages, from their entry points of the group `stakes.learners`.

    An entry point names a classifier class, a function that returns a :class:`Contestant` or an
    estimator, or either of these objects; its name is the contestant's.
    """
    found = entry_points(group=GROUP)
    return [Entry(one.name, "plug-in", False, partial(_of_plug_in, one)) for one in found]


def recommended(random_state=None, *, stream=False, label_delay=None):
    """The model that is recommended for a table of independent rows, or for a stream.

    For a table, a logistic regression, two forests and three boosters, blended by out-of-fold
    predictions (:class:`~stakes.decision.BlendClassifier`). The costs affect the decision only. For
    a stream, :class:`~stakes.online_forest.StreamBlendClassifier`.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Seed of the forests, the boosters and the folds of the blend.
    stream : bool, default=False
        Whether rows arrive one by one and the model learns from each.
    label_delay : int or None, default=None
        For a stream: how many labels late its labels are, see
        :class:`~stakes.online_forest.StreamBlendClassifier`.

    Returns
    -------
    BayesDecisionClassifier or StreamBlendClassifier
        The first takes raw data frames and arrays; pass the costs to `predict`.

    Examples
    --------
    >>> [name for name, _ in recommended().estimator.estimators][:3]
    ['linear', 'forest', 'extra_trees']
    """
    if stream:
        return StreamBlendClassifier(random_state=random_state, label_delay=label_delay)
    plain = dict(scale=False, one_hot=False)
    forest = ConfidenceForestClassifier(random_state=random_state)
    extra = ExtraTreesClassifier(200, min_samples_leaf=3, random_state=random_state)
    booster = HistGradientBoostingClassifier(random_state=random_state)
    small_steps = dict(learning_rate=0.05, max_leaf_nodes=7, max_iter=200)
    few_columns = dict(learning_rate=0.05, max_iter=200, max_features=0.3, l2_regularization=1.0)
    members = {
        "linear": prepare(LogisticRegression(C=0.1, max_iter=2000), scale=True, one_hot=True),
        "forest": prepare(forest, **plain),
        "extra_trees": prepare(extra, **plain),
        "booster": prepare(booster, **plain),
        "small_steps": prepare(clone(booster).set_params(**small_steps), **plain),
        "few_columns": prepare(clone(booster).set_params(**few_columns), **plain),
    }
    blend = BlendClassifier(list(members.items()), alpha=0.01, random_state=random_state)
    return BayesDecisionClassifier(blend, costs_in_training=False)


def _at_half_and_bayes(name, learner, grid, tree=False, speed="fast"):
    """A baseline as commonly used, and the same learner with the decision by expected cost."""
    form = dict(one_hot=not tree, scale=not tree, speed=speed)
    bayes = BayesDecisionClassifier(learner)
    return [
        Contestant(f"{name} at 0.5", "baseline", learner, grid, **form),
        Contestant(f"{name}, Bayes decision", "baseline", bayes, _of_inner(grid), **form),
    ]


def _using_error_bars():
    from stakes.compare._error_bars import error_bar_contestants  # which imports Contestant

    return error_bar_contestants()


def _blend():
    return Contestant(RECOMMENDED, "decision", recommended(), as_is=True, speed="medium")


def _of_library(name, learner, calibrated):
    info, estimator, grid = learner._info, learner(), learner._info.grid
    if calibrated:
        costs_once = dict(calibration="sigmoid", costs_in_training=False)
        estimator, grid = BayesDecisionClassifier(estimator, **costs_once), _of_inner(grid)
    tree = info.family == "tree"
    form = dict(one_hot=not tree, scale=not tree, max_rows=info.max_rows, speed=info.speed)
    return Contestant(name, info.family, estimator, grid, **form)


def _of_plug_in(point):
    try:
        made = point.load()
        made = made() if callable(made) else made
    except Exception as error:  # whatever another package raises
        raise InputError(
            f"The learner {point.name!r} of {point.value!r} cannot be loaded "
            f"({type(error).__name__}: {error}); fix or remove that package."
        ) from None
    if isinstance(made, Contestant):
        return replace(made, name=point.name)
    if not hasattr(made, "fit"):
        raise InputError(f"The learner {point.name!r} of {point.value!r} has no method fit.")
    if not takes_costs(made):  # it cannot know the costs: decide by expected cost
        kind = None if hasattr(made, "predict_proba") else "sigmoid"
        made = BayesDecisionClassifier(made, calibration=kind)
    return Contestant(point.name, "plug-in", made)


def _of_inner(grid):
    return {f"estimator__{key}": values for key, values in grid.items()}


def _known(entries, always):
    """Names of contestants and families, and the entries they stand for; baselines have none."""
    known = {c.name: [] for c in always} | {entry.name: [entry] for entry in entries}
    for entry in entries:
        known.setdefault(entry.family, []).append(entry)
    return known
