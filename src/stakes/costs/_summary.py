"""What is at stake: constant policies, break-even probabilities, concentration of the costs."""

from dataclasses import asdict, dataclass

import numpy as np


@dataclass(frozen=True)
class CostSummary:
    """Key figures of a set of costs; prints as text.

    Attributes
    ----------
    n, n_positive : int
        Number of examples and of positives (None if the labels are unknown).
    all_negative, all_positive : float
        Total cost of the constant policies.
    break_even, break_even_low, break_even_high : float
        Median, 5 % and 95 % quantile of the break-even probability.
    top_share : float
        Share of the total regret in the 1 % most expensive examples.
    """

    n: int
    n_positive: int | None
    all_negative: float | None
    all_positive: float | None
    break_even: float
    break_even_low: float
    break_even_high: float
    top_share: float | None

    @classmethod
    def of(cls, costs, positive=None):
        """Summarize some :class:`Costs`; `positive` as in :meth:`Costs.summary`."""
        low, middle, high = np.quantile(costs.break_even, [0.05, 0.5, 0.95])
        facts = dict.fromkeys(("n_positive", "all_negative", "all_positive", "top_share"))
        if positive is not None:
            positive = np.asarray(positive, dtype=bool)
            facts = dict(
                n_positive=int(positive.sum()),
                all_negative=float(costs.paid(positive, np.zeros_like(positive)).sum()),
                all_positive=float(costs.paid(positive, np.ones_like(positive)).sum()),
                top_share=_top_share(costs.regret(positive)),
            )
        return cls(
            n=len(costs),
            break_even=float(middle),
            break_even_low=float(low),
            break_even_high=float(high),
            **facts,
        )

    @property
    def best_trivial(self):
        """Cost of the cheaper constant policy."""
        return None if self.n_positive is None else min(self.all_negative, self.all_positive)

    def to_dict(self):
        """Return the figures as a dict, for JSON."""
        return asdict(self)

    def __str__(self):
        return self.in_words()

    def in_words(self, amount="{:,.2f}".format):
        """The figures as text, with amounts of money as a function writes them."""
        lines = []
        if self.n_positive is not None:
            share = self.n_positive / self.n
            lines += [
                f"{self.n:,} examples, {self.n_positive:,} positive ({share:.2%}).",
                f"Always negative costs {amount(self.all_negative)}; "
                f"always positive costs {amount(self.all_positive)}.",
            ]
        if self.break_even_low == self.break_even_high:
            lines.append(f"Say positive above a probability of {self.break_even:.4f}.")
        else:
            lines.append(
                f"Say positive above a probability of {self.break_even:.4f} (median; "
                f"{self.break_even_low:.4f} to {self.break_even_high:.4f} in 90% of the examples)."
            )
        if self.top_share is not None:
            lines.append(f"The top 1% of the examples hold {self.top_share:.1%} of the stakes.")
        return "\n".join(lines)


def _top_share(regret, share=0.01):
    total = regret.sum()
    if total <= 0:
        return 0.0
    k = max(1, round(share * len(regret)))
    return float(np.partition(regret, len(regret) - k)[len(regret) - k :].sum() / total)
