"""Cost-sensitive Support Vector Machines (Masnadi-Shirazi, Vasconcelos, Iranmehr) re-run."""

import numpy as np

from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Reproduction, Table
from stakes.reproduce.cs_svm._claims import claims_of
from stakes.reproduce.cs_svm._data import MISSING, SETS, load_set
from stakes.reproduce.cs_svm._donations import donations
from stakes.reproduce.cs_svm._runs import (
    GRID_NOTE,
    Problem,
    checkerboard,
    join,
    reduction_error,
    support_vectors,
    tune,
)

LEARNERS = ("BM-SVM", "BP-SVM", "CS-SVM")
TABLES = {  # title -> measure
    "Table 2: expected risk, known class costs": "risk",
    "Table 3: TP-0.9-AUC, unknown costs (one minus the area)": "TP",
    "Table 4: TN-0.9-AUC, unknown costs (one minus the area)": "TN",
    "Table 5: TP-0.9-AUC, imbalanced (one minus the area)": "TP",
    "Table 6: TN-0.9-AUC, imbalanced (one minus the area)": "TN",
}


def run(*, repeats=None, data=None, progress=None, sets=None, figures=True):
    """Tables 2 to 6 and 8, Figures 2 and 3, and the verdicts on the claims.

    Parameters
    ----------
    repeats : int, default=None
        Folds of the small sets, 10 in the paper; half as many divisions of the sets of Table 2,
        checkerboards, draws of Figure 3 and mailing splits.
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each set.
    sets : sequence of str, default=None
        Data sets of Table 1; None: all that are available.
    figures : bool, default=True
        Whether to run the figures and Table 8 as well.

    Returns
    -------
    Reproduction
    """
    repeats = 10 if repeats is None else repeats
    say = progress or (lambda line: None)
    results = {}
    for name in SETS if sets is None else sets:
        results[name] = _one_set(name, repeats, data)
        say(f"{name}: {_line(results[name])}")
    tables = [_table(title, measure, results) for title, measure in TABLES.items()]
    claims = claims_of(results)
    if figures:
        for make in (
            lambda: checkerboard(max(1, repeats // 2)),
            lambda: support_vectors(data, repeats=max(1, repeats // 2)),
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
    measures = ("risk",) if spec.kind == "CSA" else ("TP", "TN")
    divisions = max(1, n_folds // 2) if spec.kind == "CSA" else 1
    each = []
    for seed in range(divisions):
        problem = Problem(X, y, n_folds, spec.rows, spec.fn_cost, seed)
        each.append({measure: tune(problem, measure) for measure in measures})
    found = {measure: join([one[measure] for one in each]) for measure in measures}
    for measure in measures:
        found[measure]["test_to_train"] = (
            spec.rows[2] / spec.rows[0] if spec.rows else 1 / (n_folds - 1)
        )
    found["constant"] = min(np.mean(y > 0) * spec.fn_cost, np.mean(y < 0))
    found["reduction"] = reduction_error(problem, each[-1][measures[0]]["CS-SVM"]["point"])
    return found


def _table(title, measure, results):
    numbers = printed("cs_svm")[title.split()[1].rstrip(":")]
    cells, sizes, remarks = [], [], []
    for name, paper in numbers.items():
        if name not in results:
            continue
        found = results[name][measure]
        for learner in LEARNERS:
            value, sd = found[learner]["value"], found[learner]["value_sd"]
            cells.append(Cell(name, learner, value, sd, paper=paper[learner]))
        for learner in LEARNERS[1:]:
            value, sd = found[learner]["honest"], found[learner]["honest_sd"]
            cells.append(Cell(name, f"{learner}, chosen on other folds", value, sd))
        if measure == "risk":
            cells.append(Cell(name, "best constant policy", float(results[name]["constant"])))
        spec = SETS[name]
        if spec.rows:
            sizes.append(f"{name}: {', '.join(f'{n:,}' for n in spec.rows)} rows")
        if spec.note:
            remarks.append(f"{name}: {spec.note}.")
    note = (
        "Smaller is better. Small sets: the value of the best grid point on the folds it was "
        "chosen on, as in the paper, and the value on each fold of the point that is best on the "
        f"other folds. {GRID_NOTE}"
    )
    if measure == "risk":
        note += " Means and standard deviations over divisions of the rows into folds or parts."
    if sizes:
        note += " Rows for training, model selection and testing: " + "; ".join(sizes) + "."
    note += "".join(f" {remark}" for remark in remarks)
    absent = [name for name in numbers if name in MISSING]
    if absent:
        note += f" Not available: {', '.join(absent)}."
    return Table(title, cells, note)


def _line(found):
    return "; ".join(
        f"{measure} "
        + " ".join(f"{learner} {found[measure][learner]['value']:.3f}" for learner in LEARNERS)
        for measure in ("risk", "TP", "TN")
        if measure in found
    )
