"""Options that several commands share."""

import inspect
from pathlib import Path
from typing import Annotated

import typer

from stakes.errors import InputError


def option(kind, help, *names, **settings):
    """Annotation of an option: type, help, and the names unless it is called as its parameter."""
    return Annotated[kind, typer.Option(*names, help=help, **settings)]


def argument(kind, help, **settings):
    """Annotation of an argument: a parameter that is given by its place."""
    return Annotated[kind, typer.Argument(help=help, **settings)]


Data = argument(
    str,
    "A .csv, .tsv (either may be .gz) or .parquet file, a folder or quoted glob of such files, "
    "which is sampled, or the name of a data set (see stakes datasets).",
    metavar="DATA",
    show_default=False,
)
Target = option(str | None, "Label column. Required for a file.", metavar="COLUMN")
Positive = option(
    str | None,
    "Positive label, the class to act on; all other labels are negative. Not needed for 0/1, "
    "-1/1, no/yes, n/y, false/true and f/t.",
    metavar="LABEL",
)
_OUTCOMES = {
    "fp": "a false positive: a number, or an expression over columns such as 0.75*amount",
    "fn": "a false negative",
    "tp": "a true positive",
    "tn": "a true negative",
}


def help_of(command):
    r"""Help of a command: a line with \b keeps the lines below it as they are."""
    return inspect.cleandoc(command.__doc__).replace("\\b", "\b")


def cost_option(outcome, default):
    """The option for the cost of an outcome, and its default in words."""
    text = f"Cost of {_OUTCOMES[outcome]}. Default: {default}."
    return option(str | None, text, metavar="EXPR", show_default=False)


FpCost, FnCost = cost_option("fp", "1"), cost_option("fn", "1")
TpCost, TnCost = cost_option("tp", "0"), cost_option("tn", "0")
CostMatrix = option(
    Path | None,
    "Costs of more than two classes: a CSV with the true classes in the first column, the "
    "decisions in the first row, and numbers or expressions. Decisions need not be classes.",
    metavar="FILE",
)
Drop = option(list[str] | None, "Column that is not a feature; repeatable.", metavar="COLUMN")
Missing = option(
    list[str] | None,
    "Text that means a missing value, in addition to NA, N/A, NaN, null and ?; repeatable.",
    metavar="TEXT",
)
Time = option(
    str | None,
    "Time of each row (dates or numbers): folds go forward in time, inner ones too. Not a feature.",
    metavar="COLUMN",
)
Group = option(
    str | None,
    "Column such as a customer or device: the rows of one are never in both training and test "
    "sets. Not a feature.",
    metavar="COLUMN",
)
Window = option(
    str | None,
    "With --time: train only on rows from this long before the test rows (90d). Default: all "
    "earlier rows.",
    metavar="TIME",
)
LabelDelay = option(
    str | None,
    "With --time: labels are known this long after their row (7d); rows whose label was not "
    "known yet are not trained on.",
    metavar="TIME",
)
CostFeatures = option(
    bool,
    "Whether columns used in the costs are features as well.",
    "--cost-features/--no-cost-features",
)
PositiveMeans = option(
    str | None, "The positive decision in words, such as refuse or block.", metavar="WORD"
)
NegativeMeans = option(
    str | None, "The negative decision in words, such as accept.", metavar="WORD"
)
Currency = option(str | None, "Currency of the costs, such as € or SEK.", metavar="TEXT")
MaxAlerts = option(
    str | None,
    "Maximum number of positive decisions, or a share such as 2%; per day with --time.",
    metavar="N",
)
ReviewCost = option(
    str | None, "Cost of a review, which finds the truth. Default: no reviews.", metavar="EXPR"
)
MaxReviews = option(
    str | None,
    "Maximum number of reviews, in the form of --max-alerts. Default: no limit.",
    metavar="N",
)
Resume = option(bool, "Resume from the results in DIR, or start over.", "--resume/--fresh")
Jobs = option(int, "Parallel fits; -1: one per core.", "--jobs", "-j")
Seed = option(int, "Seed for all random choices.")
Quiet = option(bool, "Print only the result.", "--quiet", "-q")


def table_settings(
    data,
    target,
    positive,
    fp_cost,
    fn_cost,
    tp_cost,
    tn_cost,
    drop,
    today=None,
    missing=None,
    **rows,
):
    """The options about a table as :class:`~stakes.compare.TableSettings`."""
    from stakes.compare import TableSettings

    costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    costs = {name: cost for name, cost in costs.items() if cost is not None}
    rows["errors"] = list(rows.get("errors") or [])
    if rows.get("cost_matrix") is not None:
        from stakes.tables import CostTable

        rows["cost_matrix"] = CostTable.read(rows["cost_matrix"]).to_dict()
    return TableSettings(
        data, target, positive, costs, list(drop or []), today, list(missing or []), **rows
    )


def limit(text, name):
    """A number or a share of rows, as the option says it.

    Examples
    --------
    >>> limit("50", "max_alerts"), limit("2%", "max_alerts"), limit("0.5", "max_alerts")
    (50, 0.02, 0.5)
    """
    if text is None:
        return 1.0
    try:
        share = text.strip().endswith("%")
        value = float(text.strip().rstrip("%")) / (100 if share else 1)
        if not share and value == int(value) and "." not in text:
            value = int(value)
    except (ValueError, OverflowError):
        value = -1
    if value < 0 or (isinstance(value, float) and value > 1):
        raise InputError(
            f"{{parameter}} must be a number of rows such as 50, or a share such as 2%. Got "
            f"{text!r} instead.",
            name,
        )
    return value


def capacity(max_alerts, review_cost, max_reviews):
    """The options about alerts and reviews as `Capacity`; None if none was given."""
    if max_alerts is None and review_cost is None and max_reviews is None:
        return None
    if max_reviews is not None and review_cost is None:
        raise InputError(
            "{max_reviews} needs the cost of one: {review_cost}.", ("max_reviews", "review_cost")
        )
    from stakes.decision import Capacity

    alerts, reviews = limit(max_alerts, "max_alerts"), limit(max_reviews, "max_reviews")
    return Capacity(alerts, review_cost, reviews)


def named_or_german(data, quiet=False):
    """The data that was named; the bundled loans, with a message, if none was."""
    if data is None and not quiet:
        typer.echo(
            "No table was given, so this uses the bundled loans (german). For your own: stakes "
            "compare payments.csv --target fraud --fp-cost 5 --fn-cost amount",
            err=True,
        )
    return "german" if data is None else data


def opening(priced, wording):
    """What is at stake in a table, notes on its columns, and alarms."""
    alarms = [f"Caution: {alarm}" for alarm in priced.alarms]
    return "\n".join([f"{priced.name}: {wording.summary(priced)}", *priced.notes, *alarms])
