"""No certificate is exceeded where its assumption holds, in thousands of cases."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.certificate_audit import (
    LEARNERS,
    POINTS,
    D,
    audit,
    correlated,
    to_markdown,
    training,
)

PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"


@pytest.fixture(scope="module")
def rows():
    return audit()


def test_nothing_is_exceeded(rows):
    assert sum(row.cases for row in rows if "replicates" not in row.law) >= 2000
    assert [row for row in rows if row.exceeded] == []
    # not vacuous: some bounds are reached, and the truth is a fair share of the others
    assert max(row.closest for row in rows) > 0.99
    assert all(row.truth > 0.1 * row.bound for row in rows)


def test_the_page_shows_this_audit(rows):
    lines = [line for line in to_markdown(rows).splitlines() if line.startswith("|")]
    shown = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert shown[0] == lines[0]
    for line, stored in zip(lines, shown, strict=True):
        ours, theirs = line.split(" | "), stored.split(" | ")
        assert ours[0] == theirs[0] and ours[2:5] == theirs[2:5]


def test_a_false_promise_is_found():
    """The audit itself: a bound that ignores correlation is exceeded."""
    rng = np.random.default_rng(0)
    model = LEARNERS["logistic"](*training(rng))
    points = rng.standard_normal((POINTS, D))
    cases = correlated({True: model, False: model}, points, np.random.default_rng(1))
    truth = next(case[2] for case in cases)
    std = np.random.default_rng(1).uniform(0.1, 0.8, points.shape)
    bound = model.predict_certificate(points, std=std, measure="gaussian")
    assert (truth > bound + 1e-9).sum() > 5
