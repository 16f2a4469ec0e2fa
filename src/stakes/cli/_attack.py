"""`stakes attack`: what an adversary would do to a trained model, in money."""

import shlex
import sys
from pathlib import Path

import typer

from stakes._core.durations import seconds
from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option


@guarded
def attack(
    model: argument(Path, "A file made by stakes train.", metavar="MODEL"),
    data: argument(
        str,
        "Labeled rows, best those that the model was not trained on: a .csv, .tsv (either may "
        "be .gz) or .parquet file, or the name of a data set.",
        metavar="DATA",
    ),
    moves: option(
        Path, "TOML file: which columns can be moved, how, at what price.", metavar="FILE"
    ),
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.cost_option("fp", "as in training") = None,
    fn_cost: options.cost_option("fn", "as in training") = None,
    tp_cost: options.cost_option("tp", "as in training") = None,
    tn_cost: options.cost_option("tn", "as in training") = None,
    answers: option(
        bool, "Fit answers to the moves and attack them.", "--answers/--no-answers"
    ) = True,
    case_seconds: option(
        float, "Time limit of each case against trees, in seconds.", min=0.01
    ) = 5.0,
    time_budget: option(
        str | None,
        "Time for everything, such as 90s or 10m; the report says what it did not reach.",
        metavar="TIME",
    ) = None,
    out: option(Path, "Folder for the report.", metavar="DIR") = Path("stakes-attack"),
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Find what adversaries would move to get past a model, and what that costs.

    Each positive that the model catches moves if that costs it less than its stake. The report has
    the bill today, after the moves and after an answer; the columns that move and how far; the
    bill by budget per case; and the cheapest cases to get past.

    \b
    Examples:
      stakes attack model.skops held-out.csv --moves moves.toml
      stakes attack model.skops payments.csv --moves moves.toml --fn-cost amount --no-answers

    \b
    A file of moves:
      max_price = 50.0                  # budget of a case; columns not named are fixed
      [columns.amount]
      unit_price = 0.02                 # money for moving it by one
      direction = "down"                # or "up", "both"
      lower = 1.0
      [columns.channel]
      change_price = 5.0                # money for changing it
      values = ["web", "shop"]          # what it can be changed to
    """
    from stakes.compare import attack_model

    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    settings = options.table_settings(data, target, positive, *costs, None)
    budget = None if time_budget is None else seconds(time_budget)
    from stakes.cli._progress import AttackProgress  # it loads rich

    with AttackProgress(quiet) as progress:
        report, cautions, page = attack_model(
            model,
            settings,
            moves,
            out,
            answers=answers,
            case_seconds=case_seconds,
            time_budget=budget,
            progress=progress,
            random_state=seed,
            command=shlex.join(["stakes", *sys.argv[1:]]),
        )
    for sentence in report.sentences():
        typer.echo(sentence)
    if not quiet:
        for caution in cautions:
            typer.echo(f"Caution: {caution}", err=True)
    typer.echo(f"Report: {page}")
