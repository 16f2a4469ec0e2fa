"""`stakes evaluate`: what decisions cost, against what was promised."""

import shlex
import sys
from pathlib import Path

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError


@guarded
def evaluate(
    decisions: argument(
        Path, "A .csv or .parquet file of stakes predict, or its folder.", metavar="DECISIONS"
    ),
    outcomes: argument(
        Path,
        "The rows with their labels, now that they are known, and the columns of the costs, in a "
        "file, a folder or a quoted glob. Rows without a label are counted as waiting.",
        metavar="OUTCOMES",
    ),
    target: options.Target = None,
    positive: options.Positive = None,
    model: option(
        Path | None,
        "Model file that decided: its label and costs are the defaults.",
        metavar="MODEL",
    ) = None,
    fp_cost: options.cost_option("fp", "as in --model, else 1") = None,
    fn_cost: options.cost_option("fn", "as in --model, else 1") = None,
    tp_cost: options.cost_option("tp", "as in --model, else 0") = None,
    tn_cost: options.cost_option("tn", "as in --model, else 0") = None,
    review_cost: options.ReviewCost = None,
    by: option(
        str,
        "Column that identifies a row in both tables; row: the number of the row in OUTCOMES, or "
        "in its file of the same name there.",
        metavar="COLUMN",
    ) = "row",
    time: option(str | None, "Time of each row, for the cost by period.", metavar="COLUMN") = None,
    challenger: option(
        Path | None, "Decisions of another model about the same rows.", metavar="DECISIONS"
    ) = None,
    positive_means: options.PositiveMeans = None,
    negative_means: options.NegativeMeans = None,
    currency: options.Currency = None,
    out: option(Path, "The page.", metavar="FILE") = Path("evaluation.html"),
    quiet: options.Quiet = False,
):
    r"""Compare what decisions cost with what was promised: money, calibration, drift by period.

    \b
    Examples:
      stakes predict model.skops new.csv --keep id --out decisions.csv
      stakes evaluate decisions.csv outcomes.csv --model model.skops --by id --time date
      stakes evaluate decisions outcomes/ --model model.skops --by id
    """
    from stakes._core.files import check_can_write
    from stakes._core.model_file import load_model
    from stakes._core.stored.facts import check_facts
    from stakes.compare import Evaluation, Wording
    from stakes.compare.report import write_evaluation
    from stakes.costs import COST_NAMES, NEUTRAL_COSTS
    from stakes.tables import CostExpression

    given = dict(zip(COST_NAMES, (fp_cost, fn_cost, tp_cost, tn_cost), strict=True))
    costs = {name: str(cost) for name, cost in NEUTRAL_COSTS.items()}
    words = []
    if model is not None:
        facts = load_model(model).facts
        check_facts(model, facts)
        costs |= {name: cost for name, cost in facts.get("costs", {}).items() if cost is not None}
        target, positive = target or facts.get("target"), positive or facts.get("positive")
        words, currency = facts.get("words", []), currency or facts.get("currency")
    costs |= {name: cost for name, cost in given.items() if cost is not None}
    if review_cost is not None:
        costs["review_cost"] = review_cost
    if target is None:
        raise InputError(
            "Name the label column of the outcomes: {target}, or give {model}.", ("target", "model")
        )
    stored = [*words, None, None]
    words = [positive_means or stored[0], negative_means or stored[1]]
    check_can_write(out)
    used = [name for cost in costs.values() for name in CostExpression(cost).columns]
    happened = list(dict.fromkeys([by, target, *used, *([] if time is None else [time])]))
    decided = list(dict.fromkeys([by, "decision", "probability", "expected_cost"]))
    _check_rows_match(by, outcomes, [decisions, *([] if challenger is None else [challenger])])
    summary = Evaluation(
        _read(decisions, decided),
        _read(outcomes, happened),
        target,
        costs,
        positive=positive,
        by=by,
        time=time,
        challenger=None if challenger is None else _read(challenger, decided),
        wording=Wording(*words, currency),
    ).summary()
    command = shlex.join(["stakes", *sys.argv[1:]])
    write_evaluation(summary, out, title=decisions.name, command=command, currency=currency)
    for sentence in summary["sentences"]:
        typer.echo(sentence)
    if not quiet:
        typer.echo(f"Page: {out}", err=True)


def _read(path, columns):
    """A file, or some columns of all files of a folder."""
    from stakes.scale import Folder
    from stakes.tables import read_table, read_tables

    return read_tables(Folder(path).paths, columns) if Folder.is_meant(path) else read_table(path)


def _check_rows_match(by, outcomes, decisions):
    from stakes.scale import Folder

    if by == "row" and any(Folder.is_meant(one) != Folder.is_meant(outcomes) for one in decisions):
        raise InputError(
            "Rows have numbers in each file, but DECISIONS and OUTCOMES are not both folders; name "
            "a column that identifies a row: {parameter}.",
            "by",
        )
