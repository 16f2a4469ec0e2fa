"""Forests and boosters on real sets with rare positives: log loss, average precision, savings."""

from benchmarks._measure import Row
from benchmarks.rare_classes import FORESTS, SETS, WIDE, table

MEASURES = ("log loss", "average precision", "savings")


def run():
    """Means and mean ranks over the sets, at defaults and tuned with equal budgets."""
    rows = []
    for setting, learners in table().items():
        n_sets = len(SETS) - (len(WIDE) if setting == "tuned" else 0)
        for learner, facts in learners.items():
            among = "forest_rank" if learner in FORESTS else "rank"
            parts = zip(MEASURES, facts["mean"], facts[among], strict=True)
            note = ", ".join(f"{n} {mean:.3f} (mean rank {rank:.2f})" for n, mean, rank in parts)
            words = "forests" if learner in FORESTS else "all"
            task = f"{n_sets} real sets, {setting}"
            rows.append(Row(task, learner, None, note=f"{note}; ranks among {words}"))
    return rows
