"""The certified error as `scoring=`: settings that are right and stay right."""

from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from stakes.costs import COST_NAMES
from stakes.metrics import certified_cost_loss, certified_error
from stakes.uncertain._information import NAMES, present


def make_certified_scorer(measure="best"):
    """Make a `scoring=` for searches over classifiers of uncertain points: OptErr, negated.

    Parameters
    ----------
    measure : str, default="best"
        Certificate, as in `predict_certificate`; "1" to "4" and "c" give the paper's OptErr.

    Returns
    -------
    CertifiedScorer
        A callable `(estimator, X, y, **information) -> float`. With costs, decisions are made at
        these costs, and the score is :func:`~stakes.metrics.certified_cost_loss`, negated. With
        metadata routing, error bars and costs are split with the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from stakes.uncertain import UncertainMarginClassifier
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    >>> model = UncertainMarginClassifier(formulation="MM-MC", max_error=0.5).fit(X, y, std=0.2)
    >>> round(make_certified_scorer()(model, X, y, std=0.2), 3)
    -0.024
    """
    return CertifiedScorer(measure=measure)


class CertifiedScorer(BaseEstimator):
    """Result of :func:`make_certified_scorer`."""

    # read by scikit-learn's metadata routing
    __metadata_request__score = dict.fromkeys((*NAMES, *COST_NAMES), True) | {"estimator": UNUSED}

    def __init__(self, *, measure="best"):
        self.measure = measure

    def __call__(self, estimator, X, y, **given):
        """Score a fitted estimator; larger is better."""
        return self.score(estimator, X, y, **given)

    def score(
        self,
        estimator,
        X,
        y,
        *,
        lower=None,
        upper=None,
        var=None,
        std=None,
        cov=None,
        mean_lower=None,
        mean_upper=None,
        replicates=None,
        fp_cost=None,
        fn_cost=None,
        tp_cost=None,
        tn_cost=None,
    ):
        """Score, with the signature that scikit-learn's routing reads."""
        known = present(lower=lower, upper=upper, var=var, std=std, cov=cov)
        known |= present(mean_lower=mean_lower, mean_upper=mean_upper, replicates=replicates)
        costs = present(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
        decided = estimator.predict(X, **known, **costs)
        bound = estimator.predict_certificate(X, measure=self.measure, **known, **costs)
        if costs:
            positive = estimator.classes_[1]
            return -certified_cost_loss(y, decided, bound, pos_label=positive, **costs)
        return -certified_error(y, decided, bound)
