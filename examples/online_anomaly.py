"""
Watching a stream: anomalies with costs
=======================================

Records come one at a time, few of them are anomalies, and a missed one costs more than a false
alarm. A kernel learner decides, sees the label, and learns: the set-up of Section 5 of the CSDUOL
paper, on the breast cancer data that come with scikit-learn (malignant = anomaly).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from stakes.online_kernel import CSDUOLClassifier, DUOLClassifier, KernelPAClassifier

MISSED, FALSE_ALARM = 20.0, 1.0

# %%
# The stream: 100 malignant among 357 benign records, in random order. Scales are taken from the
# first fifty records, since the standard deviations of a stream are not known in advance.
data = load_breast_cancer()
rng = np.random.default_rng(0)
anomalies = np.flatnonzero(data.target == 0)[:100]
order = rng.permutation(np.concatenate([anomalies, np.flatnonzero(data.target == 1)]))
X, y = data.data[order], (data.target[order] == 0).astype(int)
start = X[:50]
X = (X - start.mean(axis=0)) / start.std(axis=0)


# %%
# Decide first, learn afterwards. `decision_function_then_learn` does both for a whole batch and
# returns the score of each record before it was learned; `predict_one` and `learn_one` do the same
# record by record.
def report(name, alarms):
    """Print balanced accuracy and cost; return the cost so far, record by record."""
    missed, false = (y == 1) & ~alarms, (y == 0) & alarms
    balanced = 1 - 0.5 * missed.sum() / (y == 1).sum() - 0.5 * false.sum() / (y == 0).sum()
    cost = np.cumsum(MISSED * missed + FALSE_ALARM * false)
    print(f"{name:23} balanced accuracy {balanced:6.1%}   cost {cost[-1]:6,.0f}")
    return cost


print(f"{len(y)} records, {y.sum()} anomalies; missed {MISSED:g}, false alarm {FALSE_ALARM:g}")
policies = {"never an alarm": np.zeros(len(y), bool), "always an alarm": np.ones(len(y), bool)}
costs = {name: report(name, alarms) for name, alarms in policies.items()}
learners = {
    "PA-I": KernelPAClassifier(gamma=0.01),
    "DUOL": DUOLClassifier(gamma=0.01),
    "CSDUOL, balanced": CSDUOLClassifier(cost_rule="balanced", gamma=0.01),
    "CSDUOL, cost": CSDUOLClassifier(fp_cost=FALSE_ALARM, fn_cost=MISSED, gamma=0.01),
    "CSDUOL, 40 vectors": CSDUOLClassifier(
        fp_cost=FALSE_ALARM, fn_cost=MISSED, gamma=0.01, max_support_vectors=40
    ),
}
costs |= {
    name: report(name, m.decision_function_then_learn(X, y) > 0) for name, m in learners.items()
}

# %%
# The cost so far. Learners that ignore the costs keep missing anomalies; the two constant policies
# are dotted.
ax = plt.figure(figsize=(8, 4.5)).gca()
for name, cost in costs.items():
    ax.plot(cost, label=name, ls=":" if name in policies else "-")
ax.set(xlabel="records", ylabel="cost so far", ylim=(0, 1.1 * costs["always an alarm"][-1]))
ax.legend(frameon=False)
plt.show()

# %%
# The theorems bound the cost of the run by the best function in hindsight. Here theta = 20 exceeds
# C = 10, so the paper's bound does not apply; with a larger C it does.
wide = CSDUOLClassifier(fp_cost=FALSE_ALARM, fn_cost=MISSED, gamma=0.01, C=20.0)
wide.partial_fit(X, y)
print(wide.bound_report(X, y))
assert costs["CSDUOL, cost"][-1] < costs["DUOL"][-1]
