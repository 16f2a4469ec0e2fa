"""A scorer for cross-validation: what the decisions cost after the adversaries have moved."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from stakes._core.deciding import row_count
from stakes.costs import COST_NAMES
from stakes.game._attack import attack


def make_attack_scorer(
    moves,
    *,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    pos_label=None,
    case_seconds=1.0,
):
    """Make a `scoring=` that chooses by what the decisions cost after the best moves against them.

    Parameters
    ----------
    moves : Moves or list of Moves
        What each adversary can do; with several, the largest bill counts.
    fp_cost, fn_cost, tp_cost, tn_cost : float, default=None
        Costs of all rows, unless costs are routed, see :func:`stakes.metrics.make_cost_scorer`.
    pos_label : label, default=None
        Class of the adversary; None: the larger label.
    case_seconds : float, default=1.0
        As in :func:`attack`.

    Returns
    -------
    AttackScorer
        A callable `(estimator, X, y, **costs) -> float`: minus the mean cost of a decision.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes.game import Moves
    >>> X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    >>> scorer = make_attack_scorer(Moves({"x0": 1.0}), fn_cost=3.0)
    >>> scorer(LogisticRegression().fit(X, y), X, y)
    -0.9
    """
    adversaries = list(moves) if isinstance(moves, list | tuple) else [moves]
    return AttackScorer(
        moves=adversaries,
        fp_cost=fp_cost,
        fn_cost=fn_cost,
        tp_cost=tp_cost,
        tn_cost=tn_cost,
        pos_label=pos_label,
        case_seconds=case_seconds,
    )


@dataclass(kw_only=True, eq=False, repr=False)
class AttackScorer(BaseEstimator):
    """Result of :func:`make_attack_scorer`; an estimator of scikit-learn, so it can be cloned."""

    # read by scikit-learn's metadata routing
    __metadata_request__score = dict.fromkeys(COST_NAMES, True) | {"estimator": UNUSED}

    moves: list
    fp_cost: object = None
    fn_cost: object = None
    tp_cost: object = None
    tn_cost: object = None
    pos_label: object = None
    case_seconds: float = 1.0

    def __call__(self, estimator, X, y, **costs):
        """Minus the mean cost of a decision of a fitted estimator after the moves."""
        return self.score(estimator, X, y, **costs)

    def score(self, estimator, X, y, *, fp_cost=None, fn_cost=None, tp_cost=None, tn_cost=None):
        """Score, with the signature that scikit-learn's routing reads."""
        routed = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        costs = {
            name: getattr(self, name) if cost is None else cost for name, cost in routed.items()
        }
        how = dict(pos_label=self.pos_label, settle=False, case_seconds=self.case_seconds)
        found = [attack(estimator, X, np.asarray(y), one, **how, **costs) for one in self.moves]
        return -max(one.bill_after for one in found) / row_count(X)
