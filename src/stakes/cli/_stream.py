"""`stakes stream`: decide and learn, event by event."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.errors import InputError


@guarded
def stream(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A .csv, .jsonl or .ndjson file, or - for standard input."
        ),
    ],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the label.")],
    positive: options.Positive = None,
    fp_cost: options.FpCost = None,
    fn_cost: options.FnCost = None,
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    drop: options.Drop = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column to copy beside; may be given repeatedly. It is a feature too unless "
            "--drop names it.",
        ),
    ] = None,
    learner: Annotated[
        str, typer.Option(metavar="NAME", help="probit, cw-cvar, arow, pa, perceptron or anomaly.")
    ] = "probit",
    prior: Annotated[
        float,
        typer.Option(min=0, max=1, help="The probability that counts until a label is learnt."),
    ] = 0.5,
    kind: Annotated[
        str | None,
        typer.Option("--format", metavar="KIND", help="csv or jsonl; default: by the file's name."),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="The column that names an event, so that its label may come later in a record of "
            "its own; copied beside, and not a feature.",
        ),
    ] = None,
    wait: Annotated[
        int,
        typer.Option(
            min=1, help="With --id: so many events may wait, then the oldest is given up."
        ),
    ] = 10_000,
    delay: Annotated[
        int,
        typer.Option(min=0, help="Without --id: pretend that labels come so many events later."),
    ] = 0,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Decisions, as CSV.")] = Path(
        "decisions.csv"
    ),
    checkpoint: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to go on from; made if it is not there.")
    ] = Path("stream.skops"),
    every: Annotated[
        int, typer.Option(min=1, help="Records between checkpoints; more while more events wait.")
    ] = 1000,
    quiet: options.Quiet = False,
):
    r"""Decide about each event, then learn from its label, in one pass and bounded memory.

    Events without a label are decided and not learnt; with --id, a later record with the same id
    and a label is learnt as the event that it belongs to. A run that was stopped in any way goes on
    from its last checkpoint if it is started again with the same options: nothing is learnt twice
    and nothing is left out. Standard input must then be sent again from its start.

    \b
    Columns of the result:
      row            number of the event, from 1
      decision       1: act as for the positive class, 0: do not
      probability    of the positive class, before the label was known
      break_even     the probability above which acting is cheaper
      expected_cost  of the decision, under that probability

    \b
    Examples:
      stakes stream payments.csv --target fraud --fp-cost 5 --fn-cost amount
      tail -n +1 -f events.jsonl | stakes stream - --format jsonl --target fraud --id payment
    """
    from stakes._core.files import check_can_write
    from stakes.stream._records import Records
    from stakes.stream._stream_run import run_stream

    costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    settings = dict(
        learner=learner,
        prior=prior,
        target=target,
        positive=positive,
        costs={name: text for name, text in costs.items() if text is not None},
        drop=list(drop or []),
        keep=list(keep or []),
        delay=delay,
    )
    if id_column is not None:
        if delay:
            raise InputError(
                "--delay pretends that labels come late and --id lets them come when they come; "
                "give one of them."
            )
        settings |= dict(id=id_column, wait=wait)
    check_can_write(out)
    check_can_write(checkpoint)
    kind = _kind(data, kind)
    if data != "-" and not Path(data).is_file():
        raise InputError(f"There is no file {data!r}; check the path.")
    file = sys.stdin.buffer if data == "-" else open(data, "rb")
    with file:
        records = Records(file, kind, as_text=id_column)
        run = run_stream(records, settings, out, checkpoint, every, tell=_say)
    if not run.sums["events"]:
        raise InputError(f"{data!r} has no events; there is nothing to decide.")
    if not quiet:
        sums = run.sums
        typer.echo(
            f"{sums['events']:,} events, {sums['labels']:,} with a label, {sums['positives']:,} "
            f"positive; paid "
            f"{sums['paid']:,.2f}, never acting costs {sums['never']:,.2f}, always "
            f"{sums['always']:,.2f}: {out}",
            err=True,
        )
        if run.waiting is not None:
            typer.echo(str(run.waiting), err=True)
    if doubt := run.doubt():
        typer.echo(doubt, err=True)


def _say(sentence):
    typer.echo(sentence, err=True)


def _kind(data, kind):
    if kind is None:
        kind = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(Path(data).suffix.lower())
        if kind is None and data == "-":
            kind = "csv"
    if kind not in ("csv", "jsonl"):
        raise InputError(f"Say how {data!r} is written: --format csv or --format jsonl.")
    return kind
