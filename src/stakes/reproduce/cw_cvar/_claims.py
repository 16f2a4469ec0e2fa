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
    plain, nobuf = mean["CW"], mean["CW-CV-arb-nobuf"]
    change = mean[buffered] / plain - 1
    table = printed("cw_cvar")["II, KDD 98" if "KDD" in name else "II, German"]
    costs = {learner: row["online"] for learner, row in table.items()}
    least = min(costs.values())
    gain, buffer_gain = 1 - least / costs["CW"], 1 - least / costs["CW-CV-arb-nobuf"]
    setting = found[buffered]["setting"]
    return [
        Claim(
            f"{name}: CW-CVaR with its buffer reduces the online cost of CW.",
            _verdict(-change, 0.5 * gain),
            f"{buffered} {mean[buffered]:,.0f} against CW {plain:,.0f} ({change:+.1%}; in the "
            f"paper -{gain:.0%}); chosen: alpha = {setting.expensive_tail:g}, "
            f"beta = {setting.cheap_tail:g}",
        ),
        Claim(
            f"{name}: the gain comes from the buffer.",
            _verdict(1 - mean[buffered] / nobuf, 0.5 * buffer_gain),
            f"with it {mean[buffered]:,.0f}, without {nobuf:,.0f} "
            f"({mean[buffered] / nobuf - 1:+.1%}; in the paper -{buffer_gain:.0%})",
        ),
        Claim(
            f"{name}: CW-CVaR beats the best constant policy (not examined in the paper).",
            _verdict(1 - mean[buffered] / constant if constant else -1.0, 0.0),
            f"best constant policy {constant:,.0f}, {buffered} {mean[buffered]:,.0f}, "
            + ", ".join(f"{k} {mean[k]:,.0f}" for k in OURS),
        ),
    ]


def _verdict(gain, enough):
    if gain > enough:
        return "reproduced"
    return "partly reproduced" if gain > 0.01 else "not reproduced"
