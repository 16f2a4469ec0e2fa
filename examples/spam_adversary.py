"""
Security: how a spammer would evade a filter
============================================

A filter scores words. Once senders know it, they drop the words that give them away and add
harmless ones. Which words would they change, what would they gain, and which filter withstands it?
The mails here are simulated so that the page can be built anywhere; ``stakes reproduce games`` does
the same on the dated SpamAssassin and TREC 2007 mails.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

from stakes.game import StackelbergClassifier, manipulation_report
from stakes.metrics import cost_loss

# %%
# Counts of twelve words in 2,000 mails. The first four are typical of spam, the next four of
# personal mail, the others of neither. The sender can write anything, but the link to the shop
# ("url") has to stay: changing it is expensive.
WORDS = ["free", "offer", "click", "url", "meeting", "report", "thanks", "monday"]
WORDS += ["and", "with", "this", "from"]
SPAM = np.array([2.0, 1.5, 1.2, 1.6, 0.2, 0.3, 0.4, 0.2, 2, 2, 2, 2])
HAM = np.array([0.3, 0.3, 0.2, 0.4, 1.0, 1.2, 0.9, 0.8, 2, 2, 2, 2])
PRICES = np.array([1, 1, 1, 250, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5])
COSTS = dict(fp_cost=1.0, fn_cost=1.0)


def mailbox(n, rng):
    """Simulate n mails: square roots of word counts, with the words as column names."""
    y = rng.integers(0, 2, n)
    counts = rng.poisson(np.where(y[:, None] == 1, SPAM, HAM))
    return pl.DataFrame(np.sqrt(counts), schema=WORDS), y


rng = np.random.default_rng(0)
X, y = mailbox(2000, rng)
plain = LogisticRegression(C=10).fit(X, y)

# %%
# The plain filter is linear, so the best move against it is exact: which words are changed and how
# far, what the sender gains, and what that costs us, for this filter and at equilibrium.
report = manipulation_report(plain, X, y, PRICES, random_state=0, **COSTS)
print(report.to_markdown(top=5))
report.plot(top=8)
plt.show()

# %%
# The filter at equilibrium anticipates the sender and relies on what cannot be changed. The cheaper
# it is to rewrite a mail, the more that pays off. Each filter below faces the best move against
# itself; "plain" is fitted with the same costs as the equilibrium, so that the gain of the game is
# not mistaken for the gain of the costs.
ease = [1, 2, 4, 8, 16]
paid = {"model": [], "plain": [], "equilibrium": []}
for factor in ease:
    report = manipulation_report(plain, X, y, PRICES / factor, random_state=0, **COSTS)
    for row in report.outcomes.filter(pl.col("moved")).iter_rows(named=True):
        paid[row["against"]].append(row["cost"])
for name, costs in paid.items():
    plt.plot(ease, costs, marker="o", label=name)
    print(f"{name:12} " + ", ".join(f"{cost:,.0f}" for cost in costs))
nothing = cost_loss(y, np.zeros_like(y), normalize=False, **COSTS)
plt.axhline(nothing, color="grey", linestyle=":", label="no filter")
plt.xscale("log", base=2)
plt.xlabel("factor by which rewriting a mail is cheaper")
plt.ylabel("cost of 2,000 mails")
plt.legend()
plt.show()

# %%
# The weights show why: the filter at equilibrium relies on the link, which has to stay.
ready = StackelbergClassifier(movement_price=PRICES / 16, alpha=1e-3).fit(X, y)
share = np.abs(np.vstack([plain.coef_[0], ready.coef_[0]]))
share /= share.sum(axis=1, keepdims=True)
for name, parts in zip(("plain", "equilibrium"), share, strict=True):
    print(f"{name:12} weight on the link {parts[WORDS.index('url')]:.0%}")
