"""Chapter 6 of the thesis: the divergences, Table 6.2, the genetic algorithm."""

import numpy as np

from stakes.game import GaussianShiftGame, thesis_divergence
from stakes.reproduce._result import Cell, Claim, Table

TABLE_6_1 = {(2, 2): 0.25, (1, 5): 0.6163, (1, 10): 1.2094, (2, 10): 1.4594}
# printed alpha, the alpha that fits, beta: u, w, J_L, J_F, FPR and FNR
TABLE_6_2 = {
    (0.0, 0.0, 0.0): (9, 10, 0.5, 0, 0.5, 0.5),
    (0.0, 0.0, 0.01): (9, 5.5017, 0.9877, 0, 0.0122, 0.9877),
    (0.0, 0.0, 0.1): (9, 5.5, 0.9878, 0, 0.0122, 0.9878),
    (0.01, 0.03, 0.0): (0.8229, 5.9114, 0.0148, 1.9181, 0.0205, 0.0205),
    (0.01, 0.03, 0.01): (1.1598, 5.9937, 0.0175, 1.8972, 0.0226, 0.0276),
    (0.01, 0.03, 0.1): (7.8368, 5.9463, 0.4652, 0.0858, 0.0213, 0.9258),
    (0.05, 0.05, 0.0): (0.3943, 5.6971, 0.0138, 1.9371, 0.0157, 0.0157),
    (0.05, 0.05, 0.01): (0.5069, 5.7069, 0.0147, 1.9320, 0.0159, 0.0179),
    (0.05, 0.05, 0.1): (1.6520, 5.8346, 0.0217, 1.8399, 0.0186, 0.0558),
    (0.1, 0.1, 0.0): (0.1749, 5.5875, 0.0129, 1.9453, 0.0137, 0.0137),
    (0.1, 0.1, 0.01): (0.2179, 5.5869, 0.0133, 1.9437, 0.0137, 0.0145),
    (0.1, 0.1, 0.1): (0.3752, 5.5556, 0.0148, 1.9368, 0.0131, 0.0183),
}
COLUMNS = ("u", "w", "J_L", "J_F", "FPR", "FNR")


def synthetic(alpha, beta, divergence="thesis"):
    """The one-dimensional game of Section 6.6.1."""
    return GaussianShiftGame(
        [1.0],
        [2.0],
        [10.0],
        [2.0],
        divergence_price=alpha,
        boundary_price=beta,
        divergence=divergence,
    )


def divergences():
    """Table 6.1."""
    cells = [
        Cell(
            f"N(1, 2) to N({m}, {v})",
            "thesis's formula",
            thesis_divergence(1.0, 2.0, m, v).item(),
            paper=printed,
        )
        for (m, v), printed in TABLE_6_1.items()
    ]
    cells += [
        Cell(
            f"N(1, 2) to N({m}, {v})",
            "Kullback-Leibler, 2 as variance",
            float(0.5 * (np.log(v / 2) + (2 + (m - 1) ** 2) / v - 1)),
        )
        for m, v in TABLE_6_1
    ]
    return Table("Table 6.1", cells)


def table_6_2():
    """Table 6.2: the global equilibrium of each cell, and all local ones."""
    cells, local, globally = [], [], 0
    for (printed_alpha, alpha, beta), printed in TABLE_6_2.items():
        found = synthetic(alpha, beta).solve()
        ours = (found.mean_shift[0], found.boundary[0], found.leader_payoff)
        ours += (found.follower_payoff, found.fpr, found.fnr)
        row = f"alpha = {printed_alpha:g} (used {alpha:g}), beta = {beta:g}"
        for column, value, paper in zip(COLUMNS, ours, printed, strict=True):
            cells.append(Cell(row, column, float(value), paper=paper))
        at_printed = abs(ours[0] - printed[0]) < 5e-3
        globally += at_printed
        points = ", ".join(f"u = {u:.4f} (J_L {gain:.4f})" for u, gain in found.local[0])
        local.append(f"{row}: {points}")
        if not at_printed:
            near = min(found.local[0], key=lambda peak: abs(peak[0] - printed[0]))
            local[-1] += f"; the printed u = {printed[0]} is the local one at {near[0]:.4f}"
    note = (
        "Deviation 2 in F, divergence u^2/4 (2 read as the variance). With beta = 0 and u = 9 the "
        "follower is indifferent and takes the largest w. All local equilibria: "
        + "; ".join(local)
        + "."
    )
    claim = Claim(
        "Table 6.2 gives the Stackelberg equilibria of the synthetic game.",
        "partly reproduced",
        f"{globally} of {len(TABLE_6_2)} printed points are the global equilibrium, the other "
        f"{len(TABLE_6_2) - globally} are only local (see the note); the rows printed as alpha = "
        "0.01 are those of alpha = 0.03",
    )
    return [Table("Table 6.2", cells, note)], [claim]


def genetic_tables(repeats):
    """Section 6.6.1 and Figure 6.2: whether the genetic algorithm finds the equilibrium."""
    cells, worst, missed, runs = [], 0.0, 0, 0
    for _, alpha, beta in TABLE_6_2:
        game = synthetic(alpha, beta)
        exact = game.solve().leader_payoff
        ours = [game.solve("genetic", random_state=k) for k in range(repeats)]
        printed = [game.solve("algorithm 7", random_state=k) for k in range(repeats)]
        worst = max(worst, max(exact - found.leader_payoff for found in ours))
        missed += sum(exact - found.leader_payoff > 1e-3 for found in printed)
        runs += repeats
        row = f"alpha = {alpha:g}, beta = {beta:g}"
        to_top = [int(np.argmax(f.trace >= f.trace[-1] - 1e-4)) + 1 for f in ours]
        cells += [
            Cell(row, "exact J_L", exact),
            Cell(row, "genetic, J_L", float(np.mean([f.leader_payoff for f in ours]))),
            Cell(row, "generations to within 1e-4", float(np.mean(to_top))),
            Cell(row, "Algorithm 7, J_L", float(np.mean([f.leader_payoff for f in printed]))),
        ]
    claim = Claim(
        "The genetic algorithm always finds the Stackelberg equilibrium (Section 6.6.1).",
        "reproduced" if missed == 0 and worst < 1e-4 else "partly reproduced",
        f"selected attribute by attribute at most {max(worst, 0.0):.1e} below the exact payoff; as "
        f"printed, ended by the first generation without progress, {missed} of {runs} runs are "
        "more than 0.001 below (with 20 attributes far more, see Figure 6.4)",
    )
    table = Table("Section 6.6.1: the genetic algorithm against the exact solution", cells)
    return [table, _figure_6_2()], [claim]


def _figure_6_2(alpha=0.01, beta=0.01):
    game = synthetic(alpha, beta)
    cells = [Cell("exact", "J_L", game.solve().leader_payoff)]
    for column, method in (("J_L", "genetic"), ("J_L, Algorithm 7", "algorithm 7")):
        cells += search_cells(game.solve(method, random_state=0), column)
    note = f"alpha = {alpha:g}, beta = {beta:g}; the best payoff of each generation, seed 0."
    return Table("Figure 6.2: the search on synthetic data", cells, note)


def search_cells(found, column):
    """The best payoff of the first generations, of some later ones and of the last."""
    last = len(found.trace)
    return [
        Cell(f"generation {k}", column, float(found.trace[k - 1]))
        for k in range(1, last + 1)
        if k <= 10 or k % 5 == 0 or k == last
    ]
