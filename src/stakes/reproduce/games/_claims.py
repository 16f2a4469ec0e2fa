"""Whether equilibrium classifiers make fewer mistakes: differences by period, Friedman's test."""

import numpy as np
from scipy.stats import binomtest, chi2

from stakes.reproduce._pairs import friedman_of_two
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Claim, Table, verdict_of

PRINTED_PAIRS = (("SVM", "SVMeq"), ("LogReg", "LogRegeq"))
PAIRS = {
    "SVMeq minus SVM": ("SVM", "SVMeq"),
    "LogRegeq minus LogReg": ("LogReg", "LogRegeq"),
    "SVMeq minus SVM, tuned": ("SVM tuned", "SVMeq tuned"),
    "LogRegeq minus LogReg, tuned": ("LogReg tuned", "LogRegeq tuned"),
    "LogRegeq minus LogReg, tuned, all words": (
        "LogReg tuned, all words",
        "LogRegeq tuned, all words",
    ),
}


def pair_changes(wrong):
    """Change of the error at equilibrium for each pair and period, with half of its interval.

    Parameters
    ----------
    wrong : dict
        Mistakes of each learner in each period, as 0/1 arrays.

    Returns
    -------
    dict of pair -> dict of period -> (change, half of its 95 % interval)
    """
    return {
        pair: {
            when: with_half(wrong[moved][when] - mistakes)
            for when, mistakes in wrong[plain].items()
        }
        for pair, (plain, moved) in PAIRS.items()
    }


def change_table(stream, changes):
    """Differences by period with their confidence intervals."""
    cells = [
        Cell(pair, f"{stream.kind} {when}", change, half)
        for pair, by_period in changes.items()
        for when, (change, half) in by_period.items()
    ]
    note = "Change of the error on the same mails, with half of its 95 % confidence interval."
    return Table(f"Table 7.2, {stream.name}: equilibrium minus plain", cells, note)


def two_learner_friedman(changes):
    """Friedman's test of two learners: chi-square of wins minus losses; ties are dropped.

    Returns
    -------
    lower, equal, higher : int
    p_value, exact_p_value : float
        By the chi-square distribution as in the thesis, and by the binomial distribution.

    Examples
    --------
    >>> lower, equal, higher, p, exact = two_learner_friedman([-0.1] * 12)
    >>> lower, round(p, 5), round(exact, 5)
    (12, 0.00053, 0.00049)
    """
    higher, lower, p_value = friedman_of_two(changes, 0.0)
    untied = lower + higher
    exact = float(binomtest(lower, untied).pvalue) if untied else 1.0
    return lower, len(changes) - untied, higher, p_value, exact


def friedman_on_periods(changes, leads):
    """The test for each stream and pair, on all streams together, and on the printed errors.

    `leads` are changes from the better constant policy, for the evidence of the claims.
    """
    blocks = {
        f"{name}, {pair}": [change for change, _ in by_period.values()]
        for name, pairs in changes.items()
        for pair, by_period in pairs.items()
    }
    pooled = {
        pair: [change for pairs in changes.values() for change, _ in pairs[pair].values()]
        for pair in PAIRS
    }
    blocks |= {f"all streams, {pair}": each for pair, each in pooled.items()}
    cells = [cell for row, each in blocks.items() for cell in _row(row, each)]
    for plain, moved in PRINTED_PAIRS:
        row = f"the thesis's months, {moved} minus {plain}"
        cells += _row(row, printed_changes(plain, moved), _printed_p())
    note = (
        "Periods in which the equilibrium classifier's error is lower, equal and higher. With five "
        "periods the exact p cannot be below 0.0625."
    )
    table = Table("Friedman's test on the periods", cells, note)
    return table, [_every_month(changes, leads), _significance(pooled), _printed_claim()]


def printed_changes(plain, moved):
    """Change of the printed error at equilibrium in each month."""
    errors = printed("games")["7.2"]
    return np.subtract(list(errors[moved].values()), list(errors[plain].values()))


def _printed_p():
    return printed("games")["7.2"]["Friedman's test"]["p"]


def standard_error(values):
    """Standard error of the mean."""
    return float(values.std() / np.sqrt(len(values)))


def with_half(change):
    """Mean and half of its 95 % confidence interval."""
    return float(change.mean()), 1.96 * standard_error(change)


def _row(name, changes, printed_p=None):
    lower, equal, higher, p_value, exact = two_learner_friedman(changes)
    return [
        Cell(name, "lower", lower),
        Cell(name, "equal", equal),
        Cell(name, "higher", higher),
        Cell(name, "mean change", float(np.mean(changes))),
        Cell(name, "Friedman p", p_value, paper=printed_p),
        Cell(name, "exact p", exact),
    ]


def _every_month(changes, leads):
    each = {
        pair: [one for pairs in changes.values() for one in pairs[pair].values()] for pair in PAIRS
    }
    parts = []
    for kind in ("thesis's settings", "tuned", "tuned, all words"):
        chosen = [x for pair, own in each.items() if _kind(pair) == kind for x in own]
        lower = sum(change < 0 for change, _ in chosen)
        equal = sum(change == 0 for change, _ in chosen)
        mean = np.mean([change for change, _ in chosen])
        parts.append(
            f"{kind}: lower in {lower}, equal in {equal} of {len(chosen)}, mean {mean:+.4f}"
        )
        if kind != "thesis's settings":
            parts[-1] += _against_constants(kind, leads)
    flat = [x for own in each.values() for x in own]
    surely_lower = sum(change + half < 0 for change, half in flat)
    surely_higher = sum(change - half > 0 for change, half in flat)
    if all(change < 0 for change, _ in flat):
        verdict = "reproduced"
    else:
        verdict = "partly reproduced" if surely_lower > surely_higher else "not reproduced"
    return Claim(
        "Equilibrium classifiers have a lower error than plain ones in every month (Table 7.2).",
        verdict,
        "; ".join(parts) + f"; with 95 % intervals {surely_lower} are significantly lower and "
        f"{surely_higher} significantly higher; on other mailboxes than the thesis's, which is "
        "not public",
    )


def _kind(name):
    """Settings of a pair or learner, from the end of its name."""
    if name.endswith("tuned, all words"):
        return "tuned, all words"
    return "tuned" if name.endswith("tuned") else "thesis's settings"


def _against_constants(kind, leads):
    """How often learners are significantly better and worse than the better constant policy."""
    flat = [
        one
        for learners in leads.values()
        for name, by_period in learners.items()
        if _kind(name) == kind
        for one in by_period.values()
    ]
    lower = sum(change + half < 0 for change, half in flat)
    higher = sum(change - half > 0 for change, half in flat)
    return (
        f" (against the better constant policy of the period these learners are significantly "
        f"better in {lower} and worse in {higher} of {len(flat)} cases)"
    )


def _significance(pooled):
    tests = {pair: two_learner_friedman(changes) for pair, changes in pooled.items()}
    better = [lower > higher and p < 0.05 for lower, _, higher, p, _ in tests.values()]
    parts = [
        f"{pair} lower {lower}, higher {higher}, p = {p:.4f}"
        for pair, (lower, _, higher, p, _) in tests.items()
    ]
    return Claim(
        "By Friedman's test on the months equilibrium classifiers are significantly better.",
        verdict_of(better),
        "on the periods of all streams: " + "; ".join(parts),
    )


def _printed_claim():
    texts = []
    for plain, moved in PRINTED_PAIRS:
        changes = printed_changes(plain, moved)
        wins, *_, p_value, _ = two_learner_friedman(changes)
        texts.append(f"{moved} wins {wins} of {len(changes)}, p = {p_value:.5f}")
    return Claim(
        f"Friedman's test on the twelve months gives p = {_printed_p()} (Table 7.2).",
        "not reproduced",
        "on the printed errors: " + "; ".join(texts) + "; a statistic of 8.1, that is nine wins "
        f"and an uncorrected tie in ten months, would give p = {chi2.sf(8.1, 1):.4f}",
    )
