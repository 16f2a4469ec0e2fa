"""
The security engineer: what a spammer would change
==================================================

A filter scores words. Once it is known, senders drop the words that give them away and add harmless
ones, month after month. Which words would they move, what would they gain, and which filter holds
against it? The mailbox here is drawn at random so that the page can be built anywhere; ``stakes
reproduce games`` does the same on the dated SpamAssassin and TREC 2007 mails.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

from stakes.game import StackelbergClassifier, manipulation_report
from stakes.metrics import cost_loss

# %%
# Twelve words, counted in 2,000 mails. The first four are typical of spam, the next four of mail
# from people, the others of neither. The sender may write what it likes, except that the link to
# the shop ("url") has to stay: moving it is dear.
WORDS = ["free", "offer", "click", "url", "meeting", "report", "thanks", "monday"]
WORDS += ["and", "with", "this", "from"]
SPAM = np.array([2.0, 1.5, 1.2, 1.6, 0.2, 0.3, 0.4, 0.2, 2, 2, 2, 2])
HAM = np.array([0.3, 0.3, 0.2, 0.4, 1.0, 1.2, 0.9, 0.8, 2, 2, 2, 2])
PRICES = np.array([1, 1, 1, 250, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5])
COSTS = dict(fp_cost=1.0, fn_cost=1.0)


def mailbox(n, rng):
    """Mails of one month: square roots of word counts, as a table with the words as names."""
    y = rng.integers(0, 2, n)
    counts = rng.poisson(np.where(y[:, None] == 1, SPAM, HAM))
    return pl.DataFrame(np.sqrt(counts), schema=WORDS), y


rng = np.random.default_rng(0)
X, y = mailbox(2000, rng)
plain = LogisticRegression(C=10).fit(X, y)

# %%
# Against the plain filter the best move is exact, since the filter is linear: which words, how far,
# what the sender gains and what we lose in money, before the move and at equilibrium.
report = manipulation_report(plain, X, y, PRICES, **COSTS)
print(report.to_markdown(top=5))
report.plot(top=8)
plt.show()

# %%
# A filter at equilibrium knows what the sender will do and leans on what it cannot change. The
# cheaper it is to rewrite a mail, the more that is worth: each filter below meets the sender's best
# answer to itself.
ease = [1, 2, 4, 8, 16]
paid = {"plain": [], "equilibrium": []}
for factor in ease:
    outcomes = manipulation_report(plain, X, y, PRICES / factor, **COSTS).outcomes
    for row in outcomes.filter(pl.col("moved")).iter_rows(named=True):
        paid["plain" if row["against"] == "model" else "equilibrium"].append(row["cost"])
for name, costs in paid.items():
    plt.plot(ease, costs, marker="o", label=name)
    print(f"{name:12} " + ", ".join(f"{cost:,.0f}" for cost in costs))
nothing = cost_loss(y, np.zeros_like(y), normalize=False, **COSTS)
plt.axhline(nothing, color="grey", linestyle=":", label="let everything through")
plt.xscale("log", base=2)
plt.xlabel("how many times cheaper it is to rewrite a mail")
plt.ylabel("cost of 2,000 mails")
plt.legend()
plt.show()

# %%
# The weights say why: the filter at equilibrium trusts the link, which has to stay.
ready = StackelbergClassifier(movement_price=PRICES / 16, alpha=1e-3).fit(X, y)
share = np.abs(np.vstack([plain.coef_[0], ready.coef_[0]]))
share /= share.sum(axis=1, keepdims=True)
for name, parts in zip(("plain", "equilibrium"), share, strict=True):
    print(f"{name:12} weight on the link {parts[WORDS.index('url')]:.0%}")
