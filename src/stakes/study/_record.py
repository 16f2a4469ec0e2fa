"""What is kept of a study: a row per fit, and what each learner cost on each set."""

import json
from pathlib import Path

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
    """One dict of all that the study's page says.

    Parameters
    ----------
    results : stakes.compare.Results
        Of :func:`~stakes.study.run_study`.
    command : str
        What makes it again.

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
    """Write the record and the rows into a folder; each appears whole or not at all."""
    rows = sorted(results.rows, key=lambda r: (r["data"], r["learner"], r["repeat"], r["fold"]))
    kept = [json.dumps({k: _short(row[k]) for k in _FIT if k in row}) for row in rows]
    texts = {RECORD: json.dumps(record, indent=1) + "\n", ROWS: "\n".join(kept) + "\n"}
    for name, text in texts.items():
        with appearing(Path(folder) / name) as partial:
            partial.write_text(text, encoding="utf-8")


def stored_record():
    """The record of the study that comes with the library: what the advice rests on.

    Examples
    --------
    >>> len(stored_record()["sets"])
    8
    """
    return json.loads((Path(__file__).parent / "data" / RECORD).read_text(encoding="utf-8"))


def ranks(record, names=None):
    """Friedman's test over the sets, of the learners that finished on all of them.

    Returns
    -------
    (list of str, FriedmanResult)
    """
    costs = [{f["learner"]: f["cost_per_1000"] for f in one["learners"]} for one in record["sets"]]
    everywhere = [f["learner"] for f in record["sets"][0]["learners"]]
    everywhere = sorted(n for n in everywhere if all(n in c for c in costs))
    chosen = [n for n in everywhere if names is None or n in names]
    return chosen, friedman_test([[c[n] for n in chosen] for c in costs])


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
    """Floats with seven digits: a file that people can read."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return [_short(one) for one in value] if isinstance(value, list) else value
