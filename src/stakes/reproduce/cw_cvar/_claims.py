"""Verdicts on the claims of Tables II and III of the CW-CVaR paper."""

import numpy as np

from stakes.reproduce._printed import printed
from stakes.reproduce._result import Claim
from stakes.reproduce.cw_cvar._runs import LEARNERS, OURS


def claims_of(name, stream, found):
    """The claims about one data set, and whether its learners beat the constant policies."""
    mean = {k: float(np.mean(v["online"])) for k, v in found.items()}
    constant = min(stream.paid(np.full(len(stream.y), d)) for d in (False, True))
    buffered = min((k for k in LEARNERS if k[-3:] != "buf" and "CV" in k), key=mean.get)
    table = printed("cw_cvar")["II, KDD 98" if "KDD" in name else "II, German"]
    costs = {learner: row["online"] for learner, row in table.items()}
    least = min(costs.values())
    setting = found[buffered]["setting"]
    trials = {k: v["trials"] for k, v in found.items()}
    return [
        _gain(
            f"{name}: CW-CVaR with its buffer reduces the online cost of CW.",
            trials[buffered] / trials["CW"],
            1 - least / costs["CW"],
            f"{buffered} {mean[buffered]:,.0f} against CW {mean['CW']:,.0f} at the settings of the "
            f"first trial (alpha = {setting.expensive_tail:g}, beta = {setting.cheap_tail:g})",
        ),
        _gain(
            f"{name}: the gain comes from the buffer.",
            trials[buffered] / trials["CW-CV-arb-nobuf"],
            1 - least / costs["CW-CV-arb-nobuf"],
            f"{buffered} {mean[buffered]:,.0f}, without a buffer {mean['CW-CV-arb-nobuf']:,.0f}",
        ),
        Claim(
            f"{name}: CW-CVaR beats the best constant policy (not examined in the paper).",
            "reproduced" if mean[buffered] < constant else "not reproduced",
            f"best constant policy {constant:,.0f}, {buffered} {mean[buffered]:,.0f}, "
            + ", ".join(f"{k} {mean[k]:,.0f}" for k in OURS),
        ),
    ]


def _gain(text, ratio, printed_gain, evidence):
    """Verdict on a saving, from the ratio of costs at the settings that each trial chooses.

    The saving must be there in all trials but one in twenty; "reproduced" if its mean is also at
    least half of the printed one.
    """
    share = float(np.mean(ratio < 1))
    if share < 0.95:
        verdict = "not reproduced"
    else:
        verdict = "reproduced" if 1 - ratio.mean() > 0.5 * printed_gain else "partly reproduced"
    spread = (
        f"ratio {ratio.mean():.3f} ({ratio.min():.3f} to {ratio.max():.3f}), below one in "
        f"{share:.0%} of {len(ratio)} trials on which the settings were chosen; "
        f"in the paper {1 - printed_gain:.3f}, one trial"
    )
    return Claim(text, verdict, f"{spread}; {evidence}")
