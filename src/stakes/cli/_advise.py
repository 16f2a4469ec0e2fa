"""`stakes advise`: which learner and decision rule to start with, and why."""

import shlex
from typing import Annotated

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._table_settings import TableSettings

IN_PYTHON = {"uncertain": "error bars are", "game": "what a move would cost and gain is"}


@guarded
def advise(
    data: options.Data = None,
    target: options.Target = None,
    positive: options.Positive = None,
    fp_cost: options.FpCost = None,
    fn_cost: options.FnCost = None,
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    drop: options.Drop = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Rows come one by one and are learnt from at once.")
    ] = False,
    error_bars: Annotated[
        bool, typer.Option("--error-bars", help="Measurements come with their errors.")
    ] = False,
    adversary: Annotated[
        bool, typer.Option("--adversary", help="Somebody changes the rows to get past you.")
    ] = False,
):
    r"""Say which learner and decision rule to start with on a table, and why.

    The rules are those of the guide, the evidence is the money study (stakes study). What pays on
    your table is decided on your table: stakes compare.

    \b
    Examples:
      stakes advise german
      stakes advise payments.csv --target fraud --fp-cost 5 --fn-cost amount --stream
    """
    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    data = options.named_or_german(data)
    settings = TableSettings.of(data, target, positive, *costs, drop)
    priced = settings.load()
    from stakes.study import advise as ask

    advice = ask(priced, stream=stream, error_bars=error_bars, adversary=adversary)
    typer.echo(settings.opening(priced), err=True)
    typer.echo(str(advice))
    typer.echo(f"Next: {_next(settings, advice, stream)}")


def _next(settings, advice, stream):
    """What to type, or to read where the command line cannot say what was asked."""
    if advice.page in IN_PYTHON:
        return f"docs/{advice.page}.md: {IN_PYTHON[advice.page]} given in Python."
    options = settings.as_options()
    if stream and settings.data.endswith(".csv"):  # of the tables, a stream reads these only
        from stakes.stream._stream_run import LEARNERS

        known = {learner.__name__: name for name, learner in LEARNERS.items()}
        if advice.learner in known:
            return shlex.join(["stakes", "stream", *options, "--learner", known[advice.learner]])
    return shlex.join(["stakes", "compare", *options, "--learners", advice.learner])
