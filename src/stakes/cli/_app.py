"""The application: its commands in the order of their use."""

import typer

from stakes import __version__
from stakes.cli._advise import advise
from stakes.cli._attack import attack
from stakes.cli._compare import compare
from stakes.cli._datasets import datasets
from stakes.cli._evaluate import evaluate
from stakes.cli._explain import explain
from stakes.cli._export import export
from stakes.cli._options import help_of, option
from stakes.cli._predict import predict
from stakes.cli._reproduce import reproduce
from stakes.cli._rules import rules
from stakes.cli._serve import app as serve
from stakes.cli._stream import stream
from stakes.cli._study import study
from stakes.cli._train import train

# plain help: it can be pasted into documents and looks the same on any terminal
app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
BEFORE = (advise, compare, train)
AFTER = (predict, explain, evaluate, attack, rules, export)
for command in (*BEFORE, *AFTER, stream, datasets, study, reproduce):
    app.command(help=help_of(command))(command)
app.add_typer(serve, name="serve", help="Serve decisions over HTTP: durable, with late labels.")


def _version(wanted: bool):
    if wanted:
        typer.echo(f"stakes {__version__}")
        raise typer.Exit


_HELP = r"""Cost-sensitive decisions: which learner and decision rule loses the least money.

\b
Compare learners on your table:
  stakes compare payments.csv --target fraud --fp-cost 5 --fn-cost amount
Train the winner on all rows, then decide about new ones:
  stakes train --from stakes-report --out model.skops
  stakes predict model.skops new.csv --out decisions.csv

Exit codes: 0 success, 1 failure, 2 invalid input, 130 interrupted.
"""


@app.callback(help=_HELP.replace("\\b", "\b"))
def stakes(
    version: option(
        bool, "Print the version.", "--version", callback=_version, is_eager=True
    ) = False,
):
    """Options of `stakes` itself."""
