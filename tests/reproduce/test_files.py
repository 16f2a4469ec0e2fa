"""What a researcher without the data sets is told, and what runs all the same."""

import re
from pathlib import Path

import pytest

from stakes.reproduce import PAPERS, games
from stakes.reproduce._files import PAGE, DataMissing, data_directory, data_file

ROOT = Path(__file__).parents[2]


@pytest.fixture
def no_data(monkeypatch):
    monkeypatch.delenv("STAKES_DATA", raising=False)


def test_the_folder_is_the_argument_or_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("STAKES_DATA", str(tmp_path))
    assert data_directory() == tmp_path
    (tmp_path / "other").mkdir()
    assert data_directory(tmp_path / "other") == tmp_path / "other"
    with pytest.raises(DataMissing, match=r"there is no folder '.*nowhere'\): put the files"):
        data_directory(tmp_path / "nowhere")
    (tmp_path / "a.npz").touch()
    assert data_file(tmp_path, "a.npz") == tmp_path / "a.npz"
    with pytest.raises(DataMissing, match=r"There is no b\.npz in"):
        data_file(tmp_path, "b.npz")


@pytest.mark.parametrize("folder", [None, "empty"])
def test_games_run_in_part_without_data(no_data, monkeypatch, tmp_path, folder):
    monkeypatch.setattr(games, "genetic_tables", lambda repeats: ([], []))  # takes longer
    told = []
    result = games.run(repeats=1, progress=told.append, data=folder and tmp_path)
    assert told[0].startswith("Only what needs no data is run. The")
    assert ("There is no spam stream in" if folder else "STAKES_DATA is not set") in told[0]
    assert [c.verdict for c in result.claims].count("cannot be checked") == 1
    assert {"reproduced", "partly reproduced", "not reproduced"} & {
        claim.verdict for claim in result.claims
    }
    assert any("6.2" in table.title for table in result.tables)


@pytest.mark.parametrize("paper", ["ccpdt", "cs-svm", "csduol", "qmlearn"])
def test_the_others_say_what_is_missing(no_data, paper):
    import importlib

    with pytest.raises(DataMissing, match=f"STAKES_DATA is not set.*{PAGE}"):
        importlib.import_module(PAPERS[paper]).run(repeats=1)


def test_every_file_that_is_read_is_on_the_page():
    page = (ROOT / PAGE).read_text()
    for module in (ROOT / "src" / "stakes" / "reproduce").glob("*.py"):
        for file in re.findall(r'"([\w.-]+\.(?:npz|csv\.gz|gz))"', module.read_text()):
            if not file.startswith("."):
                assert f"`{file}`" in page, (module.name, file)
