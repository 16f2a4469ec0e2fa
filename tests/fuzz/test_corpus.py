"""What broke something once does not break it again: every file of the corpus, on its target."""

import pytest

from fuzz.guided import CORPUS, TARGETS, run
from stakes.errors import InputError
from stakes.model_file import load_model

FILES = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_of_the_corpus_is_refused_or_harmless(path):
    assert path.parent.name in TARGETS
    run(path.parent.name, path.read_bytes())


def test_the_model_files_of_the_corpus_are_refused():
    files = [path for path in FILES if path.parent.name == "model_files"]
    assert len(files) >= 4
    for path in files:
        with pytest.raises(InputError, match="is damaged"):
            load_model(path)


def test_there_is_a_small_corpus():
    assert {path.parent.name for path in FILES} <= TARGETS.keys()
    assert len(FILES) > 20 and sum(path.stat().st_size for path in FILES) < 200_000
