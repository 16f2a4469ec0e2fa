"""
The engineer with a stream: labels that come late
=================================================

Payments arrive one at a time and must be approved or blocked at once. Whether one was fraud is
known days later, from the customer's complaint. How much does the delay cost, and does a learner
that starts from nothing pay for itself?
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from stakes.datasets import make_fraud
from stakes.online import CWCVaRClassifier, ProbitClassifier
from stakes.stream import DecisionStream, ProgressDisplay, progressive

# %%
# Twenty thousand payments, 2 % of them fraud. Blocking a good one costs a call to the customer,
# approving a bad one costs its amount. The first thousand give the scales.
data = make_fraud(20_000, random_state=1)
start = data.X[:1000]
X = (data.X - start.mean(axis=0)) / start.std(axis=0)
print(data.summary())

# %%
# Predict, pay, learn, in this order, event by event. With ``delay=2000`` the label of an event
# reaches the learner two thousand events later. Until the first label arrives, the known fraud
# rate decides: ``prior=0.02``.
runs = {}
for name, Learner in (("Probit", ProbitClassifier), ("CW-CVaR", CWCVaRClassifier)):
    for delay in (0, 2000):
        result = progressive(Learner(), X, data.y, delay=delay, prior=0.02, **data.costs)
        runs[f"{name}, labels {delay:,} late"] = result
        print(f"{name}, labels {delay:,} late: {result}")

# %%
# Savings so far, compared with the better of never and always blocking (the line at zero).
ax = plt.figure(figsize=(8, 4.5)).gca()
for name, result in runs.items():
    ProgressDisplay(result, name=name).plot(ax, curve="savings")
ax.set_title("Savings so far: decide, pay, learn")
plt.show()

# %%
# In a service, payments and labels are separate messages, linked by the id of the payment. A
# ``DecisionStream`` decides a payment when it arrives and keeps it until its label is known; the
# label is then learned with the features and prices of that payment, and the cost of the decision
# is counted. Here most labels come 500 to 3,000 payments late, and one in ten never comes.
names = [f"f{j}" for j in range(data.X.shape[1])]
late = 500 + (7919 * np.arange(5000)) % 2500
messages = []
for i in range(5000):
    payment = dict(zip(names, data.X[i].tolist(), strict=True), amount=float(data.fn_cost[i]))
    messages.append((i, f"p{i}", payment))
    if i % 10:
        messages.append((i + late[i], f"p{i}", int(data.y[i])))
messages.sort(key=lambda message: message[0])

stream = DecisionStream(
    ProbitClassifier(), fp_cost=10, fn_cost="amount", drop=["amount"], prior=0.02
)
for _, payment_id, content in messages[:4000]:
    if isinstance(content, dict):
        decision = stream.decide(content, payment_id)
    else:
        outcome = stream.label(payment_id, content)
print(decision, outcome, sep="\n")

# %%
# A saved stream holds the learner, the pending payments and the totals. Loaded again, it continues
# exactly, bit for bit, as if it had never stopped.
with tempfile.TemporaryDirectory() as folder:
    stream.save(Path(folder, "payments.skops"))
    stream = DecisionStream.load(Path(folder, "payments.skops"))
for _, payment_id, content in messages[4000:]:
    if isinstance(content, dict):
        stream.decide(content, payment_id)
    else:
        stream.label(payment_id, content)
print(stream.totals, stream.counts, f"{stream.n_pending:,} pending", sep="\n")

# %%
# The same payment is approved or blocked depending on what is at stake. On the command line,
# ``stakes stream --id`` does all of this for a file or a pipe of records.
suspicious = dict(zip(names, data.X[data.y == 1][0].tolist(), strict=True))
for amount in (5.0, 500.0):
    decision = stream.decide(suspicious | {"amount": amount})
    print(f"a payment of {amount:.0f}: {'block' if decision.action else 'approve'}")
