"""Contestants that use the error bars of a table."""

from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from stakes.compare._contestants import Contestant
from stakes.compare._error_blend import ErrorColumnsBlend
from stakes.compare._error_columns import ErrorColumnsClassifier, ShrunkMeans
from stakes.decision import BayesDecisionClassifier
from stakes.uncertain import (
    UncertainKernelClassifier,
    UncertainLogisticClassifier,
    UncertainMarginClassifier,
)

SHRUNK = "logistic regression on shrunk means, Bayes decision"
BLEND = "mean of error-bar learners"


def error_bar_contestants():
    """The learners that use error bars, and the baseline that they have to beat.

    Returns
    -------
    list of Contestant

    Examples
    --------
    >>> [c.name for c in error_bar_contestants()][1:-1]
    ['UncertainLogisticClassifier', 'UncertainMarginClassifier', 'UncertainKernelClassifier']
    """
    shrunk = Pipeline([("shrink", ShrunkMeans()), ("learner", LogisticRegression(max_iter=2000))])
    margin = UncertainMarginClassifier(
        formulation="MM-MC", max_error=0.95, C=0.1, error_model="classical"
    )
    kernel = UncertainKernelClassifier(error_model="classical")
    groups = [
        [ErrorColumnsClassifier(clone(one).set_params(C=C), uses_errors=uses) for C in values]
        for one, values, uses in (
            (UncertainLogisticClassifier(), (0.01, 0.1, 1.0), True),
            (UncertainKernelClassifier(), (0.1, 1.0, 10.0), True),
            (UncertainKernelClassifier(), (0.1, 1.0, 10.0), False),
        )
    ]
    return [
        Contestant(
            SHRUNK,
            "baseline",
            BayesDecisionClassifier(shrunk),
            {"estimator__learner__C": [0.01, 0.1, 1.0]},
            error_bars=True,
        ),
        Contestant(
            "UncertainLogisticClassifier",
            "uncertain",
            ErrorColumnsClassifier(UncertainLogisticClassifier()),
            {"estimator__C": [0.01, 0.1, 1.0]},
            error_bars=True,
        ),
        Contestant(
            "UncertainMarginClassifier",
            "uncertain",
            ErrorColumnsClassifier(margin),
            {"estimator__C": [0.01, 0.1, 1.0], "estimator__max_error": [0.5, 0.8, 0.95, 1.0]},
            error_bars=True,
        ),
        Contestant(
            "UncertainKernelClassifier",
            "uncertain",
            ErrorColumnsClassifier(kernel),
            {"estimator__C": [0.1, 1.0, 10.0]},
            max_rows=5000,
            speed="slow",
            error_bars=True,
        ),
        Contestant(
            BLEND,
            "uncertain",
            ErrorColumnsBlend(groups),
            max_rows=5000,
            speed="slow",
            error_bars=True,
        ),
    ]
