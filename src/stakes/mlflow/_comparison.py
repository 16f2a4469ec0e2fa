"""A comparison as a run of MLflow: money with its intervals as metrics, the report as artifacts."""

import json
import re
from pathlib import Path

from stakes.errors import InputError
from stakes.mlflow._flavor import need_mlflow

FIGURES = ("cost_per_1000", "saves_per_1000", "savings", "tail_cost", "alerts_per_1000")
INTERVALS = ("cost", "saves")  # of which 95% intervals are logged
FILES = ("report.html", "report.md", "report.json", "results.jsonl", "table.json")


def log_comparison(folder, *, run_name=None):
    """Log the results of ``stakes compare`` to MLflow, as one run.

    Metrics of the best learner have their plain names (`cost_per_1000`, `cost_lower`,
    `cost_upper`, ...); those of every learner have its name in front.

    Parameters
    ----------
    folder : str or Path
        What ``stakes compare --out`` wrote.
    run_name : str, default=None
        Name of the run; None: that of the data set.

    Returns
    -------
    str
        Id of the run.
    """
    need_mlflow()
    import mlflow

    folder = Path(folder)
    try:
        report = json.loads((folder / "report.json").read_text())
        part = report["datasets"][0]
        learners, best = part["learners"], part["best"]
    except (OSError, ValueError, LookupError):
        raise InputError(
            f"{str(folder / 'report.json')!r} is not the report of a comparison; run stakes "
            "compare again."
        ) from None
    with mlflow.start_run(run_name=run_name or part["name"], nested=True) as run:
        mlflow.log_params({"data": part["name"], "best": best, **_params(report)})
        mlflow.set_tags({"stakes": report["version"], "sentence": part["sentence"][:5000]})
        metrics = {}
        for one in learners:
            found = _metrics(one)
            metrics |= {f"{_safe(one['learner'])}/{name}": value for name, value in found.items()}
            if one["learner"] == best:
                metrics |= found
        mlflow.log_metrics(metrics)
        for name in FILES:
            if (folder / name).is_file():
                mlflow.log_artifact(str(folder / name), "report")
        return run.info.run_id


def _params(report):
    plan = report["plan"] if isinstance(report["plan"], dict) else {}
    return {k: str(v)[:500] for k, v in plan.items() if isinstance(v, str | int | float | bool)}


def _metrics(one):
    found = {name: one[name] for name in FIGURES}
    for name in INTERVALS:
        found |= dict(zip((f"{name}_lower", f"{name}_upper"), one[f"{name}_interval"], strict=True))
    return {name: float(value) for name, value in found.items() if value is not None}


def _safe(name):
    """A name that MLflow takes in a metric."""
    return re.sub(r"[^\w.\- ]", "", name)
