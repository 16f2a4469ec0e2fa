"""Constructor parameters of the linear online learners: declared, checked and documented once.

Every group of parameters is a dataclass that learners inherit. `learner` turns the annotated
attributes of a class and its bases into a keyword-only constructor, as
:func:`dataclasses.dataclass` does, so that `get_params`, `clone`, `help` and type checkers see the
full signature.
"""

import inspect
from dataclasses import dataclass
from numbers import Integral, Real
from typing import dataclass_transform

import numpy as np

from stakes._core.base import COST_CONSTRAINTS
from stakes._core.docs import documented
from stakes._core.sklearn_private import Interval, StrOptions
from stakes.online._before_step_jit import AS_GIVEN, CLASS, REGRET, STAKE

COST_RULES = {"class": CLASS, "stake": STAKE, "regret": REGRET}
DOCS = {
    "stream": """\
calibration : {"sigmoid"} or None, default="sigmoid"
    How `predict_proba` follows from the scores. "sigmoid": a logistic map that is fitted during
    training, to scores of examples that were not learned yet. None: the probit of the margin.
half_life : "auto", float or None, default="auto"
    Number of examples after which an example counts half, for streams that change. "auto":
    the one that costs least, see `half_life_`; it needs `calibration` and is not used if `fit`
    shuffles. None: nothing is forgotten.
l1 : float, default=0.0
    Penalty per example on the absolute weights, for text and other rows with many columns that say
    nothing. Every 256 examples, and at the end of `fit`, a weight moves towards zero by 256 `l1`,
    in learners with a covariance times its variance, and is exactly zero if it gets there.
fit_intercept : bool, default=True
    Whether to fit an intercept.
n_passes : int, default=1
    Number of passes over the data in `fit`. Only the first one teaches the calibration and
    `progressive_regret_`, which need examples that were not learned before.
shuffle : bool, default=False
    Whether `fit` shuffles the data before each pass.
random_state : int, RandomState instance or None, default=None
    Seed for shuffling.
[costs]
""",
    "gaussian": """\
covariance : {"diagonal", "full"}, default="diagonal"
    Form of the covariance of the weights. "full" suits correlated features and takes O(d^2) per
    example.
initial_variance : float, default=1.0
    Variance of every weight before the first example.
""",
    "normalize": """\
normalize_costs : bool, default=True
    Whether to divide costs by the mean cost so far, so that the currency does not matter; False:
    regrets as they are.
""",
    "cost_rule": """\
cost_rule : {"class", "stake", "regret"}, default="class"
    Weight of an example. "class": the mean regret of its class so far; all examples of a class
    count the same, and costs at prediction do not count twice. "stake": that mean, times the sum
    of both regrets of the row. "regret": the cost of misclassifying the example; the sign of the
    score minimises the cost, but the costs bias the probabilities.
[normalize]
""",
    "fitted": """\
coef_ : ndarray of shape (1, d)
    Mean weights.
intercept_ : ndarray of shape (1,)
    Mean weight of the intercept.
classes_ : ndarray of shape (2,)
    Labels; the second is the positive class.
half_life_ : float
    Half-life at the end of the stream, in examples; infinite: nothing is forgotten.
n_seen_, n_updates_ : int
    Number of examples with a cost, and of those that changed the weights.
progressive_regret_ : dict of str -> float
    Mean regret of the decisions during training, each made by expected cost before its example
    was learned, next to "always negative" and "always positive". NaN without `calibration`. If
    costs were given and a constant policy was cheaper, `fit` warns.
[seen]
""",
    "covariance": """\
covariance_ : ndarray of shape (d,) or (d, d)
    Variances, or the covariance matrix, of the weights.
""",
}


@dataclass_transform(kw_only_default=True, eq_default=False)
def learner(cls):
    """Class decorator: annotated attributes become parameters, shared paragraphs are filled in."""
    cls = dataclass(kw_only=True, eq=False, repr=False)(cls)
    # a dataclass lists inherited parameters first; help reads better the other way round
    signature = inspect.signature(cls.__init__)
    declared = ["self", *(name for base in cls.__mro__ for name in inspect.get_annotations(base))]
    parameters = sorted(signature.parameters.values(), key=lambda p: declared.index(p.name))
    cls.__init__.__signature__ = signature.replace(parameters=parameters)
    return documented(DOCS)(cls)


@learner
class StreamParameters:
    """Parameters of all linear learners."""

    calibration: str | None = "sigmoid"
    half_life: str | float | None = "auto"
    l1: float = 0.0
    fit_intercept: bool = True
    n_passes: int = 1
    shuffle: bool = False
    random_state: int | np.random.RandomState | None = None
    fp_cost: float = 1.0
    fn_cost: float = 1.0
    tp_cost: float = 0.0
    tn_cost: float = 0.0

    _parameter_constraints = {
        **COST_CONSTRAINTS,
        "calibration": [StrOptions({"sigmoid"}), None],
        "half_life": [StrOptions({"auto"}), Interval(Real, 1, None, closed="left"), None],
        "l1": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def _weighting(self):
        """Code of how costs become weights; without `cost_rule`, the step ignores the weight."""
        return AS_GIVEN


@learner
class GaussianParameters:
    """Parameters of the learners with a covariance."""

    covariance: str = "diagonal"
    initial_variance: float = 1.0

    _parameter_constraints = {
        **StreamParameters._parameter_constraints,
        "covariance": [StrOptions({"diagonal", "full"})],
        "initial_variance": [Interval(Real, 0, None, closed="neither")],
    }


@learner
class CostRuleParameters:
    """Parameters of the learners whose step depends on the cost."""

    cost_rule: str = "class"
    normalize_costs: bool = True

    _cost_constraints = {
        "cost_rule": [StrOptions(set(COST_RULES))],
        "normalize_costs": ["boolean"],
    }

    def _weighting(self):
        return COST_RULES.get(self.cost_rule, REGRET) if self.normalize_costs else AS_GIVEN
