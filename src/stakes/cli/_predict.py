"""`stakes predict`: decisions and their expected costs for new rows."""

from pathlib import Path
from typing import Annotated

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.errors import InputError


@guarded
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file made by stakes train.")],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="New rows: a .csv, .tsv (either also .gz) or .parquet file."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A .csv or .parquet file; complete or not written."),
    ] = Path("decisions.csv"),
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column of DATA to copy to the result; repeatable."),
    ] = None,
    fp_cost: options.cost_option("fp", "as in training") = None,
    fn_cost: options.cost_option("fn", "as in training") = None,
    tp_cost: options.cost_option("tp", "as in training") = None,
    tn_cost: options.cost_option("tn", "as in training") = None,
    quiet: options.Quiet = False,
):
    r"""Decide about new rows, with the expected cost of each decision.

    Costs are the expressions of training, evaluated on the new rows, unless others are given. The
    file is read in batches, so it may be larger than memory.

    \b
    Columns of the result:
      row            number of the row in DATA, from 1
      decision       1: act as for the positive class, 0: do not
      probability    of the positive class; empty if the learner gives none
      break_even     the probability above which acting is cheaper
      expected_cost  of the decision, under that probability

    \b
    Examples:
      stakes predict model.skops new.csv --out decisions.csv --keep id
      stakes predict model.skops new.parquet --fp-cost 12 --out decisions.parquet
    """
    from stakes.compare import BatchDecider
    from stakes.tables import scan_batches, write_batches

    costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    with write_batches(out) as write:
        decider = BatchDecider.load(model, keep or [], **costs)
        for batch in scan_batches(data):
            write(decider.decide(batch))
        if not decider.rows:
            raise InputError(f"{str(data)!r} has no rows; there is nothing to decide.")
    if not quiet:
        cost = "" if decider.cost is None else f"; expected cost {decider.cost:,.2f}"
        typer.echo(
            f"{decider.rows:,} decisions, {decider.positive:,} positive{cost}: {out}", err=True
        )
