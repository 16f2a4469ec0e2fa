"""Verdicts on the claims of the CSDUOL paper."""

import numpy as np

from stakes.reproduce._printed import printed
from stakes.reproduce._result import Claim
from stakes.reproduce.csduol._runs import FITTING, STATED, of_setting, weighted_cost, weighted_sum

LEARNERS = ("Perceptron", "ALMA", "ROMMA", "PA-I", "DUOL", "PAUM", "CPA", "CSDUOL")


def claims_of(found):
    """All claims whose sets were run."""
    claims = []
    sums = [name for name, one in found.items() if ("CSDUOL", str(FITTING[0])) in one]
    anomalies = [name for name in found if name not in sums]
    if sums:
        claims += [
            _first("CSDUOL_sum has the largest sum on all sets of Table 2", found, sums, _sum),
            _first("CSDUOL_cost has the lowest cost on all sets of Table 2", found, sums, _cost),
            _always("CSDUOL leads throughout the stream (Figure 1)", found, sums, _sum_curve),
            _always("CSDUOL leads throughout the stream (Figure 2)", found, sums, _cost_curve),
            _support(found, sums),
            _seconds(found, sums),
            _prices(found, sums),
            _constant(found, sums),
        ]
    if anomalies:
        text = "CSDUOL_sum has the largest balanced accuracy on all sets of Table 4"
        claims.append(_first(text, found, anomalies, _sum))
    return claims


def _sum(one):
    return weighted_sum(one)[:, -1]


def _cost(one):
    return -weighted_cost(one, FITTING)[:, -1]


def _sum_curve(one):
    return weighted_sum(one).mean(axis=0)


def _cost_curve(one):
    return -weighted_cost(one, FITTING).mean(axis=0)


def _take(found, name, learner, measure):
    setting = str(FITTING[0]) if measure in (_cost, _cost_curve) else "sum"
    return measure(of_setting(found[name], learner, setting))


def _first(text, found, names, measure):
    """Whether CSDUOL is first, and its lead over the runner-up, order by order."""
    evidence, won = [], 0
    for name in names:
        values = {k: _take(found, name, k, measure) for k in LEARNERS}
        means = {k: float(v.mean()) for k, v in values.items()}
        next_best = max((k for k in LEARNERS if k != "CSDUOL"), key=means.get)
        ahead = values["CSDUOL"] - values[next_best]
        won += means["CSDUOL"] > means[next_best]
        evidence.append(
            f"{name}: {means['CSDUOL'] - means[next_best]:+.2f} over {next_best}, ahead in "
            f"{np.count_nonzero(ahead > 0)} of {len(ahead)} orders"
        )
    return Claim(text, _verdict(won, len(names)), "; ".join(evidence))


def _always(text, found, names, curve):
    led = total = 0
    for name in names:
        rivals = np.max([_take(found, name, k, curve) for k in LEARNERS[:-1]], axis=0)
        ahead = _take(found, name, "CSDUOL", curve) > rivals
        led, total = led + int(ahead.sum()), total + len(ahead)
    return Claim(text, _verdict(led, total), f"ahead of all others at {led} of {total} points")


def _support(found, names):
    evidence, kept = [], 0
    for name in names:
        counts = {k: _take(found, name, k, lambda one: one["support"]).mean() for k in LEARNERS}
        kept += counts["CSDUOL"] < min(counts["PA-I"], counts["CPA"])
        evidence.append(
            f"{name}: {counts['CSDUOL']:,.0f}, DUOL {counts['DUOL']:,.0f}, PA-I "
            f"{counts['PA-I']:,.0f}, CPA {counts['CPA']:,.0f}"
        )
    text = "CSDUOL_sum keeps about as many support vectors as DUOL and fewer than PA-I and CPA"
    return Claim(text, _verdict(kept, len(names)), "; ".join(evidence))


def _seconds(found, names):
    ratios = {}
    for name in names:
        seconds = {k: float(_take(found, name, k, lambda one: one["seconds"])) for k in LEARNERS}
        ratios[name] = seconds["CSDUOL"] / seconds["PA-I"]
    evidence = "; ".join(f"{name}: {ratio:.1f} times PA-I" for name, ratio in ratios.items())
    kept = sum(ratio < 1.5 for ratio in ratios.values())
    return Claim(
        "CSDUOL is as efficient as the other learners", _verdict(kept, len(ratios)), evidence
    )


def _prices(found, names):
    """Distance of our costs from the printed ones at the stated and at the fitting prices."""
    paper, spread = printed("csduol"), printed("csduol", "spread")
    evidence = []
    for prices in (STATED, FITTING):
        off = []
        for name in names:
            table = f"2, cost on {name}"
            for learner in ("CPA", "CSDUOL"):
                one = found[name][learner, str(prices[0])]
                gap = weighted_cost(one, prices)[:, -1].mean() - paper[table][learner]["cost"]
                off.append(abs(gap) / spread[table][learner]["cost"])
        evidence.append(
            f"with c_p = {prices[0]} the costs of CPA and CSDUOL are {np.mean(off):.1f} of the "
            f"paper's standard deviations off on average, at most {np.max(off):.1f}"
        )
    return Claim("The costs are c_p = 0.95, c_n = 0.05", "not reproduced", "; ".join(evidence))


def _constant(found, names):
    """Not a claim of the paper; puts its costs in perspective."""
    evidence, won = [], 0
    for name in names:
        one = found[name]["CSDUOL", str(FITTING[0])]
        cost = weighted_cost(one, FITTING)[:, -1].mean()
        same = {
            "all negative": FITTING[0] * one["n_positive"][0, -1],
            "all positive": FITTING[1] * one["n_negative"][0, -1],
        }
        policy = min(same, key=same.get)
        won += cost < same[policy]
        evidence.append(f"{name}: {cost:,.0f} against {same[policy]:,.0f} ({policy})")
    text = "CSDUOL_cost beats the best constant policy (not examined in the paper)"
    return Claim(text, _verdict(won, len(names)), "; ".join(evidence))


def _verdict(kept, total):
    if kept == total:
        return "reproduced"
    return "partly reproduced" if kept else "not reproduced"
