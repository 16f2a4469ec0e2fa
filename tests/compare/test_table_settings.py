"""Which table to use and what it costs, saved with a run."""

import pytest

from payments import payments
from stakes.compare import TableSettings
from stakes.errors import InputError


def test_a_folder_called_like_a_data_set_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "german").mkdir()
    assert not TableSettings("german").is_file
    (tmp_path / "other").mkdir()
    assert TableSettings("other").is_file


def test_settings_are_saved_and_filled_up(tmp_path):
    payments(60).write_csv(tmp_path / "t.csv")
    old = TableSettings(str(tmp_path / "t.csv"), "fraud", None, {"fn_cost": "amount"}, ["id"])
    old.save(tmp_path)
    assert TableSettings.load_from(tmp_path) == old
    new = TableSettings(None, costs={"fp_cost": "3"}, today="kind").over(old)
    assert new.data == old.data and new.target == "fraud" and new.today == "kind"
    assert new.costs == {"fn_cost": "amount", "fp_cost": "3"} and new.drop == ["id"]
    data = new.load()
    assert not {"id", "kind", "fraud"} & set(data.X.columns)
    assert new.expressions(data) == dict(fp_cost="3", fn_cost="amount", tp_cost="0", tn_cost="0")


def test_named_data_sets_have_their_own_columns_and_may_get_other_costs():
    data = TableSettings("german", costs={"fp_cost": "7"}).load()
    assert data.fp_cost == 7.0
    expressions = TableSettings("german", costs={"fp_cost": "7"}).expressions(data)
    assert expressions["fp_cost"] == "7" and expressions["fn_cost"] is None
    for name in ("target", "positive", "today"):
        with pytest.raises(InputError, match=f"has its own columns and labels; remove {name}"):
            TableSettings("german", **{name: "x"}).load()


def test_a_damaged_file_is_named(tmp_path):
    with pytest.raises(InputError, match="is not the folder of a finished run"):
        TableSettings.load_from(tmp_path)
    (tmp_path / "table.json").write_text("{")
    with pytest.raises(InputError, match="is damaged; run stakes compare again"):
        TableSettings.load_from(tmp_path)
