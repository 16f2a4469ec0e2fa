"""What the user writes about moves: files, names, errors, and the signs of monotone learners."""

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from stakes.errors import InputError
from stakes.game import Moves, attack, read_moves

FILE = """
max_price = 20.0
norm = "l1"
[columns.amount]
unit_price = 0.5
direction = "down"
[columns."*"]
unit_price = 2.0
[columns.age]
fixed = true
[groups.text]
columns = {words = 1.0, length = 5.0}
unit_price = 0.1
direction = "up"
"""


def test_a_file_of_moves(tmp_path):
    path = tmp_path / "moves.toml"
    path.write_text(FILE)
    (moves,) = read_moves(path)
    assert moves.max_price == 20.0
    assert moves.columns["amount"].direction == "down"
    assert moves.groups["text"].rates == {"words": 1.0, "length": 5.0}
    names = ["amount", "age", "hour", "words", "length"]
    assert moves.monotonic_cst(names) == {"amount": -1, "words": 1, "length": 1}
    path.write_text(
        '[[adversaries]]\nname = "a"\ncolumns = {x0 = 1}\n[[adversaries]]\ncolumns = {x1 = 2}'
    )
    first, second = read_moves(path)
    assert (first.name, second.name) == ("a", "adversary 2")
    assert second.columns["x1"].unit_price == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "cannot move anything"),
        ({"columns": {"a": {"prize": 1}}}, "'prize' of 'a' is unknown"),
        ({"columns": {"a": "free"}}, "must be a price or a table"),
        ({"columns": {"a": {"unit_price": -1}}}, "must not be negative"),
        ({"columns": {"a": {"unit_price": "x"}}}, "must be a number"),
        ({"columns": {"a": {"direction": "left"}}}, "direction of 'a'"),
        ({"columns": {"a": {"lower": 2, "upper": 1}}}, "above upper"),
        ({"columns": {"a": 1.0}, "norm": "l3"}, "norm must be"),
        ({"columns": {"a": 1.0}, "max_price": 0}, "max_price must be positive"),
        ({"groups": {"g": {"unit_price": 1}}}, "has no columns"),
        ({"columns": {"a": 1.0}, "groups": {"g": {"columns": ["a"]}}}, "belongs to two moves"),
    ],
)
def test_errors_name_the_problem(given, message):
    with pytest.raises(InputError, match=message):
        Moves(**given)


def test_errors_of_files(tmp_path):
    path = tmp_path / "moves.toml"
    with pytest.raises(InputError, match="There is no file"):
        read_moves(path)
    for text, message in [
        ("columns = [", "is not TOML"),
        ("colums = {}", "'colums' in .* is unknown"),
        ("norm = 'l1'\n[[adversaries]]\ncolumns = {a = 1}", "outside of its adversaries"),
        (
            "[[adversaries]]\nname='a'\ncolumns={a=1}\n[[adversaries]]\nname='a'\ncolumns={a=1}",
            "same",
        ),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            read_moves(path)


def test_names_that_the_table_does_not_have():
    X = pl.DataFrame({"amount": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "b", "a", "b"]})
    y = np.array([0, 0, 1, 1])
    model = HistGradientBoostingClassifier(max_iter=1).fit(X[["amount"]].to_numpy(), y)
    with pytest.raises(InputError, match="'amont' of the moves is not in the table"):
        attack(model, X[["amount"]].to_numpy(), y, Moves({"amont": 1.0}))


def test_monotone_learners_are_immune_to_one_direction():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 1] - X[:, 0] + 0.5 * rng.normal(size=400) > 0).astype(int)
    moves = Moves({"x0": {"unit_price": 0.1, "direction": "up"}})
    signs = moves.monotonic_cst(["x0", "x1"])
    free = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    held = HistGradientBoostingClassifier(max_iter=10, monotonic_cst=[signs["x0"], 0]).fit(X, y)
    assert attack(free, X, y, moves, settle=False).past.any()
    assert not attack(held, X, y, moves, settle=False).past.any()
