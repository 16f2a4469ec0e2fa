"""Add learners to the stored study without repeating its other fits."""

import json
import math
import sys
from pathlib import Path

from stakes.compare import compare
from stakes.datasets import load
from stakes.errors import InputError
from stakes.study._page import draw_page
from stakes.study._record import ROWS, keep_texts, make_record, short_rows, stored_record
from stakes.study._run import SETS, _sampled, study_field

SURE = 1.96


def extend(record, rows, results):
    """Add the learners of newer results to a record and to its rows.

    The constant policies of both must have cost the same, which shows that data and folds are the
    same. A learner counts as tied with the best if its cost is not above the best one's by 1.96
    standard errors of the difference between folds; the predictions that a paired bootstrap needs
    are not stored.

    Parameters
    ----------
    record : dict
        Of :func:`~stakes.study.stored_record`; changed in place.
    rows : list of dict
        Rows of its fits.
    results : stakes.compare.Results
        Of the new learners and the constant policies, with the same data, folds and seed.

    Returns
    -------
    list of dict
        All rows.
    """
    new = make_record(results, record["command"])
    fresh = {r["learner"] for r in results.rows if r["family"] != "constant"}
    added = short_rows([r for r in results.rows if r["learner"] in fresh])
    rows = [r for r in rows if r["learner"] not in fresh] + added
    for one, other in zip(record["sets"], new["sets"], strict=True):
        _check_same(one, other)
        facts = [f for f in other["learners"] if f["learner"] in fresh]
        known = [f for f in one["learners"] if f["learner"] not in fresh]
        best = min(f["cost_per_1000"] for f in known)
        if any(f["cost_per_1000"] < best for f in facts):
            raise InputError(f"A new learner is the best on {one['name']}: run the whole study.")
        for f in facts:
            f["tied_with_best"] = _tied(rows, one["name"], f["learner"], one["best"])
        one["learners"] = sorted(known + facts, key=lambda f: f["cost_per_1000"])
        one["failed"] += [bad for bad in other["failed"] if bad not in one["failed"]]
    commits = record["environment"]["commit"]
    commits += [c for c in new["environment"]["commit"] if c not in commits]
    return rows


def _check_same(one, other):
    costs = [
        {f["learner"]: f["cost_per_1000"] for f in part["learners"] if f["family"] == "constant"}
        for part in (one, other)
    ]
    same = costs[0].keys() == costs[1].keys() and all(
        math.isclose(costs[0][name], costs[1][name], rel_tol=1e-5) for name in costs[0]
    )
    if one["name"] != other["name"] or not same:
        raise InputError(f"The rows of {one['name']} are of other data or folds than the stored.")


def _tied(rows, data, learner, best):
    """Whether a learner's cost is not surely above the best one's, fold by fold."""
    cost = {name: {} for name in (learner, best)}
    for row in rows:
        if row["data"] == data and row["learner"] in cost and not row.get("error"):
            cost[row["learner"]][row["repeat"], row["fold"]] = row["cost"] / row["n_test"]
    more = [cost[learner][at] - cost[best][at] for at in sorted(cost[best])]
    mean = sum(more) / len(more)
    spread = math.sqrt(sum((one - mean) ** 2 for one in more) / (len(more) - 1) / len(more))
    return mean <= SURE * spread


def main(names, out, page):
    """Run learners on the data, folds and seeds of the stored study, and add them to it."""
    record, page = stored_record(), Path(page)
    plan = record["plan"]
    field = [
        c for c in study_field(names)
        if c.family == "constant" or any(c.name.split(",")[0] == name for name in names)
    ]  # fmt: skip
    results = compare(
        [_sampled(load(name), 6_000) for name in SETS], learners=field, out=out, n_jobs=1,
        repeats=plan["repeats"], folds=plan["folds"], random_state=plan["random_state"],
    )  # fmt: skip
    rows = [json.loads(line) for line in (page / ROWS).read_text(encoding="utf-8").splitlines()]
    rows = extend(record, rows, results)
    lacks = [name for name in record.get("since", {}).get("added", [])
             if name.split(",")[0] not in names]  # fmt: skip
    record.get("since", {})["added"] = lacks
    keep_texts(rows, record, page)
    draw_page(record, page)


if __name__ == "__main__":
    main(sys.argv[3:], *sys.argv[1:3])
