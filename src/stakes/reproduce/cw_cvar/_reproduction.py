"""Robust Cost-Sensitive Confidence-Weighted Classification (Ali, Collins-Thompson) re-run."""

import numpy as np

from stakes.reproduce._files import DataMissing
from stakes.reproduce._result import Cell, Claim, Reproduction, Table
from stakes.reproduce.cw_cvar._data import SHARES, german, kdd98
from stakes.reproduce.cw_cvar._figures import multipliers, synthetic
from stakes.reproduce.cw_cvar._paper import COST, CVAR, LEARNERS
from stakes.reproduce.cw_cvar._runs import OURS, run_set

_UNITS = (
    "The paper does not say how features, costs and streams were made, and its unit of cost is "
    "not ours: compare columns by their ratios to CW. Ours: features standardised, categories as "
    "indicators, the cost that learners are told in units of its mean."
)


def run(*, repeats=None, data=None, progress=None):
    """Tables II and III, Figures 1 to 3, and what became of the claims.

    Parameters
    ----------
    repeats : int, default=None
        Permutations, 100 in the paper (a tenth of them in the batch setting).
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each learner.

    Returns
    -------
    Reproduction
    """
    repeats = 100 if repeats is None else repeats
    batches = max(1, repeats // 10)
    say = progress or (lambda line: None)
    figures, claims = multipliers()
    found, claim = synthetic(repeats)
    claims.append(claim)
    tables = [*figures, *found]
    streams = {
        "German": german(),
        "German, denying costs 20 %": german(interest=0.2),
    }
    try:
        streams["KDD 98"] = kdd98(data)
    except DataMissing as missing:
        claims.append(Claim("What is told of KDD 98", "cannot be checked", str(missing)))
        say(f"Only what is bundled or drawn is run. {missing}")
    for name, stream in streams.items():
        found = run_set(stream, repeats, batches, lambda line, name=name: say(f"{name}, {line}"))
        tables += _tables(name, stream, found)
        claims += _claims(name, stream, found)
    return Reproduction(
        name="cw-cvar",
        paper="Robust Cost-Sensitive Confidence-Weighted Classification (Ali, Collins-Thompson)",
        command="stakes reproduce cw-cvar",
        tables=tables,
        claims=claims,
    )


def _tables(name, stream, found):
    """Costs and margins of one set, ours beside the paper's."""
    cost = Table(f"Table II, {name}: cost", note=_UNITS)
    cvar = Table(f"Table III, {name}: CVaR of the margin at 0.05", note=_UNITS)
    for learner in (*LEARNERS, *OURS):
        one = found[learner]
        for way in ("online", "batch"):
            printed = COST.get(f"{name}, {way}")
            k = LEARNERS.index(learner) if learner in LEARNERS and printed else None
            paper = None if k is None else printed[k][0]
            values = one[way]
            cost.cells.append(
                Cell(learner, way, float(np.mean(values)), float(np.std(values)), paper)
            )
            relative = np.mean(values) / np.mean(found["CW"][way])
            cost.cells.append(
                Cell(
                    learner,
                    f"{way}, over CW's",
                    float(relative),
                    paper=None if k is None else paper / printed[0][0],
                )
            )
            margins = one[f"cvar_{way}"]
            cvar.cells.append(
                Cell(
                    learner,
                    way,
                    float(np.mean(margins)),
                    float(np.std(margins)),
                    None if k is None else CVAR[f"{name}, {way}"][k],
                )
            )
    for label, decided in (("never (trivial)", False), ("always (trivial)", True)):
        paid = stream.paid(np.full(len(stream.y), decided))
        cost.cells.append(Cell(label, "online", paid))
        cost.cells.append(Cell(label, "batch", paid / 10))
    return [cost, cvar, _curves(name, found)]


def _curves(name, found):
    """The learning curves of Figure 3."""
    panel = "b" if "KDD" in name else "a"
    table = Table(f"Figure 3({panel}), {name}: cost on the way")
    for learner in (*LEARNERS, *OURS):
        for share, paid in zip(SHARES, found[learner]["curve"], strict=True):
            table.cells.append(Cell(learner, f"{share:.0%} read", float(paid)))
    return table


def _claims(name, stream, found):
    """What the paper says of the set, and what these runs say."""
    mean = {k: float(np.mean(v["online"])) for k, v in found.items()}
    trivial = min(stream.paid(np.full(len(stream.y), d)) for d in (False, True))
    buffered = min((k for k in LEARNERS if k[-3:] != "buf" and "CV" in k), key=mean.get)
    plain, nobuf = mean["CW"], mean["CW-CV-arb-nobuf"]
    change = mean[buffered] / plain - 1
    costs = [cost for cost, _ in COST["KDD 98, online" if "KDD" in name else "German, online"]]
    printed, printed_buffer = 1 - min(costs) / costs[0], 1 - min(costs) / costs[2]
    claims = [
        Claim(
            f"{name}: CW-CVaR with its buffer reduces the online cost of CW.",
            _verdict(-change, 0.5 * printed),
            f"{buffered} {mean[buffered]:,.0f} against CW {plain:,.0f} ({change:+.1%}; in the "
            f"paper -{printed:.0%}); chosen: "
            f"{_setting(found[buffered]['setting'])}",
        ),
        Claim(
            f"{name}: the buffer is what helps.",
            _verdict(1 - mean[buffered] / nobuf, 0.5 * printed_buffer),
            f"with it {mean[buffered]:,.0f}, without {nobuf:,.0f} "
            f"({mean[buffered] / nobuf - 1:+.1%}; in the paper -{printed_buffer:.0%})",
        ),
        Claim(
            f"{name}: CW-CVaR is of use against a trivial policy (not asked in the paper).",
            _verdict(1 - mean[buffered] / trivial if trivial else -1.0, 0.0),
            f"best trivial policy {trivial:,.0f}, {buffered} {mean[buffered]:,.0f}, "
            + ", ".join(f"{k} {mean[k]:,.0f}" for k in OURS),
        ),
    ]
    return claims


def _verdict(gain, enough):
    if gain > enough:
        return "reproduced"
    return "partly reproduced" if gain > 0.01 else "not reproduced"


def _setting(model):
    return f"alpha = {model.alpha:g}, beta = {model.beta:g}"
