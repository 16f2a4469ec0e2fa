"""Cost-sensitive Support Vector Machines (Masnadi-Shirazi, Vasconcelos, Iranmehr) re-run."""

import numpy as np

from stakes.reproduce._result import Cell, Claim, Reproduction, Table
from stakes.reproduce.cs_svm._data import MISSING, SETS, load_set
from stakes.reproduce.cs_svm._donations import donations
from stakes.reproduce.cs_svm._figures import checkerboard, support_vectors
from stakes.reproduce.cs_svm._grid import GRID_NOTE, Problem, tune
from stakes.reproduce.cs_svm._paper import LEARNERS, TABLES
from stakes.svm import check_consistency, cs_hinge_loss
from stakes.svm._dual import solve_dual


def run(*, repeats=None, data=None, progress=None, sets=None, figures=True):
    """Tables 2 to 6 and 8, Figures 2 and 3, and what became of the claims.

    Parameters
    ----------
    repeats : int, default=None
        Folds of the small sets, 10 in the paper; there are half as many boards and mailing splits.
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets : sequence of str, default=None
        Names out of Table 1; None: all that are at hand.
    figures : bool, default=True
        Whether to run the figures and Table 8 as well.

    Returns
    -------
    Reproduction
    """
    repeats = 10 if repeats is None else repeats
    say = progress or (lambda line: None)
    names = list(SETS) if sets is None else list(sets)
    results = {}
    for name in names:
        results[name] = _one_set(name, repeats, data)
        say(f"{name}: {_line(results[name])}")
    tables = [_table(title, measure, printed, results) for title, measure, printed in TABLES]
    claims = [_consistency_claim(), *_table_claims(results)]
    if figures:
        for make in (
            lambda: checkerboard(max(1, repeats // 2)),
            lambda: support_vectors(data),
            lambda: donations(max(1, repeats // 2), data),
        ):
            table, claim = make()
            tables.append(table)
            claims.append(claim)
            say(f"{table.title}: {claim.evidence}")
    return Reproduction(
        name="cs-svm",
        paper="Cost-sensitive Support Vector Machines (Masnadi-Shirazi, Vasconcelos, Iranmehr)",
        command="stakes reproduce cs-svm",
        tables=[table for table in tables if table.cells],
        claims=claims,
    )


def _one_set(name, n_folds, data):
    spec = SETS[name]
    X, y = load_set(name, data)
    problem = Problem(X, y, n_folds, spec.rows, spec.fn_cost)
    measures = ("risk",) if spec.kind == "CSA" else ("TP", "TN")
    found = {measure: tune(problem, measure) for measure in measures}
    found["trivial"] = min(np.mean(y > 0) * spec.fn_cost, np.mean(y < 0))
    found["reduction"] = _reduction_error(problem, found[measures[0]]["CS-SVM"]["point"])
    found["unconverged"] = problem.unconverged / (len(problem.kept) * len(problem.fits))
    return found


def _reduction_error(problem, point):
    """Largest difference between the scores of a CS-SVM solved as printed and as a weighted SVM."""
    fit, kappa = problem.fits[0], point["kappa"]
    reduced = fit.scores(point["gamma"] / problem.d, point["positive"], point["negative"])[0]
    weight = np.where(fit.y > 0, point["C"] * point["C1"], point["C"] / kappa)
    margin = np.where(fit.y > 0, 1.0, kappa)
    direct = solve_dual(fit.K, fit.y, weight, margin, tol=1e-5)
    scores = fit.K_out[0] @ direct.beta + direct.intercept
    return float(np.max(np.abs(scores - (1 + kappa) / 2 * reduced - (1 - kappa) / 2)))


def _table(title, measure, printed, results):
    cells, notes, remarks = [], [], []
    for name, numbers in printed.items():
        if name not in results:
            continue
        found = results[name][measure]
        for learner, paper in zip(LEARNERS, numbers, strict=True):
            cells.append(Cell(name, learner, float(found[learner]["value"]), paper=paper))
        for learner in LEARNERS[1:]:
            value = float(found[learner]["honest"])
            cells.append(Cell(name, f"{learner}, chosen on other folds", value))
        if measure == "risk":
            cells.append(Cell(name, "best trivial policy", float(results[name]["trivial"])))
        spec = SETS[name]
        if spec.rows:
            notes.append(f"{name}: {', '.join(f'{n:,}' for n in spec.rows)} rows")
        if spec.note:
            remarks.append(f"{name}: {spec.note}.")
    note = (
        "Smaller is better. Small sets: the value of the best grid point on the folds it was "
        "chosen on, as in the paper, and beside it the value on each fold of the point that is "
        f"best on the others. {GRID_NOTE}"
    )
    if notes:
        note += " Drawn to train, to choose and to report: " + "; ".join(notes) + "."
    note += "".join(f" {remark}" for remark in remarks)
    absent = [name for name in printed if name in MISSING]
    if absent:
        note += f" Not at hand: {', '.join(absent)}."
    return Table(title, cells, note)


def _table_claims(results):
    pairs = [
        (name, measure, found[measure])
        for name, found in results.items()
        for measure in ("risk", "TP", "TN")
        if measure in found
    ]
    areas = [pair for pair in pairs if pair[1] != "risk"]
    claims = []
    risks = [pair for pair in pairs if pair[1] == "risk"]
    if risks:
        claims.append(_risk_claim(risks, results))
    if areas:
        claims += [_paper_protocol_claim(areas), _honest_claim(areas), _reduction_claim(results)]
    return claims


def _risk_claim(risks, results):
    text = "; ".join(
        f"{name}: BM {f['BM-SVM']['honest']:.3f}, BP {f['BP-SVM']['honest']:.3f}, CS "
        f"{f['CS-SVM']['honest']:.3f}, trivial {results[name]['trivial']:.3f}"
        for name, _, f in risks
    )
    wins = sum(f["CS-SVM"]["honest"] < f["BP-SVM"]["honest"] - 1e-9 for _, _, f in risks)
    verdict = "reproduced" if wins == len(risks) else "partly reproduced"
    return Claim(
        "With known costs CS-SVM has a lower risk than BP-SVM on all three sets (Table 2).",
        verdict if wins else "not reproduced",
        f"lower on {wins} of {len(risks)}, points chosen on other folds: {text}; the paper prints "
        "0.25 for CS-SVM on German and 0.09 on Heart",
    )


def _paper_protocol_claim(areas):
    gains = np.array([f["BP-SVM"]["value"] - f["CS-SVM"]["value"] for _, _, f in areas])
    better, worse = int(np.sum(gains > 1e-9)), int(np.sum(gains < -1e-9))
    small = sum(f["CS-SVM"]["folds"] is not None for _, _, f in areas)
    if better >= 0.9 * len(gains):
        verdict = "reproduced"
    else:
        verdict = "partly reproduced" if better > worse else "not reproduced"
    return Claim(
        "CS-SVM has a better partial area than BP-SVM in nearly all experiments (Tables 3 to 6).",
        verdict,
        f"with the paper's protocol better in {better}, equal in {len(gains) - better - worse}, "
        f"worse in {worse} of {len(gains)}, mean gain {gains.mean():.4f}; in the {small} "
        "cross-validated ones it cannot be worse, since its grid holds BP-SVM's (kappa = 1) and "
        "the best point is reported on the folds that chose it",
    )


def _honest_claim(areas):
    gains = np.array([f["BP-SVM"]["honest"] - f["CS-SVM"]["honest"] for _, _, f in areas])
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else float("nan")
    better, worse = int(np.sum(gains > 1e-9)), int(np.sum(gains < -1e-9))
    return Claim(
        "The advantage over BP-SVM remains when the point is not judged on what it was chosen on.",
        "reproduced" if gains.mean() > 2 * error else "not reproduced",
        f"better in {better}, worse in {worse} of {len(gains)}; mean gain {gains.mean():+.4f} with "
        f"standard error {error:.4f}",
    )


def _reduction_claim(results):
    error = max(found["reduction"] for found in results.values())
    return Claim(
        "CS-SVM finds classifiers that BP-SVM cannot.",
        "not reproduced",
        "every CS-SVM(C, C1, kappa) is the BP-SVM with C' = 2C/(1 + kappa), weights C1, 1/kappa: "
        f"scores solved both ways differ by at most {error:.1e} (solver tolerance 1e-3) on "
        f"{len(results)} sets, so over the same grid nothing is left of the advantage",
    )


def _consistency_claim():
    report = check_consistency(cs_hinge_loss(fp_cost=2.0, fn_cost=4.0))
    mended = check_consistency(cs_hinge_loss(fp_cost=2.0, fn_cost=4.0, slope="consistent"))
    return Claim(
        "The CS hinge implements the cost-sensitive Bayes decision (Section 4).",
        "not reproduced" if not report.consistent else "reproduced",
        f"for C1 = 4, C_-1 = 2 its minimiser decides at {report.threshold:.4f}, the Bayes rule at "
        f"{report.loss.bayes_threshold:.4f}; with the slope C_-1 in place of 1/kappa at "
        f"{mended.threshold:.4f}",
    )


def _line(found):
    return "; ".join(
        f"{measure} "
        + " ".join(f"{learner} {found[measure][learner]['value']:.3f}" for learner in LEARNERS)
        for measure in ("risk", "TP", "TN")
        if measure in found
    )
