"""The CW-CVaR reproduction: a small run from end to end, and its data."""

import json

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import ndtri
from sklearn.base import clone

from stakes.reproduce import cw_cvar
from stakes.reproduce._printed import printed
from stakes.reproduce._result import Cell, Reproduction, Table
from stakes.reproduce.cw_cvar._claims import claims_of
from stakes.reproduce.cw_cvar._data import german, kdd98, unreliable
from stakes.reproduce.cw_cvar._figures import draw
from stakes.reproduce.cw_cvar._reproduction import _curves, _tables
from stakes.reproduce.cw_cvar._runs import (
    GRID,
    LEARNERS,
    OURS,
    candidates,
    decided_online,
    hard_update,
    margins_online,
    online,
    run_set,
)
from stakes.reproduce.cw_cvar._synthetic import multipliers, synthetic
from stakes.risk import omega


def test_all_printed_numbers_are_there():
    tables = printed("cw_cvar")
    assert list(tables) == [f"{t}, {s}" for t in ("II", "III") for s in ("German", "KDD 98")]
    for rows in tables.values():
        assert tuple(rows) == LEARNERS
        assert all(list(row) == ["online", "batch"] for row in rows.values())


def test_table_three_prints_each_value_again_as_its_spread():
    """The printed pairs of Table III (mean, "plus or minus") for the German set, online."""
    pairs = [(-7.65, -7.65), (-10.65, -10.64), (-8.30, -8.29), (-2.82, -2.82), (-3.2, -3.2)]
    pairs += [(-3.28, -3.28), (-3.56, -3.56)]
    table = printed("cw_cvar")["III, German"].values()
    assert [row["online"] for row in table] == [mean for mean, _ in pairs]
    assert all(spread < 0 and abs(spread - mean) < 0.02 for mean, spread in pairs)


def test_equation_7_constrains_the_new_mean_and_prints_the_old_one():
    """One feature, x = 1: with M_{t-1}, as printed, the best step would leave the mean alone."""
    cost, epsilon, before = 2.0, 0.05, -0.3
    factor = omega(epsilon, "gaussian")

    def divergence(z):
        return 0.5 * (z[1] - np.log(z[1]) + (z[0] - before) ** 2 - 1)

    found = {}
    for name, margin in (("new", lambda z: z[0]), ("old", lambda z: 0.2)):
        limit = {"type": "ineq", "fun": lambda z, m=margin: cost * m(z) - factor * z[1]}
        bounds = [(-5, 5), (1e-6, 5)]
        start = [0.5, 0.1]
        done = minimize(
            divergence, start, bounds=bounds, constraints=[limit], options={"ftol": 1e-14}
        )
        found[name] = done.x
    assert found["old"][0] == pytest.approx(before, abs=1e-5)
    model = hard_update(epsilon, "gaussian").set_params(fit_intercept=False)
    model.partial_fit([[1.0]], [1], classes=[0, 1], fp_cost=cost, fn_cost=cost)
    # the learner starts at zero, so the same programme from there
    before = 0.0
    limit = {"type": "ineq", "fun": lambda z: cost * z[0] - factor * z[1]}
    done = minimize(divergence, [0.5, 0.1], bounds=bounds, constraints=[limit], tol=1e-12)
    assert model.coef_[0, 0] == pytest.approx(done.x[0], abs=1e-4)
    assert model.covariance_[0] == pytest.approx(done.x[1], abs=1e-4)


def test_figures_one_and_two():
    tables, claims = multipliers()
    assert [claim.verdict for claim in claims] == ["reproduced", "not reproduced", "not reproduced"]
    cell = next(c for c in tables[0].cells if c.row == "c = 1" and c.column == "epsilon = 0.5")
    omega = np.sqrt(2 / np.pi)
    assert cell.ours == pytest.approx((np.sqrt(1 + 8 * omega**2) - 1) / (4 * omega))


def test_german_costs():
    stream = german()
    assert stream.y.mean() == 0.7  # the positive decision is to approve
    assert stream.paid(np.zeros(1000, bool)) == 0.0  # denying everyone, which the paper leaves out
    rows = printed("cw_cvar")["II, German"].values()
    assert min(cost for row in rows for cost in row.values()) > 1_000
    assert stream.paid(np.ones(1000, bool)) == pytest.approx(886_078.5)


@pytest.mark.jit
def test_a_small_run_of_one_set():
    stream = german(interest=0.2).take(np.arange(120))
    found = run_set(stream, 1, 1, lambda line: None, margins=1, selections=2)
    cost, cvar = _tables("German", stream, found)
    assert len(claims_of("German", stream, found)) == 3
    last = {c.row: c.ours for c in _curves("German", found).cells if c.column == "100% read"}
    paid = {c.row: c.ours for c in cost.cells if c.column == "online"}
    assert last == pytest.approx({name: paid[name] for name in last})
    assert {"CW", "always negative"} <= {cell.row for cell in cost.cells}
    papers = {(c.row, c.column): c.paper for c in (*cost.cells, *cvar.cells)}
    assert papers["CW-CV-arb", "online, relative to CW"] == pytest.approx(21_621 / 35_002)
    assert papers["CW-CV-arb", "batch"] == -0.27


def test_cw_costs_is_equation_6_with_the_factor_of_the_value_at_risk():
    stream = german().take(np.arange(60))
    for model, epsilon in zip(candidates("CW-costs"), GRID, strict=False):
        factor = -ndtri(epsilon)
        assert omega(model.expensive_tail, "gaussian") == pytest.approx(factor, abs=1e-9)
        mu, variance = np.zeros(stream.X.shape[1] + 1), np.ones(stream.X.shape[1] + 1)
        for x, label, c in zip(stream.X, stream.y, stream.c, strict=True):
            x = np.r_[x, 1.0]
            sign, v = 2.0 * label - 1.0, float(variance @ x**2)
            margin = sign * float(mu @ x)

            def short(step, margin=margin, c=c, v=v, factor=factor):
                return factor * v / (1 + 2 * step * factor * v) - c * (margin + step * c * v)

            if short(0.0) > 0:
                step = brentq(short, 0.0, 1e6, xtol=1e-14)
                mu += step * c * sign * variance * x
                variance = 1 / (1 / variance + 2 * step * factor * x**2)
        model = clone(model).fit(stream.X, stream.y, fp_cost=stream.c, fn_cost=stream.c)
        np.testing.assert_allclose(model.coef_[0], mu[:-1], rtol=1e-6, atol=1e-8)


def test_verdicts_rest_on_all_trials():
    found = {name: dict(online=[100.0], setting=candidates(name)[0]) for name in (*LEARNERS, *OURS)}
    for name, one in found.items():
        one["trials"] = np.full(20, 60.0 if name == "CW-CV-arb" else 100.0)
    found["CW-CV-arb"]["online"] = [60.0]
    stream = german().take(np.arange(60))
    assert [c.verdict for c in claims_of("German", stream, found)][:2] == ["reproduced"] * 2
    found["CW-CV-arb"]["trials"][:2] = 101.0  # the choice of the trial decides
    assert [c.verdict for c in claims_of("German", stream, found)][:2] == ["not reproduced"] * 2


def test_margins_come_from_the_same_stream():
    stream = german().take(np.arange(40))
    model = candidates("CW")[0]
    one, said, margins = type(model)(**model.get_params()), [], []
    for x, label, c in zip(stream.X, stream.y.tolist(), stream.c.tolist(), strict=True):
        score = float(x @ one.coef_[0] + one.intercept_[0]) if said else 0.0
        said.append(score > 0)
        margins.append(score if label == 1 else -score)
        one.learn_one(x, label, fp_cost=c, fn_cost=c)
    assert decided_online(model, stream, "CW").tolist() == said
    assert online(model, stream, "CW") == stream.paid(np.array(said))
    assert margins_online(model, stream) == pytest.approx(np.sort(margins)[:2].mean())


@pytest.mark.jit
def test_figure_three():
    stream = unreliable(np.random.default_rng(0))
    assert stream.X.shape == (1000, 2) and stream.y.sum() == 500
    (table, curves), claim = synthetic(1)
    assert len(table.cells) == 14
    assert len(curves.cells) == 50
    # mistakes only grow during the stream, up to the number in the table
    for name in {cell.row for cell in curves.cells}:
        way = [cell.ours for cell in curves.cells if cell.row == name]
        (end,) = [c.ours for c in table.cells if (c.row, c.column) == (name, "no intercept")]
        assert way == sorted(way) and way[-1] == end
    constant = [cell.ours for cell in table.cells if cell.row == "always negative"]
    assert constant == [500.0, 500.0]
    assert "CW-robust" in claim.evidence


def test_the_figures_are_drawn_from_a_stored_run(tmp_path):
    cells = [Cell("CW", f"{k}0% read", 10.0 * k) for k in range(1, 11)]
    result = Reproduction(
        name="cw-cvar",
        paper="",
        command="",
        tables=[
            *multipliers()[0],
            Table("Figure 3(a), German: cost during the stream", cells=cells),
        ],
        claims=[],
    )
    figure = draw(json.loads(result.to_json()))
    titles = [axis.get_title() for axis in figure.axes]
    assert len(titles) == 4 and "German" in titles[-1]
    curve = figure.axes[-1].lines[0]
    np.testing.assert_array_equal(curve.get_ydata(), 10.0 * np.arange(1, 11))
    assert len(figure.axes[-1].collections) == 6  # end points of the paper's other learners


@pytest.mark.slow
@pytest.mark.jit
def test_whole_run(shared_data):
    assert kdd98(shared_data).y.mean() == pytest.approx(4843 / 95412, rel=1e-3)
    result = cw_cvar.run(repeats=1, data=shared_data)
    assert "KDD 98" in result.to_markdown()
