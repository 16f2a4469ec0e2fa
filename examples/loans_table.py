"""
The analyst with a table: which loans to refuse
===============================================

A thousand loans, each with its own costs: refusing a good customer loses the interest, lending to a
bad one loses three quarters of the amount. Which learner and decision rule lose the least money?
"""

import tempfile

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from stakes.compare import compare
from stakes.datasets import load_german_credit
from stakes.decision import BayesDecisionClassifier
from stakes.metrics import CumulativeCostDisplay, savings_score
from stakes.tables import prepare

# %%
# The summary shows what is at stake before any model is fitted: what the two constant policies
# cost, and how unevenly the costs are spread.
loans = load_german_credit()
print(loans.summary())

# %%
# Two learners, each with a threshold of 0.5 and, calibrated, with a decision at the loan's own
# costs. Negative savings are worse than no model.
rows = train_test_split(np.arange(1000), test_size=0.5, stratify=loans.y, random_state=0)
train, test = (loans.take(part) for part in rows)
learners = {
    "logistic": prepare(LogisticRegression(), loans.X, scale=True, one_hot=True),
    "boosting": prepare(
        HistGradientBoostingClassifier(max_iter=60, random_state=0),
        loans.X,
        scale=False,
        one_hot=False,
    ),
}
decisions = {}
for name, learner in learners.items():
    model = BayesDecisionClassifier(learner, calibration="sigmoid").fit(train.X, train.y)
    decisions[f"{name}, Bayes decision"] = model.predict(test.X, **test.costs)
    decisions[f"{name}, at 0.5"] = learner.fit(train.X, train.y).predict(test.X)
for name, decision in decisions.items():
    print(f"{name:24} savings {savings_score(test.y, decision, **test.costs):6.2f}")

# %%
# The cumulative cost, loan by loan.
display = CumulativeCostDisplay.from_predictions(test.y, decisions, **test.costs)
display.ax_.set_title("Cumulative cost of 500 loan decisions")
plt.show()

# %%
# The whole comparison, with tuning, intervals and a report for the manager, is one call (or one
# command: ``stakes compare german``). Repeat the call to resume an interrupted run.
with tempfile.TemporaryDirectory() as folder:
    results = compare(
        loans, learners=["logistic regression, Bayes decision"], tune=False, folds=3, out=folder
    )
    table = results.to_frame().group_by("learner").agg(pl.col("cost_per_1000").mean())
for name, cost in table.sort("cost_per_1000").rows():
    print(f"{name:38} {cost:10,.0f} per 1,000 loans")
