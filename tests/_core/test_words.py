"""Messages show plain values, whatever types of numpy the caller uses."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stakes import metrics, online, risk
from stakes.decision import BayesDecisionClassifier, BudgetDecisionClassifier
from stakes.game._target import coded_labels
from stakes.online_forest import StreamForestClassifier
from stakes.online_kernel import KernelPAClassifier
from stakes.stream import progressive
from stakes.svm import CostSensitiveSVC

X, Y = np.arange(12.0).reshape(6, 2), np.arange(6) % 2
SAME, TWO, NINE = np.ones(6, dtype=int), np.float64(2.0), np.int64(9)
STREAMS = (online.PAClassifier, StreamForestClassifier, KernelPAClassifier)


def _begun(learner):
    return learner().learn_one(X[0], Y[0], classes=np.unique(Y))


CALLS = {
    "one class": lambda: CostSensitiveSVC().fit(X, SAME),
    "one class to decide": lambda: BayesDecisionClassifier(LogisticRegression()).fit(X, SAME),
    "one class of text": lambda: BudgetDecisionClassifier(LogisticRegression()).fit(
        X, np.full(6, "a")
    ),
    "pos_label": lambda: metrics.cost_loss(Y, Y, pos_label=NINE),
    "positive_weight": lambda: metrics.weighted_sum_score(Y, Y, positive_weight=TWO),
    "prior": lambda: metrics.risk_loss(Y, Y, prior=TWO),
    "n_boot": lambda: metrics.bootstrap_interval(metrics.cost_loss, Y, Y, n_boot=np.int64(0)),
    "confidence_level": lambda: metrics.bootstrap_interval(
        metrics.cost_loss, Y, Y, confidence_level=TWO
    ),
    "tail": lambda: risk.value_at_risk(X[:, 0], TWO),
    "eta": lambda: online.ellipsoid_of_var(X[0], np.eye(2), TWO),
    "delay": lambda: progressive(online.PAClassifier(), X, Y, delay=np.int64(-1)),
    "pos_label of a game": lambda: coded_labels(Y, NINE),
    "tiny column": lambda: BayesDecisionClassifier(LogisticRegression()).fit(X * 1e-200, Y),
    **{
        f"{what} of {learner.__name__}": lambda learner=learner, given=given: _begun(
            learner
        ).learn_one(X[0], **given)
        for learner in STREAMS
        for what, given in {
            "label": dict(y=NINE),
            "weight": dict(y=Y[0], sample_weight=np.float64(-1.0)),
        }.items()
    },
    **{
        f"classes of {learner.__name__}": lambda learner=learner: (
            learner().partial_fit(X, Y).partial_fit(X, Y, classes=np.array([0, 7]))
        )
        for learner in STREAMS
    },
}


@pytest.mark.parametrize("call", CALLS)
def test_messages_have_no_types_of_numpy(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        CALLS[call]()
    words = str(caught.value)
    assert not re.search(r"np\.|array\(|argument", words), words
