"""Messages about missing data sets, and what runs without them; the packages' shape."""

import importlib
import re
from pathlib import Path

import pytest

from stakes.reproduce import DATA_PAGE, PAPERS, games
from stakes.reproduce._files import DataMissing, data_directory, data_file
from stakes.reproduce._printed import printed

ROOT = Path(__file__).parents[2]


@pytest.fixture
def no_data(monkeypatch):
    monkeypatch.delenv("STAKES_DATA", raising=False)


def test_the_folder_is_the_argument_or_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("STAKES_DATA", str(tmp_path))
    assert data_directory() == tmp_path
    (tmp_path / "other").mkdir()
    assert data_directory(tmp_path / "other") == tmp_path / "other"
    with pytest.raises(DataMissing, match=r"there is no folder '.*nowhere'\): download"):
        data_directory(tmp_path / "nowhere")
    (tmp_path / "a.npz").touch()
    assert data_file(tmp_path, "a.npz") == tmp_path / "a.npz"
    with pytest.raises(DataMissing, match=r"There is no b\.npz in"):
        data_file(tmp_path, "b.npz")


@pytest.mark.parametrize("folder", [None, "empty"])
def test_games_run_in_part_without_data(no_data, monkeypatch, tmp_path, folder):
    slow = "stakes.reproduce.games._reproduction.genetic_tables"
    monkeypatch.setattr(slow, lambda repeats: ([], []))
    lines = []
    result = games.run(repeats=1, progress=lines.append, data=folder and tmp_path)
    assert lines[0].startswith("Running only the parts that need no data. The")
    assert ("There is no spam stream in" if folder else "STAKES_DATA is not set") in lines[0]
    assert [c.verdict for c in result.claims].count("cannot be checked") == 1
    assert {"reproduced", "partly reproduced", "not reproduced"} & {
        claim.verdict for claim in result.claims
    }
    assert any("6.2" in table.title for table in result.tables)


@pytest.mark.parametrize("paper", ["ccpdt", "cs-svm", "csduol", "qmlearn"])
def test_the_others_say_what_is_missing(no_data, paper):
    with pytest.raises(DataMissing, match=f"STAKES_DATA is not set.*{DATA_PAGE}"):
        importlib.import_module(PAPERS[paper]).run(repeats=1)


def test_every_file_that_is_read_is_on_the_page():
    page = (ROOT / DATA_PAGE).read_text()
    for module in (ROOT / "src" / "stakes" / "reproduce").rglob("*.py"):
        for file in re.findall(r'"([\w.-]+\.(?:npz|csv\.gz|gz))"', module.read_text()):
            if not file.startswith("."):
                assert f"`{file}`" in page, (module.name, file)


@pytest.mark.parametrize("paper", PAPERS)
def test_papers_have_one_shape(paper):
    package = importlib.import_module(PAPERS[paper])
    assert package.__all__ == ["run"] and package.__doc__
    folder = Path(package.__file__).parent
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert {"paper.csv", "_claims.py", "_reproduction.py"} <= files
    tables = printed(folder.name)
    assert tables and all(row for table in tables.values() for row in table.values())
