"""What is stored of a study: a row per fit, and the cost of each learner on each data set."""

import json
from math import inf
from pathlib import Path
from statistics import geometric_mean

from stakes._core.files import appearing
from stakes.compare import friedman_test

RECORD, ROWS = "study.json", "rows.jsonl"
_FIT = (
    *("data", "learner", "family", "repeat", "fold", "n_train", "n_test", "cost", "savings"),
    *("fit_seconds", "predict_seconds", "params", "warnings", "error"),
)
_LEARNER = (
    *("learner", "family", "cost_per_1000", "cost_interval", "savings", "below_trivial"),
    *("tied_with_best", "fit_seconds", "predict_seconds", "warnings"),
)


def make_record(results, command):
    """Everything that the study's page says, as one dict.

    Parameters
    ----------
    results : stakes.compare.Results
        Of :func:`~stakes.study.run_study`.
    command : str
        Command that reproduces the study.

    Returns
    -------
    dict
    """
    summary = results.summary()
    by_name = {data.name: data for data in results.datasets}
    return {
        "command": command,
        "plan": {k: v for k, v in summary["plan"].items() if k != "data"},
        "environment": summary["environment"],
        "sets": [_of_set(part, by_name[part["name"]]) for part in summary["datasets"]],
    }


def keep(results, record, folder):
    """Write the record and the rows into a folder, each atomically."""
    rows = sorted(results.rows, key=lambda r: (r["data"], r["learner"], r["repeat"], r["fold"]))
    kept = [json.dumps({k: _short(row[k]) for k in _FIT if k in row}) for row in rows]
    texts = {RECORD: to_json(record), ROWS: "\n".join(kept) + "\n"}
    for name, text in texts.items():
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


def _of_set(part, data):
    return {
        "name": part["name"],
        "description": part["description"],
        "rows": len(data),
        "positives": int((data.y == 1).sum()),
        "today": part["today"],
        "best": part["best"],
        "failed": part["failed"],
        "learners": [{k: _short(f[k]) for k in _LEARNER} for f in part["learners"]],
    }


def _short(value):
    """Floats with seven significant digits, to keep the files readable."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return [_short(one) for one in value] if isinstance(value, list) else value
