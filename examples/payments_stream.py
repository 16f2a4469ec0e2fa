"""
The engineer with a stream: labels that come late
=================================================

Payments arrive one at a time and must be let through or blocked at once. Whether one was fraud is
known days later, from the customer's complaint. How much does the delay cost, and does a learner
that has seen nothing at first pay for itself?
"""

import matplotlib.pyplot as plt

from stakes.compare import ProgressDisplay, progressive
from stakes.datasets import make_fraud
from stakes.online import CWCVaRClassifier, ProbitClassifier

# %%
# Twenty thousand payments, 2 % of them fraud. Blocking a good one costs a call to the customer,
# letting a bad one through costs its amount. The first thousand give the scales.
data = make_fraud(20_000, random_state=1)
start = data.X[:1000]
X = (data.X - start.mean(axis=0)) / start.std(axis=0)
print(data.summary())

# %%
# Predict, pay, learn, in this order, event by event. With ``delay=2000`` the label of an event
# reaches the learner two thousand events later; decisions until then are made without it.
runs = {
    f"{name}, labels {delay:,} late": progressive(model, X, data.y, delay=delay, **data.costs)
    for name, model in (("Probit", ProbitClassifier()), ("CW-CVaR", CWCVaRClassifier()))
    for delay in (0, 2000)
}
for name, progress in runs.items():
    print(f"{name}: {progress}")

# %%
# Money paid so far, beside the policies that never and always block.
ax = plt.figure(figsize=(8, 4.5)).gca()
for name, progress in runs.items():
    ProgressDisplay(progress, name=name).plot("savings", ax=ax)
ax.set_title("Savings so far: decide, pay, learn")
plt.show()

# %%
# The model that comes out is small and exact to restart: two arrays, whatever the length of the
# stream. ``stakes stream`` runs the same loop on lines of CSV or JSON, keeps a checkpoint, and
# after a crash goes on without learning an event twice.
model = ProbitClassifier().fit(X, data.y)
suspicious = X[data.y == 1][0]
for amount in (5.0, 500.0):
    decision = model.predict_one(suspicious, fp_cost=10.0, fn_cost=amount)
    print(f"a payment of {amount:.0f}: {'block' if decision else 'let through'}")
