"""Who takes part: trivial policies, the usual baselines, and every learner of the library."""

import hashlib
import importlib.util
import re
from dataclasses import dataclass, field

from sklearn.base import BaseEstimator, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from stakes._core.learners import FAMILIES, all_estimators, match_name
from stakes.compare._recommended import recommended
from stakes.decision import BayesDecisionClassifier

TRIVIAL = ("always negative", "always positive")
RECOMMENDED = "recommended blend"


@dataclass(frozen=True, eq=False)
class Contestant:
    """A learner with its decision rule, and what `compare` must know to run it.

    Parameters
    ----------
    name : str
        What tables and result rows call it.
    family : str
        "trivial", "baseline", or the folder of the library.
    estimator : estimator
        The step that learns and decides, unfitted.
    grid : dict, default={}
        What nested tuning tries, by parameters of `estimator`.
    one_hot, scale : bool, default=True
        How a table is prepared for it: categories as columns, features on one scale.
    as_is : bool, default=False
        Whether it takes tables as they come, and prepares them itself.
    max_rows : int or None, default=None
        Refused beyond this many training rows.
    train_rows : int or None, default=None
        Learns from at most this many training rows, drawn at random within the classes.
    speed : {"fast", "medium", "slow"}, default="fast"
        Growth with the rows; fast ones are run first.
    recommended : bool, default=False
        Whether it runs unasked.
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
    recommended: bool = False

    @property
    def settings(self):
        """A short hash of all that a fit depends on: under one name it may have changed."""
        form = (self.family, self.one_hot, self.scale, self.as_is, self.train_rows, self.grid)
        told = self.estimator.__repr__(N_CHAR_MAX=10**6) + repr(form)
        return hashlib.sha256(re.sub(r" at 0x\w+", "", told).encode()).hexdigest()[:12]

    @property
    def guarded(self):
        """Whether a trivial policy may take its place: baselines are shown as they are."""
        return self.family not in ("trivial", "baseline")

    @property
    def needs_inner_folds(self):
        """Whether there is a grid to choose from, or a rule of its own to hold against policies.

        The Bayes decision needs none: it is the cheaper policy where probabilities say nothing.
        """
        own_rule = not isinstance(self.estimator, BayesDecisionClassifier)
        return bool(self.grid) or (self.guarded and own_rule)


def contestants(names=None):
    """The contestants of a comparison.

    Parameters
    ----------
    names : str, or sequence of str or Contestant, default=None
        Names of contestants, learners ("CWClassifier") or families ("online"); "all" for every
        learner of the library; None for those that their families recommend. A `Contestant` of
        your own may stand among them. The trivial policies and the baselines always take part.

    Returns
    -------
    list of Contestant

    Examples
    --------
    >>> [c.name for c in contestants([])][:3]
    ['always negative', 'always positive', 'logistic regression at 0.5']
    """
    ours = library()
    names = [names] if isinstance(names, str | Contestant) else names
    given = [one for one in names or () if isinstance(one, Contestant)]
    asked = [one for one in names or () if not isinstance(one, Contestant)]
    if names is None:
        chosen = [c for c in ours if c.recommended]
    elif "all" in asked:
        chosen = ours
    else:
        chosen = _named(asked, ours)
    # one contestant a name: what is given goes before what is known
    return list({c.name: c for c in [*baselines(), *chosen, *given]}.values())


def baselines():
    """The trivial policies, and three standard learners raw at 0.5 and with the Bayes decision."""
    rows = [
        Contestant(name, "trivial", DummyClassifier(strategy="constant", constant=decision))
        for decision, name in enumerate(TRIVIAL)
    ]
    rows += _twice("logistic regression", LogisticRegression(max_iter=2000), _LOGISTIC_GRID)
    rows += _twice(
        "hist gradient boosting", HistGradientBoostingClassifier(), _BOOSTER_GRID, tree=True
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
        rows += _twice("LightGBM", booster, _LIGHTGBM_GRID, tree=True)
    return rows


def library():
    """What the library recommends, and every two-class learner of it.

    One that gives probabilities decides by expected cost. One that gives only scores takes part
    twice: trained with the costs and deciding by its own rule, and trained without them,
    calibrated, with the Bayes decision; both at once would count the costs twice.
    """
    blend = dict(as_is=True, speed="medium", recommended=True)
    rows = [Contestant(RECOMMENDED, "decision", recommended(), **blend)]
    for name, learner in all_estimators(FAMILIES):
        info = getattr(learner, "_info", None)
        if info is None or not is_classifier(learner()):
            continue
        tree = info.family == "tree"
        form = dict(one_hot=not tree, scale=not tree, max_rows=info.max_rows, speed=info.speed)
        form["recommended"] = info.recommended
        rows.append(Contestant(name, info.family, learner(), info.grid, **form))
        if not info.gives_probability:
            rows.append(
                Contestant(
                    f"{name}, Bayes decision",
                    info.family,
                    BayesDecisionClassifier(
                        learner(), calibration="sigmoid", costs_in_training=False
                    ),
                    {f"estimator__{key}": values for key, values in info.grid.items()},
                    **form,
                )
            )
    return rows


_LOGISTIC_GRID = {"C": [0.01, 0.1, 1.0]}
_BOOSTER_GRID = {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31]}
_LIGHTGBM_GRID = {"learning_rate": [0.03, 0.1], "num_leaves": [7, 31]}


def _twice(name, learner, grid, tree=False):
    """A baseline as people run it, and the same with the decision by expected cost."""
    form = dict(one_hot=not tree, scale=not tree)
    inner = {f"estimator__{key}": values for key, values in grid.items()}
    return [
        Contestant(f"{name} at 0.5", "baseline", learner, grid, **form),
        Contestant(
            f"{name}, Bayes decision", "baseline", BayesDecisionClassifier(learner), inner, **form
        ),
    ]


def _named(names, ours):
    known = {c.name: [c] for c in [*baselines(), *ours]}
    for c in ours:
        known.setdefault(c.family, []).append(c)
    asked = [match_name(name, known) for name in names]
    return list({c.name: c for name in asked for c in known[name]}.values())
