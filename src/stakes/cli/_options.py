"""Options that several commands share."""

from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A .csv, .tsv (either also .gz) or .parquet file, or the name of a data set "
        "(see stakes datasets).",
        show_default=False,
    ),
]
Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the label. Needed for a file.")
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="The label that an alarm is raised for; all others are negative. May be left out for "
        "0/1, -1/1, no/yes, n/y, false/true and f/t.",
    ),
]
_OUTCOMES = {
    "fp": "a false alarm. A number, or an expression over columns such as 0.75*amount",
    "fn": "a missed positive",
    "tp": "a positive that is caught",
    "tn": "a negative that is left alone",
}


def cost_option(outcome, default):
    """The option for the cost of an outcome, and what holds where it is not given."""
    told = f"Cost of {_OUTCOMES[outcome]}. Default: {default}."
    return Annotated[str | None, typer.Option(metavar="EXPR", help=told)]


FpCost, FnCost = cost_option("fp", "1"), cost_option("fn", "1")
TpCost, TnCost = cost_option("tp", "0"), cost_option("tn", "0")
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column that is not a feature; may be given repeatedly."),
]
Seed = Annotated[int, typer.Option(help="Base of all random numbers.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the result.")]


def named_or_german(data, quiet=False):
    """The data that was named; without a name the bundled loans, and a line that says so."""
    if data is None and not quiet:
        typer.echo(
            "No table was named: these are the bundled loans (german). For your own: stakes "
            "compare payments.csv --target fraud --fp-cost 5 --fn-cost amount",
            err=True,
        )
    return "german" if data is None else data
