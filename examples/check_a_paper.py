"""
The researcher: check a table of a paper
========================================

A thesis prints twelve equilibria of a game between a spammer, who shifts the mean of its class, and
a filter, which moves its boundary. Are they equilibria? Every paper behind the library can be
re-run with ``stakes reproduce NAME`` (``games --repeats 1`` also runs without data files, and names
the parts that it skips). This page checks one number by hand, then compares a new method with the
baselines.
"""

import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import GaussianNB

from stakes.compare import Contestant, compare
from stakes.datasets import load_german_credit
from stakes.decision import BayesDecisionClassifier
from stakes.game import GaussianShiftGame

# %%
# The row printed for alpha = 0.01 and beta = 0.01, whose numbers are those of alpha = 0.03 (see
# the errata): shift u = 1.16, boundary w = 5.99, payoff of the spammer 0.0175.
game = GaussianShiftGame(
    [1.0], [2.0], [10.0], [2.0], divergence_price=0.03, boundary_price=0.01, divergence="thesis"
)
found = game.solve()
print(f"shift {found.mean_shift[0]:.3f}, boundary {found.boundary[0]:.3f}")
for shift, payoff in found.local[0]:
    print(f"local equilibrium: shift {shift:.3f}, payoff of the spammer {payoff:.4f}")

# %%
# The spammer's payoff for every shift, given the filter's best reply: the printed point is the
# first peak, the second peak is more than twenty times as high.
shifts = np.linspace(0, 9, 181)
payoffs = [game.payoffs(u).leader_payoff for u in shifts]
plt.plot(shifts, payoffs)
plt.axvline(1.16, color="grey", linestyle=":", label="printed in the thesis")
plt.axvline(found.mean_shift[0], color="black", linestyle="--", label="exact")
plt.xlabel("shift of the spammer's mean")
plt.ylabel("payoff of the spammer")
plt.legend()
plt.show()

# %%
# Any classifier with scikit-learn's interface can be compared. ``compare`` runs it on the same
# folds as the constant policies and the usual baselines, and reports the savings.
own = Contestant("my method", "mine", BayesDecisionClassifier(GaussianNB()))
with tempfile.TemporaryDirectory() as folder:
    results = compare(load_german_credit(), learners=[own], folds=3, tune=False, out=folder)
    for facts in results.summary()["datasets"][0]["learners"]:
        print(f"{facts['savings']:7.3f}  {facts['learner']}")
