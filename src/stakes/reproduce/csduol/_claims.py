"""Verdicts on the claims of the CSDUOL paper."""

import numpy as np
from scipy.stats import ttest_1samp

from stakes.reproduce._printed import printed
from stakes.reproduce._result import Claim
from stakes.reproduce.csduol._runs import (
    CONSISTENT,
    FEATURES,
    FITTING,
    LINEAR,
    STATED,
    TICKS,
    of_setting,
    weighted_cost,
    weighted_sum,
)

SIMILAR = 0.05  # relative difference of numbers of support vectors that are "comparable"
LEARNERS = ("Perceptron", "ALMA", "ROMMA", "PA-I", "DUOL", "PAUM", "CPA", "CSDUOL")


def claims_of(found):
    """All claims whose sets were run."""
    claims = []
    sums = [name for name, one in found.items() if ("CSDUOL", str(FITTING[0])) in one]
    anomalies = [name for name in found if name not in sums]
    if sums:
        claims += [
            _first(
                "CSDUOL_sum has a significantly larger sum on all sets of Table 2",
                found,
                sums,
                _sum,
            ),
            _first(
                "CSDUOL_cost has a significantly lower cost on all sets of Table 2",
                found,
                sums,
                _cost,
            ),
            _always("CSDUOL leads throughout the stream (Figure 1)", found, sums, _sum_curve),
            _always("CSDUOL leads throughout the stream (Figure 2)", found, sums, _cost_curve),
            _versions(
                found,
                sums,
                "PAUM and CPA generally have larger sums than their regular versions in "
                "Table 2 as well (the paper says so of Table 4)",
            ),
            _support(found, sums),
            _seconds(found, sums),
            _prices(found, sums),
            _implied_prices(found, sums),
            _constant(found, sums),
            _box(found, sums),
            _linear(found, sums, _cost, "cost"),
        ]
    if anomalies:
        text = "CSDUOL_sum has a significantly larger balanced accuracy on all sets of Table 4"
        claims.append(_first(text, found, anomalies, _sum))
        text = "PAUM and CPA generally beat their regular versions in Table 4 (Section 5.2)"
        claims.append(_versions(found, anomalies, text))
    claims.append(_linear(found, [*sums, *anomalies], _sum, "sum"))
    return claims


def agreement_of(tables):
    """Whether our means and the printed ones differ by more than chance, cell by cell.

    Not on cod-rna, of which both sides read a part that is not known.
    """
    off, part = {}, []
    for table in tables:
        for cell in table.cells:
            if cell.deviations is not None and "0.95" not in cell.column:
                off[f"{table.title}, {cell.row}, {cell.column}"] = cell.deviations
    for where in [where for where in off if "cod-rna" in where]:
        part.append(off.pop(where))
    text = "Our means equal the printed ones, up to the chance of the orders (at c_p = 0.9)"
    if not off:
        return Claim(text, "cannot be checked", "one order has no standard error")
    within = sum(abs(z) <= 2 for z in off.values())
    worst = max(off, key=lambda where: abs(off[where]))
    evidence = (
        f"{within} of {len(off)} means lie within two standard errors of the difference (95 % are "
        f"expected, but all means of a set share its orders); largest: {worst}: {off[worst]:+.1f}"
    )
    if part:
        near = sum(abs(z) <= 2 for z in part)
        evidence += (
            f"; on cod-rna, where both read an unknown part of the rows, {near} of {len(part)}"
        )
    text = "Our means equal the printed ones, up to the chance of the orders (at c_p = 0.9)"
    return Claim(text, _verdict(within >= 0.95 * len(off), 1, within), evidence)


def _sum(one):
    return weighted_sum(one)[:, -1]


def _cost(one):
    return -weighted_cost(one, FITTING)[:, -1]


def _sum_curve(one):
    return weighted_sum(one)


def _cost_curve(one):
    return -weighted_cost(one, FITTING)


def _take(found, name, learner, measure):
    setting = str(FITTING[0]) if measure in (_cost, _cost_curve) else "sum"
    return measure(of_setting(found[name], learner, setting))


def _first(text, found, names, measure):
    """Whether CSDUOL is first, and its lead over the runner-up, order by order, with a t-test."""
    evidence, won = [], 0
    for name in names:
        values = {k: _take(found, name, k, measure) for k in LEARNERS}
        means = {k: float(v.mean()) for k, v in values.items()}
        next_best = max((k for k in LEARNERS if k != "CSDUOL"), key=means.get)
        ahead = values["CSDUOL"] - values[next_best]
        won += _is_ahead(ahead)
        evidence.append(
            f"{name}: {_with_error(ahead)} over {next_best}, ahead in "
            f"{np.count_nonzero(ahead > 0)} of {len(ahead)} orders, p = {_p_value(ahead):.2g}"
        )
    return Claim(text, _verdict(won, len(names)), "; ".join(evidence))


def _always(text, found, names, curve):
    """CSDUOL against the best other learner at each tick, order by order."""
    ahead = []
    for name in names:
        values = {k: _take(found, name, k, curve) for k in LEARNERS}
        for tick in range(len(TICKS)):
            at = {k: v[:, tick] for k, v in values.items()}
            best = max(LEARNERS[:-1], key=lambda k: at[k].mean())
            ahead.append(at["CSDUOL"] - at[best])
    led, surely = sum(one.mean() > 0 for one in ahead), sum(map(_is_ahead, ahead))
    behind = sum(_is_ahead(-one) for one in ahead)
    evidence = (
        f"ahead of all others at {led} of {len(ahead)} points, at {surely} of them significantly; "
        f"significantly behind at {behind}"
    )
    return Claim(text, _verdict(surely, len(ahead)), evidence)


def _support(found, names):
    evidence, kept = [], 0
    for name in names:
        counts = {k: _take(found, name, k, lambda one: one["support"]) for k in LEARNERS}
        fewer = all(_is_ahead(counts[k] - counts["CSDUOL"]) for k in ("PA-I", "CPA"))
        ratio = counts["CSDUOL"].mean() / counts["DUOL"].mean()
        kept += fewer and abs(ratio - 1.0) <= SIMILAR
        shown = ("CSDUOL", "DUOL", "PA-I", "CPA")
        evidence.append(
            f"{name}: " + ", ".join(f"{k} {_mean_with_error(counts[k])}" for k in shown)
        )
    text = (
        "CSDUOL_sum keeps about as many support vectors as DUOL (here: within 5 %) and fewer than "
        "PA-I and CPA"
    )
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
                cost = weighted_cost(found[name][learner, str(prices[0])], prices)[:, -1]
                error = np.hypot(_error(cost), spread[table][learner]["cost"] / np.sqrt(20))
                off.append(abs(cost.mean() - paper[table][learner]["cost"]) / error)
        evidence.append(
            f"with c_p = {prices[0]} the mean costs of CPA and CSDUOL are {np.mean(off):.1f} "
            f"standard errors off on average, at most {np.max(off):.1f}"
        )
    return Claim("The costs are c_p = 0.95, c_n = 0.05", "not reproduced", "; ".join(evidence))


def implied_mistakes(total, mistakes, n_positive, n_negative):
    """Misses and false alarms, from the sum and the mistakes of both kinds together."""
    missed_share = 2.0 * (1.0 - total / 100.0)  # misses / positives + false alarms / negatives
    misses = (missed_share - mistakes / n_negative) / (1.0 / n_positive - 1.0 / n_negative)
    return misses, mistakes - misses


def _implied_prices(found, names):
    paper = printed("csduol")
    evidence = []
    for name in names:
        one = found[name]["Perceptron", ""]
        sizes = one["n_positive"][0, -1], one["n_negative"][0, -1]
        for learner in ("Perceptron", "ROMMA"):
            row, cost = (paper[f"2, {what} on {name}"][learner] for what in ("sum", "cost"))
            kinds = implied_mistakes(row["sum (%)"], row["support vectors"], *sizes)
            at = (f"{np.dot(prices, kinds):,.2f}" for prices in (FITTING, STATED))
            evidence.append(
                f"{name}, {learner}: printed {cost['cost']:,.2f}, at 0.9 {next(at)}, "
                f"at 0.95 {next(at)}"
            )
    text = (
        "Printed costs of the Perceptron and of ROMMA, whose support vectors are their mistakes, "
        "follow from their printed sums and c_p = 0.95 (no run is needed)"
    )
    return Claim(text, "not reproduced", "; ".join(evidence))


def _versions(found, names, text):
    """PAUM against the Perceptron and CPA against PA-I, by the sum."""
    evidence, better, worse = [], 0, 0
    for name in names:
        for priced, regular in (("PAUM", "Perceptron"), ("CPA", "PA-I")):
            ahead = _take(found, name, priced, _sum) - _take(found, name, regular, _sum)
            better, worse = better + _is_ahead(ahead), worse + _is_ahead(-ahead)
            evidence.append(f"{name}: {priced} {_with_error(ahead)} over {regular}")
    total = 2 * len(names)
    found = f"significantly better in {better} of {total} cases, worse in {worse}: "
    generally = better > total / 2 and worse == 0
    return Claim(text, _verdict(generally, 1, better), found + "; ".join(evidence))


def _box(found, names):
    """Not a claim of the paper: the price in the box, which makes the surrogate consistent."""
    evidence, won = [], 0
    for name in names:
        costs = [
            weighted_cost(found[name][label, str(FITTING[0])], FITTING)[:, -1]
            for label in ("CSDUOL", CONSISTENT)
        ]
        saved = costs[0] - costs[1]
        won += _is_ahead(saved)
        evidence.append(
            f"{name}: {costs[0].mean():,.1f} to {costs[1].mean():,.1f}, saves {_with_error(saved)}"
        )
    text = "CSDUOL_cost with the price in the box as well, C theta, costs less (not in the paper)"
    return Claim(text, _verdict(won, len(names)), "; ".join(evidence))


def _linear(found, names, measure, what):
    """Not a claim of the paper: learners of fixed size with the decision of least expected cost."""
    evidence, won = [], 0
    setting = str(FITTING[0]) if measure is _cost else "sum"
    for name in names:
        values = {k: measure(found[name][k, setting]) for k in ("CSDUOL", LINEAR, FEATURES)}
        won += _is_ahead(values["CSDUOL"] - values[LINEAR])
        shown = (f"{k} {_mean_with_error(abs(v))}" for k, v in values.items())
        evidence.append(f"{name}: " + ", ".join(shown))
    text = f"CSDUOL has the better {what} than a linear probit learner (not examined in the paper)"
    return Claim(text, _verdict(won, len(names)), "; ".join(evidence))


def _is_ahead(ahead):
    """Whether a difference is positive by more than chance, over the orders."""
    return bool(ahead.mean() > 0 and _p_value(ahead) < 0.05)


def _p_value(ahead):
    """Two-sided p-value of a paired t-test over the orders."""
    if len(ahead) < 2 or np.ptp(ahead) == 0:
        return float(len(ahead) < 2 or ahead[0] == 0)
    return float(ttest_1samp(ahead, 0.0).pvalue)


def _error(values):
    """Standard error of a mean over the orders."""
    return np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan


def _with_error(ahead):
    return f"{ahead.mean():+.2f} ± {_error(ahead):.2f}"


def _mean_with_error(values):
    digits = 0 if values.mean() >= 1000 else 1 if values.mean() >= 100 else 2
    return f"{values.mean():,.{digits}f} ± {_error(values):,.2g}"


def _constant(found, names):
    """Not a claim of the paper; puts its costs in perspective."""
    evidence, won = [], 0
    for name in names:
        one = found[name]["CSDUOL", str(FITTING[0])]
        cost = weighted_cost(one, FITTING)[:, -1]
        same = {
            "all negative": FITTING[0] * one["n_positive"][0, -1],
            "all positive": FITTING[1] * one["n_negative"][0, -1],
        }
        policy = min(same, key=same.get)
        won += _is_ahead(same[policy] - cost)
        evidence.append(f"{name}: {_mean_with_error(cost)} against {same[policy]:,.0f} ({policy})")
    text = "CSDUOL_cost beats the best constant policy (not examined in the paper)"
    return Claim(text, _verdict(won, len(names)), "; ".join(evidence))


def _verdict(kept, total, partly=0):
    """Verdict on a claim that held in `kept` of `total` cases, or in part if `partly`."""
    if kept == total:
        return "reproduced"
    return "partly reproduced" if kept or partly else "not reproduced"
