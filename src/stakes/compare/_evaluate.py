"""After the decision: what happened turned into money, against what was promised."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from stakes._core.words import count
from stakes.compare._periods import periods
from stakes.compare._resamples import Resamples
from stakes.compare._wording import Wording
from stakes.costs import Costs
from stakes.errors import InputError, near_matches
from stakes.tables import LabelReader, RowOrigin, read_costs, read_times

REVIEW_WORD = "review"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Decisions joined with their outcomes.

    Parameters
    ----------
    decisions, outcomes : polars.DataFrame
        Results of `stakes predict`, and the rows with their labels and whatever the costs need.
    target : str
        Label column of the outcomes; rows without a label are not known yet.
    costs : dict
        fp_cost, fn_cost, tp_cost, tn_cost, and review_cost if there were reviews -> number or
        expression over the columns of the outcomes.
    positive : str, default=None
        Positive label.
    by : str, default="row"
        Column that identifies a row in both tables; "row": the number of the row in the outcomes.
    time : str, default=None
        Column of times in the outcomes, for the cost by period.
    challenger : polars.DataFrame, default=None
        Other decisions about the same rows.
    wording : Wording, default=Wording()
        What the decisions are called, and the currency.
    """

    decisions: pl.DataFrame
    outcomes: pl.DataFrame
    target: str
    costs: dict
    positive: str | None = None
    by: str = "row"
    time: str | None = None
    challenger: pl.DataFrame | None = None
    wording: Wording = field(default_factory=Wording)

    def summary(self):
        """Everything that the page shows, as one dict.

        Returns
        -------
        dict
        """
        outcomes, decided = self._joined(self.decisions, "decisions")
        known = self._known(outcomes)
        waiting = int((~known).sum())
        outcomes, decided = outcomes.filter(known), decided.filter(known)
        if not outcomes.height:
            raise InputError(f"No decision has an outcome yet: {self.target!r} is empty.")
        positive = LabelReader(self.target, self.positive).read_column(
            outcomes[self.target], one_class=self.positive is None
        )[0]
        positive = positive == 1
        given = read_costs(outcomes, self.costs, self.target)
        review = given.pop("review_cost", None)
        costs = Costs.of(len(positive), **given)
        action = self._actions(decided["decision"])
        paid = pay(costs, positive, action, review)
        times = None if self.time is None else read_times(outcomes, self.time)
        origin = None if times is None else RowOrigin(time=times)
        policies = {
            name: costs.paid(positive, np.full(len(positive), answer))
            for name, answer in (("always negative", False), ("always positive", True))
        }
        columns = {"paid": paid, **policies}
        promised = _numbers(decided, "expected_cost")
        if promised is not None:
            columns["promised"] = promised
        if self.challenger is not None:
            columns["challenger"] = self._challenger(outcomes, costs, positive, review)
        found = self._money(columns, origin)
        probability = _numbers(decided, "probability")
        summary = {
            "rows": len(positive),
            "waiting": waiting,
            "counts": _counts(action, positive),
            "money": found,
            "calibration": None if probability is None else calibrate(probability, positive),
            "periods": self._periods(times, columns, positive, probability),
        }
        return self.wording.say(summary | {"sentences": self._sentences(summary)})

    def _joined(self, decisions, what):
        """The outcomes of the decided rows, and their decisions, in the same order."""
        outcomes = self.outcomes
        if self.by == "row" and "row" not in outcomes.columns:
            outcomes = outcomes.with_row_index("row", offset=1)
        for name, table in ((what, decisions), ("outcomes", outcomes)):
            if self.by not in table.columns:
                raise InputError(
                    f"The column {self.by!r} is not in the {name}: "
                    + near_matches(self.by, table.columns),
                    "by",
                )
            if table[self.by].n_unique() < table.height:
                raise InputError(f"The column {self.by!r} has values twice in the {name}.", "by")
        if "decision" not in decisions.columns:
            raise InputError(f"The {what} have no column 'decision'; use a file of stakes predict.")
        places = _keyed(outcomes, self.by).select("key", at=pl.int_range(pl.len()))
        joined = _keyed(decisions, self.by).join(places, on="key", how="left")
        lost = joined["at"].null_count()
        if lost == joined.height:
            raise InputError(f"No row of the {what} is in the outcomes; check {{parameter}}.", "by")
        joined = joined.drop_nulls("at")
        return outcomes[joined["at"].to_numpy()], joined.drop("at", "key")

    def _known(self, outcomes):
        if self.target not in outcomes.columns:
            raise InputError(
                f"The target column {self.target!r} is not in the outcomes: "
                + near_matches(self.target, outcomes.columns),
                "target",
            )
        return outcomes[self.target].is_not_null()

    def _actions(self, column):
        words = {self.wording.positive_means: 1, REVIEW_WORD: -1}
        if column.dtype == pl.String and not column.str.contains(r"^-?\d+$").all():
            if not self.wording.positive_means:
                raise InputError(
                    "The decisions are words; name the positive one: {parameter}.", "positive_means"
                )
            return np.array([words.get(one, 0) for one in column.to_list()])
        return column.cast(pl.Int64).to_numpy()

    def _challenger(self, outcomes, costs, positive, review):
        if not {self.by, "decision"} <= set(self.challenger.columns):
            raise InputError(f"The challenger needs the columns {self.by!r} and 'decision'.")
        theirs = _keyed(self.challenger, self.by).select("key", "decision")
        other = _keyed(outcomes, self.by).select("key").join(theirs, on="key", how="left")
        if other["decision"].null_count():
            raise InputError("The challenger has no decision for some of the rows.", "challenger")
        return pay(costs, positive, self._actions(other["decision"]), review)

    def _money(self, columns, origin):
        names = list(columns)
        values = np.column_stack([columns[name] for name in names])
        resamples = Resamples(values, origin)
        only = dict(zip(names, np.eye(len(names)), strict=True))
        found = {}
        for name in names:
            difference = only["paid"] - only[name]
            found[name] = {
                "total": float(columns[name].sum()),
                "per_1000": float(1000 * columns[name].mean()),
                "more": float((columns["paid"] - columns[name]).sum()),
                "more_interval": [len(values) * x for x in resamples.interval(difference)],
            }
        return found

    def _periods(self, times, columns, positive, probability):
        if times is None:
            return None
        start = periods(times)[0]
        shares = {"share": positive.astype(float)}
        if probability is not None:
            shares["probability"] = probability
        money = {name: 1000 * values for name, values in columns.items()}
        frame = pl.DataFrame({"start": start, **money, **shares})
        found = frame.group_by("start").agg(pl.all().mean(), n=pl.len()).sort("start")
        dates = found["start"]
        names = dates.dt.strftime("%Y-%m-%d") if dates.dtype.is_temporal() else dates
        return found.with_columns(start=names.cast(pl.String)).to_dict(as_series=False)

    def _sentences(self, summary):
        amount, found = self.wording.amount, summary["money"]
        text = [f"{summary['rows']:,} decisions cost {amount(found['paid']['total'])}."]
        if summary["waiting"]:
            text[0] += f" {summary['waiting']:,} more have no outcome yet."
        if "promised" in found:
            one = found["promised"]
            low, high = one["more_interval"]
            proven = "" if low > 0 or high < 0 else ", which chance may explain"
            text.append(
                f"Promised were {amount(one['total'])}: they cost {_more(one['more'], amount)} "
                f"(95% interval {_more(low, amount)} to {_more(high, amount)}){proven}."
            )
        best = min(("always negative", "always positive"), key=lambda name: found[name]["total"])
        low, high = (-x for x in found[best]["more_interval"][::-1])
        text.append(
            f"Compared with {best}, the decisions saved {amount(-found[best]['more'])} "
            f"(95% interval {amount(low)} to {amount(high)})."
        )
        if "challenger" in found:
            one = found["challenger"]
            low, high = one["more_interval"]
            text.append(
                f"The challenger would have cost {amount(one['total'])}, "
                f"{amount(abs(one['more']))} {'less' if one['more'] >= 0 else 'more'}"
                f"{'' if low > 0 or high < 0 else ', which is not significant'}."
            )
        c = summary["counts"]
        text.append(
            f"Of {c['positives']:,} positives, {c['found']:,} were acted on and {c['missed']:,} "
            f"missed; false alarms: {c['false_alarms']:,}"
            + (f"; reviews: {c['reviews']:,}." if c["reviews"] else ".")
        )
        calibration = summary["calibration"]
        if calibration is not None:
            text.append(
                f"The probabilities promised {count(calibration['expected'])} positives "
                f"(95% interval {count(calibration['interval'][0])} to "
                f"{count(calibration['interval'][1])}); there were {c['positives']:,}."
            )
        return text


def _more(difference, amount):
    return f"{amount(abs(difference))} {'more' if difference >= 0 else 'less'}"


def pay(costs, positive, action, review_cost=None):
    """What each action cost; a review (-1) costs `review_cost` and finds the truth.

    Examples
    --------
    >>> pay(Costs.of(3, fn_cost=9.0), np.array([True, True, False]), np.array([0, -1, 1]), 2.0)
    array([9., 2., 1.])
    """
    reviewed = action == -1
    if reviewed.any() and review_cost is None:
        raise InputError("Some decisions are reviews; give {parameter}.", "review_cost")
    paid = costs.paid(positive, np.where(reviewed, positive, action == 1))
    return paid + np.where(reviewed, 0.0 if review_cost is None else review_cost, 0.0)


def calibrate(probability, positive, n_bins=10):
    """Predicted and observed shares in bins of equal size, and the expected number of positives.

    The interval is what chance alone allows if every probability is right.
    """
    bins = np.array_split(np.argsort(probability, kind="stable"), n_bins)
    expected, spread = probability.sum(), np.sqrt((probability * (1 - probability)).sum())
    return {
        "predicted": [float(probability[b].mean()) for b in bins if len(b)],
        "observed": [float(positive[b].mean()) for b in bins if len(b)],
        "expected": float(expected),
        "interval": [float(max(expected - 1.96 * spread, 0.0)), float(expected + 1.96 * spread)],
    }


def _counts(action, positive):
    return {
        "positives": int(positive.sum()),
        "found": int(((action != 0) & positive).sum()),
        "missed": int(((action == 0) & positive).sum()),
        "false_alarms": int(((action == 1) & ~positive).sum()),
        "reviews": int((action == -1).sum()),
        "alerts": int((action == 1).sum()),
    }


def _keyed(table, by):
    """The table with the key of each row as text: 7 and 7.0 are the same row."""
    key = pl.col(by).cast(pl.Float64) if table[by].dtype.is_numeric() else pl.col(by)
    return table.with_columns(key=key.cast(pl.String))


def _numbers(table, name):
    if name not in table.columns or table[name].null_count():
        return None
    return table[name].cast(pl.Float64).to_numpy()
