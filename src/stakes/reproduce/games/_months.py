"""Figures 6.3 to 6.5 of the thesis: the search on real mail, gains of later months, drift."""

from stakes.game import GaussianShiftGame
from stakes.reproduce._result import Cell, Claim, Table
from stakes.reproduce.games._shift import search_cells

LEAST_SPAM = 20  # mails of a period below which its means say little
N_SHOWN = 3  # words whose means and deviations are shown, as in Figure 6.5


def months_tables(streams):
    """Three tables for each stream, and the claim that the equilibrium bounds the gains."""
    tables, above, total = [], 0, 0
    for stream in streams:
        X, y, _ = stream.first()
        game = GaussianShiftGame.from_data(
            X, y, divergence_price=0.01, boundary_price=0.01, move_deviations=True
        )
        bound, found = game.solve(), game.solve("genetic", random_state=0)
        gains = {
            name: game.gain_of(rows[label == 1])
            for name, rows, label in stream.later()
            if (label == 1).sum() >= LEAST_SPAM
        }
        above += sum(gain > bound.leader_payoff for gain in gains.values())
        total += len(gains)
        tables += [
            _search(stream, bound, found),
            _gains(stream, game, bound, found, gains),
            _drift(stream),
        ]
    claim = Claim(
        "The gain of all possible adversaries is bounded by the equilibrium gain (Section 6.6.3).",
        "reproduced" if above == 0 else "not reproduced",
        f"{above} of {total} later periods lie above the bound; it is a bound by definition for "
        "moves of the strategy set (means and deviations between those of the classes), not for "
        "others",
    )
    return tables, [claim]


def _search(stream, bound, found):
    cells = [
        Cell("exact", "J_L", bound.leader_payoff),
        Cell("exact", "FNR", bound.fnr),
        Cell("exact", "FPR", bound.fpr),
    ]
    for cell in search_cells(found, "J_L"):
        fnr, fpr = found.error_trace[int(cell.row.split()[1]) - 1]
        cells += [cell, Cell(cell.row, "FNR", float(fnr)), Cell(cell.row, "FPR", float(fpr))]
    note = f"{stream.note} The best payoff of each generation, seed 0, and the error rates with it."
    return Table(f"Figure 6.3, {stream.name}: the search", cells, note)


def _gains(stream, game, bound, found, gains):
    printed = game.solve("algorithm 7", random_state=0)
    rows = {
        "no move": game.payoffs(0.0),
        "equilibrium, exact": bound,
        "equilibrium, genetic": found,
        "equilibrium, Algorithm 7": printed,
    }
    cells = []
    for name, at in rows.items():
        cells += [
            Cell(name, "J_L", at.leader_payoff),
            Cell(name, "FNR", at.fnr),
            Cell(name, "FPR", at.fpr),
        ]
    cells += [Cell(f"{stream.kind} {name}", "J_L", gain) for name, gain in gains.items()]
    note = (
        f"Periods with fewer than {LEAST_SPAM} spam mails are left out. A word that no spam "
        "mail of a period has is far from the original distribution: its deviation is zero, taken "
        "as 0.01."
    )
    return Table(f"Figure 6.4, {stream.name}: gains by {stream.kind} and the bound", cells, note)


def _drift(stream):
    X, y, kind = stream.first()
    periods = [("first", X, y), *stream.later()]
    cells = []
    for name, rows, label in periods:
        spam = rows[label == 1][:, :N_SHOWN]
        if len(spam) < LEAST_SPAM:
            continue
        row = "training" if name == "first" else f"{kind} {name}"
        for word, mean, sd in zip(stream.words, spam.mean(axis=0), spam.std(axis=0), strict=False):
            cells += [Cell(row, f"{word}: mean", float(mean)), Cell(row, f"{word}: sd", float(sd))]
    return Table(f"Figure 6.5, {stream.name}: spam mails by {kind}", cells)
