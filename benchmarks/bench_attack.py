"""Attacks on 1,000 caught cases: exact moves, their bounds, and what chance finds instead.

Spam that adds words and defaulting borrowers who pay a little earlier; models are trained on half
of the rows and attacked on the other half, on Spambase also the other way round. The random search
gets a hundred times the processor time of ours for each of its cases, and half of its moves are
changes of ours. The last rows compare the learner chosen by its bill with the one chosen by its
bill after the best moves, on rows that neither was fitted or chosen on.
"""

import os
import time
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._measure import Row
from stakes.decision import BayesDecisionClassifier
from stakes.game import Moves, attack, harden, without_moves

CASES = 1000
CASE_SECONDS = float(os.environ.get("STAKES_CASE_SECONDS", "2.0"))
RANDOM_CASES, RANDOM_MOVES = 12, 20_000
BUDGET = 100  # processor time of the random search for each case, in those of ours


def spam():
    """Spambase: adding a percent of a word costs 1, a mail that gets through brings 1."""
    frame = pl.read_csv(Path(os.environ["STAKES_DATA"], "spambase.csv.gz"))
    X = frame.drop("target").to_numpy().astype(np.float64)
    up = {"unit_price": 1.0, "direction": "up", "upper": 20.0}
    columns = {f"x{j}": up for j in range(54)}
    runs = {"unit_price": 0.01, "direction": "down", "lower": 1.0}
    columns |= {f"x{j}": runs for j in (54, 55)}
    y = (frame["target"].to_numpy() == 1).astype(int)
    return "Spambase", X, y, dict(fp_cost=5.0, fn_cost=1.0), Moves(columns)


def credit():
    """Credit card clients: paying more, owing less or paying earlier in the last months."""
    frame = pl.read_csv(Path(os.environ["STAKES_DATA"], "default_credit_clients.csv.gz"))
    names = frame.drop("default").columns
    at = {name: f"x{j}" for j, name in enumerate(names)}
    pay = {"unit_price": 0.05, "direction": "up", "upper": 100_000.0}
    bill = {"unit_price": 0.05, "direction": "down", "lower": 0.0}
    earlier = {"unit_price": 2000.0, "direction": "down", "lower": -1.0, "integer": True}
    columns = {
        at["sep_pay"]: pay,
        at["aug_pay"]: pay,
        at["sep_bill"]: bill,
        at["sep_delay"]: earlier,
    }
    X = frame.drop("default").to_numpy().astype(np.float64)
    y = frame["default"].to_numpy().astype(int)
    limit = frame["limit"].to_numpy().astype(np.float64)
    return "credit", X, y, dict(fp_cost=0.02 * limit, fn_cost=0.1 * limit), Moves(columns)


def halves(X, y, costs, seed=0):
    rows = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    of = [{name: np.broadcast_to(c, (len(y),))[r] for name, c in costs.items()} for r in rows]
    return [(X[r], y[r], known) for r, known in zip(rows, of, strict=True)]


def models():
    forest = RandomForestClassifier(100, max_depth=8, random_state=0, n_jobs=1)
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    return {
        "logistic regression": BayesDecisionClassifier(linear),
        "forest of 100 trees of depth 8": BayesDecisionClassifier(forest),
    }


def attacks(name, X, y, costs, moves):
    """Exact attacks, and a random search with a hundred times the budget."""
    for title in models():
        found, seconds = _both_ways(title, X, y, costs, moves)
        price, bound = (
            np.concatenate([getattr(one, fact)[one.past] for one, *_ in found])
            for fact in ("price", "bound")
        )
        cases = sum(len(one.rows) for one, *_ in found)
        proved = np.mean(price <= bound * (1 + 1e-4) + 1e-9)
        undecided = sum(
            int(np.sum(~one.past & (one.bound < one.limit * (1 - 1e-6)))) for one, *_ in found
        )
        note = (
            f"{len(price)} of {cases} get past, {proved:.0%} proved cheapest; mean price "
            f"{price.mean():.4g}, at least {bound.mean():.4g}; {undecided} undecided"
        )
        task = f"{name}: {title}"
        yield Row(task, f"ours, {found[0][0].method}", seconds, note=note)
        start = time.process_time()
        wins, cheaper, tried, moves_each = random_search(*found[0], BUDGET * seconds / cases)
        note = (
            f"{tried} cases, at least {moves_each:,} moves each: gets past {wins}, cheaper than "
            f"ours {cheaper}"
        )
        yield Row(task, "random search", time.process_time() - start, note=note)


def _both_ways(title, X, y, costs, moves):
    """Attacks on the second half, and if it has too few caught cases also on the first."""
    found, seconds, left = [], 0.0, CASES
    first, second = halves(X, y, costs)
    for (A, a, _), (B, b, now) in ((first, second), (second, first)):
        model = models()[title].fit(A, a)
        caught = np.flatnonzero((b == 1) & (model.predict(B, **now) == 1))[:left]
        if not len(caught):
            break
        rows = np.append(caught, np.flatnonzero(b == 0)[:1])
        here = {key: cost[rows] for key, cost in now.items()}
        start = time.process_time()
        one = attack(model, B[rows], b[rows], moves, case_seconds=CASE_SECONDS, **here)
        seconds += time.process_time() - start
        found.append((one, model, here))
        left -= len(caught)
    return found, seconds


def random_search(found, model, costs, seconds, seed=0):
    """Random moves, until the processor time of each case is used up."""
    rng = np.random.default_rng(seed)
    wins = cheaper = 0
    fewest = np.inf
    some = np.arange(len(found.rows))[:: max(1, len(found.rows) // RANDOM_CASES)][:RANDOM_CASES]
    for i in some:
        best, tried, end = np.inf, 0, time.process_time() + seconds
        while not tried or time.process_time() < end:
            best = min(best, _random_moves(found, model, costs, i, rng))
            tried += RANDOM_MOVES
        wins += bool(np.isfinite(best))
        cheaper += bool(best < found.price[i] * (1 - 1e-9))
        fewest = min(fewest, tried)
    return wins, cheaper, len(some), fewest


def _random_moves(found, model, costs, i, rng):
    """Price of the cheapest of many random moves of case i that gets past; infinite if none.

    Moves of one to six levers, each up to the gain of the case, and our move with each lever
    between nothing and a fifth more.
    """
    case = found.levers.take(np.full(RANDOM_MOVES, i))
    amounts = case.stay()
    for l in range(len(case)):
        top = found.limit[i] / max(case.unit[l], 1e-12)
        low, high = np.maximum(case.lower[:, l], -top), np.minimum(case.upper[:, l], top)
        draw = rng.uniform(low, high) * rng.random(RANDOM_MOVES) ** 2
        draw = np.round(draw) if case.integer[l] else draw
        on = rng.random(RANDOM_MOVES) < rng.integers(1, 7, RANDOM_MOVES) / len(case)
        amounts[:, l] = np.where(on, draw, 0.0)
        if found.past[i]:
            ours = found.amounts[i, l] * rng.uniform(0.0, 1.2, RANDOM_MOVES) ** 0.25
            ours = np.clip(ours, case.lower[:, l], case.upper[:, l])
            ours = np.round(ours) if case.integer[l] else ours
            amounts[::2, l] = ours[::2]
    price = case.price(amounts)
    worth = np.flatnonzero(price < found.limit[i])
    amounts, price = amounts[worth], price[worth]
    here = {key: np.full(len(worth), cost[found.rows[i]]) for key, cost in costs.items()}
    past = model.predict(case.take(worth).apply(amounts), **here) == 0
    return float(price[past].min(initial=np.inf))


def choices(name, X, y, costs, moves, rows=4000):
    """Bill on held-out rows of the learner chosen without and with the adversary in mind."""
    (A, a, known), (B, b, now) = halves(X, y, costs)
    (T, t, t_costs), (V, v, v_costs) = halves(A, a, known, seed=1)
    T, t, t_costs = T[:rows], t[:rows], {k: c[:rows] for k, c in t_costs.items()}
    V, v, v_costs = V[:rows], v[:rows], {k: c[:rows] for k, c in v_costs.items()}
    B, b, now = B[:rows], b[:rows], {k: c[:rows] for k, c in now.items()}
    how = dict(settle=False, case_seconds=0.2)
    fitted = {}
    learners = models() | {
        "booster": BayesDecisionClassifier(HistGradientBoostingClassifier(random_state=0))
    }
    for title, learner in learners.items():
        fitted[title] = learner.fit(T, t)
        fitted[f"{title}, without what moves"] = without_moves(learner, T, t, moves, **t_costs)
        if title == "logistic regression":
            fitted[f"{title}, trained on moves"] = harden(learner, T, t, moves, **t_costs)
    before, after = {}, {}
    for title, model in fitted.items():
        found = attack(model, V, v, moves, **how, **v_costs)
        before[title], after[title] = found.bill, found.bill_after
    plain = min((k for k in fitted if "," not in k), key=before.get)
    robust = min(after, key=after.get)
    bills = {k: attack(fitted[k], B, b, moves, **how, **now) for k in {plain, robust}}
    task = f"{name}: bill on held-out rows"
    for k, word in ((plain, "chosen without the adversary"), (robust, "chosen with it")):
        one = bills[k]
        note = f"{k}: {one.bill:,.0f} today, {one.bill_after:,.0f} after the moves"
        if k != plain:
            share = 1 - one.bill_after / bills[plain].bill_after
            low, high = _saved(one.paid_after, bills[plain].paid_after)
            note += f", {share:.0%} less (95 % interval {low:.0%} to {high:.0%})"
        yield Row(task, word, 0.0, note=note)


def _saved(ours, theirs, draws=4000):
    """95 % interval of the share that is saved, by resampling the held-out rows in pairs."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(ours), (draws, len(ours)))
    shares = 1 - ours[rows].sum(axis=1) / theirs[rows].sum(axis=1)
    return np.quantile(shares, [0.025, 0.975])


def run():
    if not Path(os.environ.get("STAKES_DATA", ""), "spambase.csv.gz").exists():
        return []
    rows = []
    for make in (spam, credit):
        data = make()
        rows += [*attacks(*data), *choices(*data)]
    return rows


if __name__ == "__main__":
    for row in run():
        print(row, flush=True)
