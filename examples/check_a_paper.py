"""
The researcher: check a table of a paper
========================================

A thesis prints twelve equilibria of a game between a spammer, who shifts the mean of its class, and
a filter, which moves its boundary. Are they equilibria? Every paper behind the library can be
re-run by ``stakes reproduce NAME`` (``games --repeats 1`` needs no data files, and says what does);
this page does one table by hand, then puts a method of its own beside the baselines.
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
# The cell that the thesis prints under alpha = 0.01 and beta = 0.01; its numbers are those of a
# price of 0.03 for divergence (see the errata): the shift u = 1.16 and the boundary w = 5.99,
# worth 0.0175 to the spammer.
game = GaussianShiftGame(
    [1.0], [2.0], [10.0], [2.0], divergence_price=0.03, boundary_price=0.01, divergence="thesis"
)
found = game.solve()
print(f"shift {found.mean_shift[0]:.3f}, boundary {found.boundary[0]:.3f}")
for shift, payoff in found.local[0]:
    print(f"local equilibrium: shift {shift:.3f}, worth {payoff:.4f} to the spammer")

# %%
# The payoff of the spammer over all shifts, the filter answering each one best: the printed point
# is the top of the first hill, the second hill is more than twenty times as high.
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
# A method of your own is any classifier with scikit-learn's interface. ``compare`` runs it on the
# same folds as the trivial policies and the usual baselines, and counts the money.
own = Contestant("my method", "mine", BayesDecisionClassifier(GaussianNB()))
with tempfile.TemporaryDirectory() as folder:
    results = compare(load_german_credit(), learners=[own], folds=3, tune=False, out=folder)
    for facts in results.summary()["datasets"][0]["learners"]:
        print(f"{facts['savings']:7.3f}  {facts['learner']}")
