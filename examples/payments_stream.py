"""
The engineer with a stream: labels that come late
=================================================

Payments arrive one at a time and must be let through or blocked at once. Whether one was fraud is
known days later, from the customer's complaint. How much does the delay cost, and does a learner
that has seen nothing at first pay for itself?
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from stakes.datasets import make_fraud
from stakes.online import CWCVaRClassifier, ProbitClassifier
from stakes.stream import ProgressDisplay, progressive

# %%
# Twenty thousand payments, 2 % of them fraud. Blocking a good one costs a call to the customer,
# letting a bad one through costs its amount. The first thousand give the scales.
data = make_fraud(20_000, random_state=1)
start = data.X[:1000]
X = (data.X - start.mean(axis=0)) / start.std(axis=0)
print(data.summary())

# %%
# Predict, pay, learn, in this order, event by event. With ``delay=2000`` the label of an event
# reaches the learner two thousand events later. Until the first one is there, the rate of fraud
# that is known from elsewhere decides: ``prior=0.02``.
runs = {}
for name, Learner in (("Probit", ProbitClassifier), ("CW-CVaR", CWCVaRClassifier)):
    for delay in (0, 2000):
        progress = progressive(Learner(), X, data.y, delay=delay, prior=0.02, **data.costs)
        runs[f"{name}, labels {delay:,} late"] = progress
        print(f"{name}, labels {delay:,} late: {progress}")

# %%
# Savings so far, against the better of never and always blocking (the line at zero).
ax = plt.figure(figsize=(8, 4.5)).gca()
for name, progress in runs.items():
    ProgressDisplay(progress, name=name).plot(ax, curve="savings")
ax.set_title("Savings so far: decide, pay, learn")
plt.show()

# %%
# In a service the label is a message of its own, with the id of its payment. ``stakes stream --id``
# reads such a stream: an event is decided at once and waits; when its label comes it is learnt, at
# the features and the price that it had, and what the decision cost is booked. Here most labels
# come 500 to 3,000 payments late, and one in ten never comes.
names = [f"f{j}" for j in range(data.X.shape[1])]
late = 500 + (7919 * np.arange(5000)) % 2500
messages = []
for i in range(5000):
    event = dict(zip(names, data.X[i].tolist(), strict=True), payment=f"p{i}")
    messages.append((i, event | {"amount": float(data.fn_cost[i])}))
    if i % 10:
        messages.append((i + late[i], {"payment": f"p{i}", "fraud": int(data.y[i])}))
messages = [message for _, message in sorted(messages, key=lambda pair: pair[0])]

with tempfile.TemporaryDirectory() as folder:
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    Path(folder, "events.jsonl").write_text(lines)
    command = "stream events.jsonl --id payment --target fraud --fp-cost 10 --fn-cost amount"
    command += " --drop amount --prior 0.02"
    said = subprocess.run(
        [sys.executable, "-m", "stakes", *command.split()],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    ).stderr
    decisions = Path(folder, "decisions.csv").read_text().splitlines()
print(said, *decisions[:3], sep="\n")

# %%
# The checkpoint that it keeps holds the model and the payments that wait: after ``kill -9`` the
# same command goes on, and gives the decisions of a run that was never stopped. In your own loop
# the two halves are ``predict_one`` when a payment comes and ``learn_one`` when its label does.
model, waiting = ProbitClassifier(), {}
for i in range(1000):
    waiting[i] = X[i], data.fn_cost[i]  # kept as it was when it was decided
    if i >= 200:  # the label of an earlier payment has come
        features, amount = waiting.pop(i - 200)
        model.learn_one(features, data.y[i - 200], fp_cost=10.0, fn_cost=amount)
suspicious = X[data.y == 1][0]
for amount in (5.0, 500.0):
    decision = model.predict_one(suspicious, fp_cost=10.0, fn_cost=amount)
    print(f"a payment of {amount:.0f}: {'block' if decision else 'let through'}")
