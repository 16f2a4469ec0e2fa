"""
The security engineer with five classes: a published cost matrix
================================================================

In the KDD Cup of 1999 a connection is normal, a probe, a denial of service (dos), an attempt to
become root (u2r) or to get in from outside (r2l), and the organisers published what each mistake
costs: taking u2r for normal costs 3, r2l for normal 4, a false alarm 1 or 2. The likeliest class
is not always the cheapest answer.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from stakes.datasets import fetch_kdd99_attacks
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.metrics import ClassCostCurveDisplay, cost_loss, savings_score
from stakes.tables import ClassData, prepare

CLASSES = ("normal", "probe", "dos", "u2r", "r2l")
COSTS = np.array(
    [[0, 1, 2, 2, 2], [1, 0, 2, 2, 2], [2, 1, 0, 2, 2], [3, 2, 2, 0, 2], [4, 2, 2, 2, 0]]
)


# %%
# The file is read from ``STAKES_DATA``; a simulation takes its place where it is not there. Most
# connections of the file are copies of others, so each is kept once: otherwise a model would be
# tested on rows that it has learned.
def stand_in(n=12_000):
    """Connections of five classes that overlap, two of them rare."""
    rng = np.random.default_rng(0)
    y = rng.choice(5, n, p=[0.6, 0.05, 0.336, 0.002, 0.012])
    centers = rng.normal(scale=1.2, size=(5, 8))
    X = centers[y] + rng.normal(size=(n, 8))
    X = pl.DataFrame({f"x{j}": column for j, column in enumerate(X.T)})
    return ClassData("connections", X, y, classes=CLASSES, actions=CLASSES, cost_matrix=COSTS)


try:
    connections = fetch_kdd99_attacks()
    numbered = connections.X.with_columns(label=connections.y).with_row_index("row")
    once = numbered.unique(pl.exclude("row"), keep="first", maintain_order=True)["row"].to_numpy()
    connections = connections.take(np.random.default_rng(0).permutation(once)[:40_000])
except InputError as missing:
    print(missing)
    connections = stand_in()
print(connections.summary())

# %%
# One forest and three ways to answer: the likeliest class, the class of least expected cost, and
# actions of our own with prices of our own.
forest = RandomForestClassifier(100, min_samples_leaf=2, random_state=0)
rows = np.arange(len(connections))
train, test = train_test_split(rows, test_size=0.5, stratify=connections.y, random_state=0)
past, future = connections.take(train), connections.take(test)
model = prepare(
    BayesDecisionClassifier(forest, cost_matrix=COSTS),
    past,
    scale=False,
    one_hot=False,
).fit(past.X, past.y)
probability = model.predict_proba(future.X)
answers = {
    "likeliest class": probability.argmax(axis=1),
    "least expected cost": model.predict(future.X),
}
for name, decided in answers.items():
    cost = 1000 * cost_loss(future.y, decided, cost_matrix=COSTS, labels=range(5))
    saved = savings_score(future.y, decided, cost_matrix=COSTS, labels=range(5))
    print(f"{name:20} {cost:7.2f} per 1,000 connections, savings {saved:.3f}")

# %%
# Decisions need not be classes. Here somebody may look at a connection for 0.1, and blocking a
# normal one costs 2.
ACTIONS = ["let pass", "look at it", "block"]
PRICES = [[0, 0.1, 2], [1, 0.1, 0], [2, 0.1, 0], [3, 0.1, 0], [4, 0.1, 0]]
act = np.asarray(ACTIONS)[(probability @ np.asarray(PRICES)).argmin(axis=1)]
cost = 1000 * cost_loss(future.y, act, cost_matrix=PRICES, labels=range(5), actions=ACTIONS)
shares = ", ".join(f"{action} {np.mean(act == action):.1%}" for action in ACTIONS)
print(f"{cost:.2f} per 1,000 connections; {shares}")

# %%
# Attacks from outside are rare in this file. The curve shows the cost of the decisions if they
# become more frequent and the probabilities are corrected for it, as
# :func:`stakes.decision.shift_prior` does.
ClassCostCurveDisplay.from_predictions(
    future.y, probability, cost_matrix=COSTS, labels=range(5), of=4, name="forest"
)
plt.xlabel("Share of r2l among all connections")
plt.show()

# %%
# On the command line: ``stakes compare connections.csv --target kind --cost-matrix costs.csv``.
