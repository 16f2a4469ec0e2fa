import json

import numpy as np
import pytest

from stakes.compare import Results
from stakes.compare._results import ResultsFile
from stakes.errors import InputError


def row(fold, learner="a"):
    return {"data": "d", "learner": learner, "repeat": 0, "fold": fold, "cost": 1.0}


@pytest.fixture
def file(tmp_path):
    file = ResultsFile(tmp_path, {"folds": 2}).open()
    for fold in range(2):
        file.add(row(fold), {"decided": np.array([True, False])})
    return file


def reopened(file, plan=None, **options):
    return ResultsFile(file.directory, plan or file.plan).open(**options)


def test_rows_and_arrays_come_back(file):
    again = reopened(file)
    assert again.rows == file.rows
    assert again.arrays(row(1))["decided"].tolist() == [True, False]
    assert Results(again, [], [], 0).to_frame().height == 2


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_truncated_last_row_is_cut_off(file, cut):
    raw = file.path.read_bytes()
    file.path.write_bytes(raw[:-cut])
    again = reopened(file)
    assert [r["fold"] for r in again.rows] == [0]
    again.add(row(1), {"decided": np.array([True])})
    assert len(reopened(file).rows) == 2


def test_a_file_cut_inside_the_plan_starts_over(file):
    file.path.write_bytes(b'{"plan": {"fol')
    assert reopened(file).rows == []
    assert json.loads(file.path.read_text())["plan"] == {"folds": 2}


def test_another_plan_is_refused_unless_fresh(file):
    with pytest.raises(InputError, match="results of another comparison"):
        reopened(file, plan={"folds": 3})
    assert reopened(file, plan={"folds": 3}, fresh=True).rows == []


def test_a_damaged_file_is_named(file):
    file.path.write_bytes(b"not json\n" + file.path.read_bytes())
    with pytest.raises(InputError, match="damaged"):
        reopened(file)


def test_a_failed_fit_is_run_again_and_replaced(file):
    file.add({**row(0), "error": "ValueError: x"}, {})
    assert file.done({}) == {("d", "a", 0, 1)}
    file.add(row(0), {})
    assert len(reopened(file).rows) == 2
    assert len(reopened(file).done({})) == 2


def test_more_repeats_go_on_from_fewer(tmp_path):
    plan = {"folds": 2, "repeats": 1}
    file = ResultsFile(tmp_path, plan).open()
    file.add(row(0), {})
    more = reopened(file, plan={**plan, "repeats": 3})
    assert more.rows == file.rows
    with pytest.raises(InputError, match="results of another comparison"):
        reopened(file, plan={"folds": 3, "repeats": 1})
