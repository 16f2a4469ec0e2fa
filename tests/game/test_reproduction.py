"""The re-run of the thesis's games, in small."""

import numpy as np
import pytest

from stakes.reproduce import PAPERS, _games_usps, games
from stakes.reproduce._games_play import concavity_claim, synthetic, table_7_1
from stakes.reproduce._games_shift import divergences, months_claim
from stakes.reproduce._games_spam import spam_tables
from stakes.reproduce._games_streams import Stream, load_streams


def stream(rng, n=240):
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)) + np.outer(y, [1.5, 1.0, 0.0])
    return Stream("small", X, y, np.arange(n) // 60, list("abcd"), 1, list("xyz"), "week", "small.")


def test_divergences_of_table_6_1_fit():
    cells = [cell for cell in divergences().cells if cell.paper is not None]
    assert len(cells) == 4
    assert all(abs(cell.ours - cell.paper) < 5e-5 for cell in cells)


def test_table_7_1_ends_in_the_equilibrium():
    table, claim = table_7_1()
    cells = {(cell.row, cell.column): cell.ours for cell in table.cells}
    assert cells["round 8", "move 1"] == pytest.approx(cells["equilibrium", "move 1"], abs=0.01)
    assert claim.verdict == "not reproduced"
    X, y = synthetic(n=10)
    assert X.shape == (20, 2)
    assert y.sum() == 0


def test_eq_7_9_is_not_concave():
    assert "2 local maxima" in concavity_claim().evidence


@pytest.mark.slow
def test_a_small_stream_is_run(monkeypatch):
    monkeypatch.setattr("stakes.reproduce._games_spam.PRICES", (1.0,))
    monkeypatch.setattr("stakes.reproduce._games_spam.ALPHAS", (0.01,))
    small = stream(np.random.default_rng(0))
    lines = []
    (table,), claims = spam_tables([small], lines.append)
    assert len(lines) == 1
    assert {cell.column for cell in table.cells} == {f"week {k} (n = 60)" for k in "bcd"}
    assert "Friedman" in table.note
    assert "SVMeq wins 12 of 12, p = 0.00053" in claims[1].evidence
    tables, claim = months_claim([small])
    assert "of 3 later periods" in claim.evidence
    assert tables[0].cells[1].ours >= tables[0].cells[0].ours


@pytest.mark.slow
def test_the_synthetic_parts_are_run():
    assert PAPERS["games"] == "stakes.reproduce.games"
    found = games.run(repeats=1, real=False)
    assert [table.title for table in found.tables][:2] == ["Table 6.1", "Table 6.2"]
    assert "10 of 12 printed points" in found.claims[0].evidence


@pytest.mark.slow
def test_a_pair_of_digits_is_run(shared_data, monkeypatch):
    monkeypatch.setattr(_games_usps, "PAIRS", ((2, 6),))
    table, claims = _games_usps.usps(1, shared_data)
    cells = {(cell.row, cell.column): cell.ours for cell in table.cells}
    row = "2 against 6, cheap moves"
    assert cells[row, "initial: error"] < 0.1
    assert cells[row, "equilibrium: caught, moved"] > cells[row, "initial: caught, moved"] + 0.02
    assert cells["2 against 6, thesis", "correlation of the weights"] > 0.999
    assert len(claims) == 2
    figure = _games_usps.weight_images(shared_data, (4, 1))
    assert figure.axes[0].get_images()[0].get_array().shape == (16, 16)


@pytest.mark.slow
def test_streams_are_read(shared_data):
    for stream in load_streams(shared_data):
        X, y, _ = stream.first()
        assert X.shape == (len(y), 20)
        np.testing.assert_allclose(X.std(axis=0), 1.0)
        assert sum(len(later) for _, _, later in stream.later()) + len(y) == len(stream.y)
