"""`stakes explain`: what a model looks at, in money."""

import shlex
import sys
from pathlib import Path

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option


@guarded
def explain(
    model: argument(Path, "A file made by stakes train.", metavar="MODEL"),
    data: argument(Path, "Rows to explain: a .csv, .tsv or .parquet file.", metavar="DATA"),
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.cost_option("fp", "as in training; others show what would change") = None,
    fn_cost: options.cost_option("fn", "as in training") = None,
    tp_cost: options.cost_option("tp", "as in training") = None,
    tn_cost: options.cost_option("tn", "as in training") = None,
    currency: options.Currency = None,
    out: option(Path, "The page.", metavar="FILE") = Path("explanation.html"),
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
):
    r"""Explain a model: its columns in money, its most expensive mistakes, other costs.

    The page shows which columns move decisions and by how much, the expected cost against each
    column, the twenty most expensive mistakes if the rows have labels, and, if other costs are
    given, the rows that these would decide differently.

    \b
    Examples:
      stakes explain model.skops loans.csv --target default
      stakes explain model.skops loans.csv --fp-cost 20
    """
    from stakes._core.files import check_can_write
    from stakes._core.model_file import load_model
    from stakes.compare import BatchDecider, Explanation, Wording
    from stakes.compare.report import write_explanation
    from stakes.tables import read_table

    given = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    check_can_write(out)
    facts = load_model(model).facts
    summary = Explanation(
        BatchDecider.load(model),
        read_table(data),
        target or facts.get("target"),
        positive or facts.get("positive"),
        {name: cost for name, cost in given.items() if cost is not None},
        Wording(currency=currency or facts.get("currency")),
        seed,
    ).summary()
    command = shlex.join(["stakes", *sys.argv[1:]])
    write_explanation(summary, out, title=model.name, command=command)
    for sentence in summary["sentences"]:
        typer.echo(sentence)
    if not quiet:
        typer.echo(f"Page: {out}", err=True)
