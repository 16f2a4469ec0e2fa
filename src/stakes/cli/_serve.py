"""`stakes serve`: decisions in production."""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.errors import InputError

_STORE = "stakes.db"
Store = Annotated[
    str,
    typer.Option(metavar="URL", help="A file, or postgresql://user@host/database."),
]


class _DefaultGroup(TyperGroup):
    """`stakes serve MODEL` is `stakes serve start MODEL`."""

    def parse_args(self, ctx, args):
        if not args or args[0] not in {*self.commands, "-h", "--help"}:
            args = ["start", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_DefaultGroup,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@guarded
def start(
    models: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MODEL",
            help="Files of stakes train: the first decides, others are challengers. None: resume.",
            show_default=False,
        ),
    ] = None,
    store: Store = _STORE,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="An online learner that starts empty: it decides if there is no MODEL, else it is "
            "a challenger.",
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field of the label; never a feature.")
    ] = None,
    positive: options.Positive = None,
    fp_cost: options.cost_option("fp", "as in training, or 1") = None,
    fn_cost: options.cost_option("fn", "as in training, or 1") = None,
    tp_cost: options.cost_option("tp", "as in training, or 0") = None,
    tn_cost: options.cost_option("tn", "as in training, or 0") = None,
    drop: options.Drop = None,
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="EXPR",
            help='What is done today: a condition for an alert, such as "amount > 500". It decides '
            "nothing; its money is shown next to that of the models.",
        ),
    ] = None,
    private: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Field that is never stored: prices and MODEL see it; repeatable.",
        ),
    ] = None,
    prior: Annotated[
        float,
        typer.Option(min=0, max=1, help="Probability of the positive class before any label."),
    ] = 0.5,
    max_alerts: Annotated[
        int | None, typer.Option(min=0, help="Most alerts in a period. Default: no limit.")
    ] = None,
    review_cost: Annotated[
        float | None,
        typer.Option(min=0, help="Price of a review, which finds the truth. Default: no reviews."),
    ] = None,
    max_reviews: Annotated[
        int | None, typer.Option(min=0, help="Most reviews in a period. Default: no limit.")
    ] = None,
    period: Annotated[str, typer.Option(help="Of the limits: day or hour.")] = "day",
    explore: Annotated[
        float,
        typer.Option(help="Share of the alerts that pass at random, so that labels become known."),
    ] = 0.0,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Remove entries of the journal from this age on, such as 400d. Default: never.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free one.")] = 8000,
    tokens: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File of stakes serve token. Without it, only this machine may send requests.",
        ),
    ] = None,
    max_rate: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            help="Requests in a second that a token, or an address without tokens, may send. "
            "Default: no limit.",
        ),
    ] = None,
    quiet: options.Quiet = False,
):
    r"""Decide about events over HTTP, learn their labels, count the money.

    Every decision and label is on disk before it is answered. Stop the service in any way and start
    it again: it resumes where it was. Prices may change at every start.

    \b
    Examples:
      stakes serve model.skops
      stakes serve --learner probit --target fraud --fp-cost 5 --fn-cost amount
      stakes serve model.skops --max-alerts 200 --review-cost 3 --max-reviews 50
    """
    from stakes._core.durations import seconds

    serve = _serve()
    costs = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    limits = dict(max_alerts=max_alerts, review_cost=review_cost, max_reviews=max_reviews)
    service = serve.start(
        store,
        models or [],
        learner=learner,
        target=target,
        positive=positive,
        drop=drop or [],
        private=private or [],
        prior=prior,
        capacity=serve.Capacity(period=period, explore=explore, **limits),
        costs={name: cost for name, cost in costs.items() if cost is not None},
        rule=rule,
        keep=None if keep is None else seconds(keep),
    )

    def ready(url):
        if not quiet:
            typer.echo(
                f"Deciding with {service.state.champion} at {url}; Ctrl-C to stop.", err=True
            )

    serve.run(service, host=host, port=port, tokens=tokens, max_rate=max_rate, ready=ready)


@guarded
def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose token it is.")],
    role: Annotated[str, typer.Option(help="decide, label, review or admin.")],
    tokens: Annotated[Path, typer.Option(metavar="FILE", help="Where its hash is kept.")] = Path(
        "tokens.json"
    ),
):
    r"""Make a token, and print it; only its hash is stored.

    \b
    Example:
      stakes serve token shop --role decide
    """
    typer.echo(_serve().add_token(tokens, name, role))


@guarded
def replay(
    store: Store = _STORE,
    until: Annotated[
        int | None,
        typer.Option(metavar="ENTRY", min=0, help="Last entry of the journal. Default: all."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the models as they were then.")
    ] = None,
):
    r"""Rebuild a past state from the journal: print its money, and save its models.

    \b
    Example:
      stakes serve replay --until 120000 --out then
    """
    serve = _serve()
    opened = serve.open_store(store, create=False)
    state = serve.rebuild(opened, until)
    opened.close()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, contender in state.contenders.items():
            (out / f"{name}{contender.model.suffix}").write_bytes(contender.model.to_bytes())
    typer.echo(serve.as_json(serve.totals_of(state)))


@guarded
def backup(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The copy; must not exist.")],
    store: Annotated[Path, typer.Option(metavar="FILE", help="The store.")] = Path(_STORE),
):
    r"""Copy the store of a running service into a file, complete or not written.

    For a store in PostgreSQL use its own tools.

    \b
    Example:
      stakes serve backup monday.db
    """
    _serve().back_up(store, out)


@guarded
def prune(
    before: Annotated[
        str, typer.Argument(metavar="AGE", help="Age from which entries are removed: 90d, 12h.")
    ],
    store: Store = _STORE,
):
    r"""Remove old entries from the journal of a service that is stopped; its state stays.

    Ids of removed events are new again, and their labels are no longer learned.

    \b
    Example:
      stakes serve prune 400d
    """
    import time

    from stakes._core.durations import seconds

    serve = _serve()
    service = serve.Service(serve.open_store(store, create=False))
    removed = service.prune(time.time() - seconds(before))
    service.close()
    typer.echo(f"{removed:,} entries were removed.", err=True)


@guarded
def feed(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A .csv, .tsv or .parquet file.")],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the labels.")],
    time: Annotated[str, typer.Option(metavar="COLUMN", help="Time of each row.")],
    id: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Ids. Default: numbers of the rows.")
    ] = None,
    label_delay: Annotated[
        str, typer.Option(metavar="TIME", help="Labels are sent this long after their row: 7d.")
    ] = "0s",
    url: Annotated[str, typer.Option(help="Of the service.")] = "http://localhost:8000",
    token: Annotated[
        str | None, typer.Option(help="Of a role that decides and labels.", envvar="STAKES_TOKEN")
    ] = None,
):
    r"""Play past events to a running service, in order of time, each label after its delay.

    Nothing waits: a month takes as long as the service needs for it.

    \b
    Example:
      stakes serve feed august.csv --target fraud --time time --id transaction --label-delay 7d
    """
    from stakes.client import Client, ServiceError
    from stakes.tables import read_table

    how = dict(target=target, time=time, id=id, label_delay=label_delay)
    try:
        with Client(url, token=token) as client:
            n, sent, open_ = _serve().feed(client, read_table(data), **how)
    except ServiceError as error:
        raise InputError(str(error)) from None
    typer.echo(f"{n:,} events and {sent:,} labels were sent; {open_:,} labels are not due yet.")


for command in (start, token, replay, backup, prune, feed):
    app.command(help=options.help_of(command))(command)


def _serve():
    """The service, which needs packages of its own."""
    try:
        import stakes.serve
    except ImportError as error:
        raise InputError(
            f'stakes serve needs {error.name}; install it with pip install "stakes[serve]".'
        ) from None
    return stakes.serve
