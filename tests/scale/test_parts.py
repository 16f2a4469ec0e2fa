"""Folders and globs as tables in parts; map and fold over them."""

import operator
import re

import numpy as np
import polars as pl
import pytest

from stakes.errors import InputError
from stakes.scale import Folder, fold_parts, map_parts, survey
from stakes.scale._verbs import number_rows


def spread(folder, n_parts, n=640, kinds=("parquet", "csv")):
    """Numbers 0 to n - 1 in files of unequal length, Parquet and CSV in turn."""
    folder.mkdir()
    cuts = np.sort(np.random.default_rng(n_parts).choice(n - 1, n_parts - 1, replace=False)) + 1
    for k, rows in enumerate(np.split(np.arange(n), cuts)):
        frame, name = pl.DataFrame({"x": rows}), folder / f"{k:03d}"
        if kinds[k % len(kinds)] == "parquet":
            frame.write_parquet(name.with_suffix(".parquet"))
        else:
            frame.write_csv(name.with_suffix(".csv"))
    return folder


def total(state, batch):
    return state + batch["x"].cast(pl.Float64).sqrt().sum()


def count(part):
    return sum(batch.height for batch in part.batches(7))


def broken(part):
    if part.name == "001.csv":
        raise InputError("Row 3 is bad.")
    return 0


def divided(part):
    return 1 / (part.name != "001.csv")


@pytest.mark.parametrize("n_parts", [1, 2, 7, 64])
def test_fold_and_map_see_every_row_once(n_parts, tmp_path):
    folder = spread(tmp_path / "t", n_parts)
    fold = dict(start=float, add=total, merge=operator.add)
    one = fold_parts(folder, **fold)
    assert one == pytest.approx(np.sqrt(np.arange(640)).sum(), rel=1e-12)
    found = {part.name: rows for part, rows in map_parts(count, folder)}
    assert len(found) == n_parts and sum(found.values()) == 640
    if n_parts == 7:
        assert fold_parts(folder, **fold, n_jobs=2) == one  # to the last bit
        assert {part.name: rows for part, rows in map_parts(count, folder, n_jobs=2)} == found


def test_states_are_merged_in_the_order_of_the_parts(tmp_path):
    folder = Folder(spread(tmp_path / "t", 7))
    numbers = fold_parts(
        folder, start=list, add=lambda s, b: [*s, *b["x"].cast(int)], merge=operator.add
    )
    assert numbers == list(range(640))
    first = fold_parts(folder.parts[:1], start=float, add=total, merge=operator.add)
    assert first < fold_parts(folder, start=float, add=total, merge=operator.add)


def test_what_a_folder_contains(tmp_path):
    root = spread(tmp_path / "t", 2)
    (root / "day=2").mkdir()
    pl.DataFrame({"x": [1]}).write_csv(root / "day=2" / "a.tsv", separator="\t")
    for name in ("_SUCCESS", ".hidden.csv", "_old.csv", "readme.txt", "x.json"):
        (root / name).write_text("x\n1\n")
    (root / "_temporary").mkdir()
    (root / "_temporary" / "b.csv").write_text("x\n1\n")
    folder = Folder(root)
    assert [part.name for part in folder.parts] == ["000.parquet", "001.csv", "day=2/a.tsv"]
    assert len(folder) == 3 and folder.root == root
    glob = Folder(f"{root}/**/*.?sv")
    assert [part.name for part in glob.parts] == ["001.csv", "day=2/a.tsv"] and glob.root == root
    assert [part.name for part in Folder(f"{root}/day=*/*").parts] == ["day=2/a.tsv"]
    assert folder.would_read(root / "out") and glob.would_read(root / "out")
    assert not Folder(f"{root}/*.csv").would_read(root / "out")
    assert Folder(f"{root}/*.csv").would_read(root)
    assert not folder.would_read(tmp_path / "t2")


def test_a_file_whose_name_looks_like_a_glob(tmp_path):
    (tmp_path / "a[1].csv").write_text("x\n1\n")
    assert not Folder.is_meant(tmp_path / "a[1].csv")
    assert Folder.is_meant(tmp_path) and Folder.is_meant(f"{tmp_path}/*.csv")


def test_a_relative_glob_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(spread(tmp_path / "t", 2))
    assert [part.name for part in Folder("*.csv").parts] == ["001.csv"]


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"There is no folder '.*none'; give a folder or a glob"):
        Folder(tmp_path / "none")
    with pytest.raises(InputError, match=r"has no \.parquet, .* or \.tsv\.gz files"):
        Folder(tmp_path)
    with pytest.raises(InputError, match=r"has no \.parquet"):
        Folder(f"{tmp_path}/*.csv")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_the_file(n_jobs, tmp_path):
    folder = spread(tmp_path / "t", 3)
    where = re.escape(repr(str(folder / "001.csv")))
    with pytest.raises(InputError, match=rf"^In {where}: Row 3 is bad\.$"):
        list(map_parts(broken, folder, n_jobs=n_jobs))
    with pytest.raises(ZeroDivisionError) as raised:
        list(map_parts(divided, folder, n_jobs=n_jobs))
    assert str(folder / "001.csv") in raised.value.__notes__[0]
    (folder / "001.csv").write_text("x,y\n1,2\n3\n")
    with pytest.raises(InputError, match=rf"^Line 3 of {where} has 1 fields"):
        list(map_parts(count, folder, n_jobs=n_jobs))


def _count(part):
    return sum(batch.height for batch in part.batches())


def test_workers_follow_to_another_folder(tmp_path, monkeypatch):
    """joblib keeps its workers; relative paths are those of the caller at the time of the call."""
    for name in ("first", "second"):
        (tmp_path / name / "new").mkdir(parents=True)
        for k in range(2):
            (tmp_path / name / "new" / f"{name}{k}.csv").write_text("x\n1\n2\n")
        monkeypatch.chdir(tmp_path / name)
        found = dict(map_parts(_count, "new", n_jobs=2))
        assert [part.name for part in found] and set(found.values()) == {2}


def test_damaged_parts_and_parts_of_other_types_end_in_a_sentence(tmp_path):
    whole = pl.DataFrame({"x": [[1], [2]], "y": [0, 1]})
    whole.write_parquet(tmp_path / "0.parquet")
    whole.with_columns(x=pl.struct("y")).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(InputError, match=r"'x' is List.* in one part of the table and Struct"):
        survey(tmp_path, "y")
    data = (tmp_path / "0.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(data[: len(data) // 2])
    for use in (survey, lambda folder, target: number_rows(Folder(folder).parts)):
        with pytest.raises(InputError, match="cannot be read as a table"):
            use(tmp_path, "y")
