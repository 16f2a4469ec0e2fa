"""The record of a study: the cost of each learner on each data set, computed from the rows."""

import json
from math import inf
from pathlib import Path
from statistics import fmean, geometric_mean

from scipy import stats

from stakes._core.files import appearing
from stakes.compare import friedman_test, mean_over_folds
from stakes.study._rows import ROWS, VERSIONS, short, to_lines

RECORD = "study.json"


def make_record(study, command):
    """Everything that the study's page says, as one dict.

    Parameters
    ----------
    study : Study
        Of :func:`~stakes.study.run_study`.
    command : str
        Command that computes all rows.

    Returns
    -------
    dict
    """
    return {
        "command": command,
        "plan": {k: v for k, v in study.plan.items() if k != "data"},
        "versions": _versions(study.rows),
        "sets": [_of_set(study, data) for data in study.datasets],
    }


def keep(study, record, folder):
    """Write the record and the rows into a folder, each atomically."""
    for name, text in {RECORD: to_json(record), ROWS: to_lines(study.rows)}.items():
        with appearing(Path(folder) / name) as partial:
            partial.write_text(text, encoding="utf-8")


def to_json(record):
    """The record as JSON with one line per learner and data set, so that diffs are readable.

    Examples
    --------
    >>> print(to_json({"command": "c", "sets": [{"name": "a", "learners": [{"x": 1}, {"x": 2}]}]}))
    {
    "command": "c",
    "sets": [
    {"name": "a", "learners": [
    {"x": 1},
    {"x": 2}
    ]}
    ]
    }
    <BLANKLINE>
    """
    sets = []
    for one in record["sets"]:
        facts = json.dumps({k: v for k, v in one.items() if k != "learners"})
        lines = ",\n".join(json.dumps(learner) for learner in one["learners"])
        sets.append(f'{facts[:-1]}, "learners": [\n{lines}\n]}}')
    head = [f'"{k}": {json.dumps(v)}' for k, v in record.items() if k != "sets"]
    return "{\n" + ",\n".join([*head, '"sets": [\n' + ",\n".join(sets) + "\n]"]) + "\n}\n"


def stored_record():
    """The record of the study that is shipped with the library, on which the advice is based.

    Examples
    --------
    >>> len(stored_record()["sets"])
    8
    """
    return json.loads((Path(__file__).parent / "data" / RECORD).read_text(encoding="utf-8"))


def ranks(record, names=None):
    """Friedman's test over the data sets, for the learners that finished on all of them.

    Returns
    -------
    (list of str, FriedmanResult)
    """
    costs = [{f["learner"]: f["cost_per_1000"] for f in one["learners"]} for one in record["sets"]]
    chosen = [n for n in finished_everywhere(record) if names is None or n in names]
    return chosen, friedman_test([[c[n] for n in chosen] for c in costs])


def above_best(one, name):
    """Relative cost above the best learner of a data set; infinite if the best cost nothing."""
    cost = next(f["cost_per_1000"] for f in one["learners"] if f["learner"] == name)
    best = one["learners"][0]["cost_per_1000"]
    if cost == best:
        return 0.0
    return cost / best - 1 if best > 0 else inf


def excess(record):
    """Relative cost of each learner above the best one of each data set.

    Parameters
    ----------
    record : dict
        Of :func:`~stakes.study.make_record`.

    Returns
    -------
    dict
        Learner -> `mean` and `worst` relative cost above the best, and `where` it is worst, for
        learners that finished on every data set. The mean is the geometric mean of the ratios, so
        that a data set on which the best cost almost nothing does not dominate.
    """
    found = {}
    for name in finished_everywhere(record):
        above = [(above_best(one, name), one["name"]) for one in record["sets"]]
        worst, where = max(above)
        mean = geometric_mean([1 + one for one, _ in above]) - 1
        found[name] = {"mean": mean, "worst": worst, "where": where}
    return found


def finished_everywhere(record):
    """Names of the learners that finished on every data set, sorted."""
    names = ({f["learner"] for f in one["learners"]} for one in record["sets"])
    return sorted(set.intersection(*names))


def _versions(rows):
    """What the rows were made with: the versions, the number of rows and the learners."""
    found = {}
    for row in rows:
        made = found.setdefault(tuple(row.get(name, "") for name in VERSIONS), [0, set()])
        made[0] += 1
        made[1].add(row["learner"])
    return [
        dict(zip(VERSIONS, versions, strict=True)) | {"rows": n, "learners": sorted(learners)}
        for versions, (n, learners) in sorted(found.items())
    ]


def _of_set(study, data):
    by_learner = {}
    for row in study.rows:
        if row["data"] == data.name:
            by_learner.setdefault(row["learner"], []).append(row)
    n_fits = study.plan["repeats"] * study.plan["folds"]
    whole = {name: rows for name, rows in by_learner.items() if not _failure(rows, n_fits)}
    failed = [
        {"learner": name, "error": _failure(rows, n_fits)}
        for name, rows in sorted(by_learner.items())
        if name not in whole
    ]
    cost = {name: _cost_per_1000(rows) for name, rows in whole.items()}
    order = sorted(whole, key=lambda name: (cost[name], name))
    policy = next(name for name in order if whole[name][0]["family"] == "constant")
    best, trivial = whole[order[0]], cost[policy]
    test_to_train = 1 / (study.plan["folds"] - 1)
    return {
        "name": data.name,
        "description": data.description,
        "rows": len(data),
        "positives": int((data.y == 1).sum()),
        "today": {"name": policy, "cost_per_1000": trivial},
        "best": order[0],
        "failed": failed,
        "learners": [_of_learner(whole[name], trivial, best, test_to_train) for name in order],
    }


def _of_learner(rows, trivial, best, test_to_train):
    cost = _cost_per_1000(rows)
    pairs = zip(rows, best, strict=True)
    above = [mine["cost"] / mine["n_test"] - its["cost"] / its["n_test"] for mine, its in pairs]
    mean, error = mean_over_folds(above, test_to_train)
    return {
        "learner": rows[0]["learner"],
        "family": rows[0]["family"],
        "cost_per_1000": short(cost),
        "savings": short(1 - cost / trivial) if trivial > 0 else None,
        "below_trivial": cost > trivial and rows[0]["family"] != "constant",
        "tied_with_best": bool(mean <= stats.t.ppf(0.975, len(rows) - 1) * error),
        "fit_seconds": short(fmean(row["fit_seconds"] for row in rows)),
        "predict_seconds": short(fmean(row["predict_seconds"] for row in rows)),
        "warnings": sorted({text for row in rows for text in row["warnings"]}),
    }


def _failure(rows, n_fits):
    """Why a learner has no place in the table; None if all of its fits succeeded."""
    errors = [row["error"] for row in rows if row.get("error")]
    if errors:
        return errors[0]
    return None if len(rows) == n_fits else f"{len(rows)} of {n_fits} fits are stored"


def _cost_per_1000(rows):
    return 1000 * sum(row["cost"] for row in rows) / sum(row["n_test"] for row in rows)
