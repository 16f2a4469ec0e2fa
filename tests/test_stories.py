"""The paths of the five stories: what is to be read and run is there, and short."""

from pathlib import Path

import pytest
from benchmarks.bench_stories import ROOT, STORIES, WORDS_A_MINUTE, passage, words


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.who)
def test_a_story_is_read_in_less_than_six_minutes(story):
    read = [words(passage(*part)) for part in story.reads]
    assert all(read) and sum(read) < 6 * WORDS_A_MINUTE
    files = [Path(part) for command in story.runs for part in command if part.endswith(".py")]
    assert all(file.exists() and file.is_relative_to(ROOT) for file in files)


def test_words_are_counted_in_prose_and_in_code():
    assert words("Decide, pay; learn: 2 % of it.") == 6
    assert words('model.fit(X, y)  # "late" labels') == 5
