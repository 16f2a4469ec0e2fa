"""What is said while fits run, where no bar can be drawn."""

import pytest

from stakes.cli import _progress
from stakes.cli._progress import Progress
from stakes.compare import Wording


def run(monkeypatch, done=0, total=8, seconds=30.0, quiet=False):
    clock = iter(range(1000))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: seconds * next(clock))
    with Progress("A table.", quiet, kept_in="out") as progress:
        for n in range(done, total + 1):
            progress(n, total, None if n == done else {"learner": "tree"})
    return progress


def test_each_quarter_is_reported_with_the_time_that_is_left(monkeypatch, capsys):
    progress = run(monkeypatch)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "A table."
    assert said[1].startswith("8 fits to do, fast learners first; if interrupted, run the same")
    assert [line.split(" fits")[0] for line in said[2:]] == ["2 of 8", "4 of 8", "6 of 8"]
    assert said[2].endswith(
        "done after 30 s; about 2 min left at this pace, but slow learners come last."
    )
    assert (progress.done, progress.total) == (8, 8)


@pytest.mark.parametrize(("done", "lines"), [(6, 2), (8, 1)])
def test_what_was_done_before_is_not_counted(monkeypatch, capsys, done, lines):
    run(monkeypatch, done=done)
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_the_first_table_speaks_the_words_of_the_business(capsys):
    row = {"learner": "always positive", "cost": 40.0, "n_test": 20}
    for wording, line in [
        (None, "  always positive         2,000"),
        (Wording("refuse", currency="€"), "  always refuse        €2,000"),
    ]:
        with Progress("A table.", kept_in="out", wording=wording) as progress:
            progress.first_table([row])
        assert capsys.readouterr().err.splitlines()[-1] == line


def test_quiet_says_nothing(monkeypatch, capsys):
    run(monkeypatch, quiet=True)
    assert capsys.readouterr().err == ""
