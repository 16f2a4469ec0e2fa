"""The rows of a study, a fit each: what is stored of them, and how a later study goes on."""

import json
from pathlib import Path

from numpy import isclose

from stakes.errors import InputError

ROWS = "rows.jsonl"
KEY = ("data", "learner", "repeat", "fold")
VERSIONS = ("stakes", "commit", "python", "numpy", "scipy", "sklearn", "cpu")
_FIT = (
    *("data", "learner", "family", "repeat", "fold", "n_train", "n_test", "cost", "savings"),
    *("fit_seconds", "predict_seconds", "params", "warnings", "error", "settings", *VERSIONS),
)


def stored_rows(folder):
    """Rows of the study that is stored in a folder; none if there is no study.

    Examples
    --------
    >>> stored_rows("no-such-folder")
    []
    """
    path = Path(folder) / ROWS
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def to_lines(rows):
    """The rows as text, a line each."""
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def merged(stored, rows):
    """Stored rows and new ones, short and sorted.

    New rows replace stored ones of the same fit, but not those of constant policies, which were
    only run to be compared with the stored ones.
    """
    found = {key_of(row): row for row in stored}
    for row in rows:
        if row["family"] != "constant" or key_of(row) not in found:
            found[key_of(row)] = {name: short(row[name]) for name in _FIT if name in row}
    return [found[key] for key in sorted(found)]


def same_settings(stored, settings, names):
    """Stored fits that need not be run again, by key.

    Constant policies are always run, see :func:`check_same_folds`.

    Parameters
    ----------
    stored : sequence of dict
        Stored rows.
    settings : dict
        Learner -> its current settings. Rows with other settings do not count; those of the first
        studies have none stored and do.
    names : set of str
        The data sets of this run.
    """
    others = sorted({row["data"] for row in stored} - names)
    if others:
        raise InputError(
            f"The stored rows are also of {', '.join(others)}; name all their data sets, or choose "
            "another folder for the page."
        )
    return {
        key_of(row): row
        for row in stored
        if row["family"] != "constant"
        and not row.get("error")
        and row.get("settings") in (None, settings.get(row["learner"]))
    }


def check_same_folds(stored, rows):
    """Refuse stored rows of other data, costs or folds: the constant policies show it."""
    there = {key_of(row): row for row in rows}
    for row in stored:
        if row["family"] == "constant":
            now = there.get(key_of(row), {"n_test": 0, "cost": 0.0})
            same = row["n_test"] == now["n_test"]
            if not (same and isclose(row["cost"], now["cost"], rtol=1e-6, atol=0.0)):
                raise InputError(
                    f"The stored rows of {row['data']} are of other data, costs or folds; use the "
                    "options they were made with, or choose another folder for the page."
                )


def key_of(row):
    """Identifies a fit."""
    return tuple(row[name] for name in KEY)


def short(value):
    """Floats with seven significant digits, to keep the files readable."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return [short(one) for one in value] if isinstance(value, list) else value
