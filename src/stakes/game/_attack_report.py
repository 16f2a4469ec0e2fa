"""Report on moves in money: the bill today, after the adversaries move, and after an answer."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from stakes._core.docs import documented
from stakes._core.plotting import open_axes
from stakes._core.words import markdown_table, money
from stakes.costs import COST_NAMES
from stakes.game._answers import fit_with_costs, harden, without_moves
from stakes.game._attack import attack
from stakes.game._caught import LINEAR, SEARCH
from stakes.game._leaf_search_jit import CATEGORY
from stakes.game._levers import frame_or_array, rows_of
from stakes.game._pace import StagePace

TODAY, MOVED = "today", "after they move"
REFITTED, HARDENED, BLIND = "refitted", "trained on moved rows", "without the columns they move"
_CHEAPEST = 10


@dataclass(frozen=True)
class AttackReport:
    """What adversaries would do to a classifier, in money.

    Attributes
    ----------
    outcomes : polars.DataFrame
        For each adversary and stage: bill, upper bound on the bill, share of positives caught,
        number of cases that move, what the adversary pays, and what it gains minus that. The
        stages: "today" and "after they move" for the model; then answers of the defender, at the
        best moves against them: the learner "refitted" as it was, "trained on moved rows", and
        "without the columns they move". Answers are cross-fitted: no row is decided by a
        classifier that was fitted on it.
    columns : polars.DataFrame
        What each adversary moves: number of cases, median amount, the most frequent new category,
        and the money spent on it.
    curve : polars.DataFrame
        Bill after the moves, and its upper bound, by budget per case.
    cheapest : polars.DataFrame
        The ten cases that get past for the least money, and how.
    attacks : list of Attack
        The moves against the model, one entry per adversary.
    answer : str or None
        The answer with the lowest bill, if it is lower than that after the moves.
    missing : list of str
        Answers for which the time budget was too short.
    """

    outcomes: pl.DataFrame
    columns: pl.DataFrame
    curve: pl.DataFrame
    cheapest: pl.DataFrame
    attacks: list
    answer: str | None
    missing: list

    def sentences(self):
        """The result in words, one sentence for each adversary and one for the answer."""
        found = []
        for one in self.attacks:
            rows = self.outcomes.filter(pl.col("adversary") == one.moves.name)
            bill = dict(zip(rows["stage"], rows["bill"], strict=True))
            text = (
                f"{one.moves.name}: the bill is {money(one.bill)} today and "
                f"{money(one.bill_after)} after {int(one.past.sum()):,} of {len(one.rows):,} "
                "caught cases have moved past"
            )
            if one.bill_bound > one.bill_after:
                text += f" (at most {money(one.bill_bound)})"
            if self.answer is not None:
                text += f"; {money(bill[self.answer])} if you answer: {self.answer}"
            found.append(text + ".")
        found += [_how(one) for one in self.attacks]
        if self.answer is None and len(self.outcomes["stage"].unique()) > 2:
            found.append("No answer that was tried lowers the bill after the moves.")
        if self.missing:
            answers = ", ".join(repr(answer) for answer in self.missing)
            found.append(f"The time budget was too short for these answers: {answers}.")
        return found

    def to_markdown(self):
        """The report as Markdown."""
        parts = ["\n".join(f"- {sentence}" for sentence in self.sentences())]
        parts += [_table(self.outcomes), "What they would move:", _table(self.columns)]
        parts += ["The cheapest cases to get past:", _table(self.cheapest)]
        parts += ["The bill by budget per case:", _table(self.curve)]
        return "\n\n".join(parts) + "\n"

    def plot(self, ax=None):
        """Plot the bill against the budget of the adversaries per case.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None: new ones.

        Returns
        -------
        matplotlib Axes
        """
        _, ax = open_axes(ax)
        for (name,), rows in self.curve.group_by("adversary", maintain_order=True):
            (line,) = ax.step(rows["budget"], rows["bill"], where="post", label=name)
            if (rows["bill_bound"] > rows["bill"]).any():
                ax.fill_between(
                    rows["budget"].to_numpy(),
                    rows["bill"].to_numpy(),
                    rows["bill_bound"].to_numpy(),
                    step="post",
                    alpha=0.25,
                    color=line.get_color(),
                )
        ax.set_xlabel("budget per case")
        ax.set_ylabel("bill after the moves")
        ax.legend()
        return ax


@documented()
def attack_report(
    model,
    X,
    y,
    moves,
    *,
    pos_label=None,
    fp_cost=None,
    fn_cost=None,
    tp_cost=None,
    tn_cost=None,
    answers=True,
    cv=3,
    settle=True,
    case_seconds=5.0,
    time_budget=None,
    progress=None,
    random_state=None,
):
    """Report what adversaries would do to a classifier, and what answers would cost.

    Parameters
    ----------
    model : fitted classifier
        As in :func:`attack`.
    X : {array-like, sparse matrix, data frame} of shape (n, d)
        Rows, best those that the model was not trained on.
    y : array-like of shape (n,)
        Labels.
    moves : Moves or list of Moves
        What each adversary can do; each of them attacks alone.
    pos_label : label, default=None
        Class of the adversary; None: the larger label. Required if the labels are words.
    [metric_costs]
    answers : bool, default=True
        Whether to fit and attack the answers of the defender.
    cv : int, default=3
        Number of folds in which the answers are fitted.
    settle, case_seconds : bool and float, default=True, 5.0
        As in :func:`attack`.
    time_budget : float, default=None
        Seconds for everything, of which the attacks on the model come first; None: no limit. The
        report says how many cases were searched and which answers are missing.
    progress : callable, default=None
        Called as `progress(stage, done, total)`: a text, and how many of its cases are done.
    random_state : int or None, default=None
        Seed of the folds.

    Returns
    -------
    AttackReport

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes.game import Moves
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = (X.sum(axis=1) + 0.5 * rng.normal(size=500) > 0).astype(int)
    >>> moves = Moves({"x0": {"unit_price": 1.0, "direction": "down"}})
    >>> model = LogisticRegression().fit(X, y)
    >>> report = attack_report(model, X, y, moves, fn_cost=2.0, random_state=0)
    >>> report.outcomes.select("stage", "bill").rows()[:2]
    [('today', 80.0), ('after they move', 462.0)]
    """
    adversaries = list(moves) if isinstance(moves, list | tuple) else [moves]
    given = dict(zip(COST_NAMES, (fp_cost, fn_cost, tp_cost, tn_cost), strict=True))
    how = dict(pos_label=pos_label, settle=settle, case_seconds=case_seconds)
    clock = StagePace(time_budget, progress)
    attacks = [
        attack(model, X, y, one, **clock.of(f"{one.name} against the model"), **how, **given)
        for one in adversaries
    ]
    y = np.asarray(y)
    outcomes = []
    for one in attacks:
        outcomes += [_outcome(TODAY, [one], moved=False), _outcome(MOVED, [one])]
    answer, missing = None, []
    if answers:
        table = frame_or_array(X)
        found = _answers(model, table, y, adversaries, given, how, cv, random_state, clock)
        total = {k: sum(o["bill"] for o in found[k]) for k in (HARDENED, BLIND) if k in found}
        stages = (REFITTED, HARDENED, BLIND)
        missing = [stage for stage in stages if stage not in found]
        outcomes += [row for stage in stages for row in found.get(stage, [])]
        best = min(total, key=total.get, default=None)
        if best is not None and total[best] < sum(one.bill_after for one in attacks):
            answer = best
    return AttackReport(
        pl.DataFrame(outcomes),
        pl.concat([_columns(one) for one in attacks]),
        pl.concat([_curve(one) for one in attacks]),
        pl.concat([_cheapest(one) for one in attacks]),
        attacks,
        answer,
        missing,
    )


def _answers(model, table, y, adversaries, given, how, cv, random_state, clock):
    """Stage -> one outcome per adversary of each answer, cross-fitted; without those cut short."""
    fewest = int(np.unique(y, return_counts=True)[1].min())
    if fewest < 2:
        raise ValueError(
            "Answers are fitted on other rows than those they are scored on, so each class needs "
            f"at least two examples. Got {fewest} instead; pass answers=False."
        )
    folds = StratifiedKFold(min(cv, fewest), shuffle=True, random_state=random_state)
    n = len(y)
    prices = {k: np.broadcast_to(c, (n,)) for k, c in given.items() if c is not None}
    quick = how | {"settle": False}
    plain, found, splits = [], {}, list(folds.split(np.zeros(n), y))
    stages = [f"answer {HARDENED!r}, fold {k + 1} of {len(splits)}" for k in range(len(splits))]

    def refitted(k, rows, y, costs):
        plain.append(fit_with_costs(clone(model), rows, y, costs))
        return plain[k]

    def hardened(k, rows, y, costs):
        start = dict(pos_label=how["pos_label"], fresh=False)
        return harden(plain[k], rows, y, adversaries, **start, **clock.of(stages[k]), **costs)

    def blind(k, rows, y, costs):
        return without_moves(model, rows, y, adversaries, **costs)

    for stage, fit in ((REFITTED, refitted), (BLIND, blind), (HARDENED, hardened)):
        parts = [[] for _ in adversaries]
        for k, (train, test) in enumerate(splits):
            title = f"answer {stage!r}, fold {k + 1} of {len(splits)}"
            clock.say(title)
            known = {name: cost[train] for name, cost in prices.items()}
            now = {name: cost[test] for name, cost in prices.items()}
            one = None if clock.over else fit(k, rows_of(table, train), y[train], known)
            for part, moves in zip(parts, adversaries, strict=True):
                if clock.over:
                    return found
                held = (rows_of(table, test), y[test], moves)
                part.append(
                    attack(one, *held, **clock.of(f"{title}, {moves.name}"), **quick, **now)
                )
        if clock.over:
            return found
        found[stage] = [_outcome(stage, by_adversary) for by_adversary in parts]
    return found


def _outcome(stage, attacks, moved=True):
    caught = sum(len(one.rows) - (int(one.past.sum()) if moved else 0) for one in attacks)
    positives = sum(one.n_positive for one in attacks)
    bill = sum(one.bill_after if moved else one.bill for one in attacks)
    spent = sum(one.spent for one in attacks) if moved else 0.0
    gained = sum(float(one.gain[one.past].sum()) for one in attacks) if moved else 0.0
    return {
        "adversary": attacks[0].moves.name,
        "stage": stage,
        "bill": bill,
        "bill_bound": sum(one.bill_bound for one in attacks) if moved else bill,
        "caught": caught / positives if positives else 0.0,
        "moved": sum(int(one.past.sum()) for one in attacks) if moved else 0,
        "paid": spent,
        "profit": gained - spent,
    }


def _columns(one):
    """What an adversary moves, most expensive first."""
    moved = one.levers.moved(one.amounts) & one.past[:, None]
    rows = []
    for l, name in enumerate(one.levers.names):
        amounts = one.amounts[moved[:, l], l]
        category = one.levers.kinds[l] == CATEGORY
        size = np.zeros(len(amounts)) if category else np.abs(amounts)
        to = None
        if category and len(amounts):
            values, counts = np.unique(amounts, return_counts=True)
            to = str(one.levers.categories[l][int(values[counts.argmax()])])
        rows.append(
            {
                "adversary": one.moves.name,
                "column": name,
                "cases": len(amounts),
                "median_move": None if category or not len(amounts) else float(np.median(amounts)),
                "to": to,
                "paid": float((one.levers.change[l] + one.levers.unit[l] * size).sum()),
            }
        )
    schema = {"median_move": pl.Float64, "to": pl.String, "paid": pl.Float64}
    frame = pl.DataFrame(rows, schema_overrides=schema)
    return frame.sort("cases", "paid", descending=True)


def _curve(one, points=21):
    """Bill by budget per case: cases whose move costs at most the budget get past."""
    price = np.sort(one.price[one.past])
    top = price[-1] if len(price) else 0.0
    budgets = np.unique(
        np.append(np.linspace(0.0, top, points), price[:: max(1, len(price) // 20)])
    )
    bill, bound = [], []
    for budget in budgets:
        bill.append(one.bill + one.stakes[one.past & (one.price <= budget)].sum())
        open_ = (one.price > budget) & (one.bound <= budget) & (one.bound < one.limit)
        bound.append(bill[-1] + one.stakes[open_].sum())
    return pl.DataFrame(
        {
            "adversary": [one.moves.name] * len(budgets),
            "budget": budgets,
            "bill": np.asarray(bill, dtype=float),
            "bill_bound": np.asarray(bound, dtype=float),
        }
    )


def _cheapest(one):
    order = np.argsort(one.price, kind="stable")[:_CHEAPEST]
    order = order[one.past[order]]
    return pl.DataFrame(
        {
            "adversary": [one.moves.name] * len(order),
            "row": one.rows[order] + 1,
            "gain": one.gain[order],
            "price": one.price[order],
            "price_bound": one.bound[order],
            "moves": [one.describe(i) for i in order],
        },
        schema_overrides={"moves": pl.String, "adversary": pl.String},
    )


def _how(one):
    if one.n_searched < len(one.rows):
        return (
            f"{one.moves.name}: the time budget was too short: {one.n_searched:,} of "
            f"{len(one.rows):,} caught cases were searched; the others may get past as well."
        )
    if one.method == SEARCH:
        return (
            f"{one.moves.name}: the moves were searched for; cheaper ones may exist, so the bill "
            "is a lower bound."
        )
    if one.method == LINEAR:
        return f"{one.moves.name}: the moves are the cheapest possible."
    price, bound = one.price[one.past].sum(), one.bound[one.past].sum()
    share = 0.0 if price <= 0 else (price - bound) / price
    return (
        f"{one.moves.name}: the moves cost {money(price)} in total; no moves past the model cost "
        f"less than {money(bound)} ({share:.1%} less)."
    )


def _table(frame):
    rows = []
    for row in frame.rows():
        rows.append(
            ["" if c is None else money(c) if isinstance(c, float) else str(c) for c in row]
        )
    return markdown_table([name.replace("_", " ") for name in frame.columns], rows)
