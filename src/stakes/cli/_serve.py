"""`stakes serve`: decisions in production."""

from pathlib import Path

import typer
from typer.core import TyperGroup

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError

_STORE = "stakes.db"
Store = option(str, "A file, or postgresql://user@host/database.", metavar="URL")


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
    models: argument(
        list[Path] | None,
        "Files of stakes train: the first decides, others are challengers. None: resume.",
        metavar="MODEL",
        show_default=False,
    ) = None,
    store: Store = _STORE,
    learner: option(
        str | None,
        "An online learner that starts empty: it decides if there is no MODEL, else it is a "
        "challenger.",
        metavar="NAME",
    ) = None,
    label_delay: option(
        int | None,
        "With --learner blend: how many other labels usually come between a decision and its "
        "label; the blend judges its members accordingly.",
        min=0,
        metavar="N",
    ) = None,
    target: option(str | None, "Field of the label; never a feature.", metavar="FIELD") = None,
    positive: options.Positive = None,
    fp_cost: options.cost_option("fp", "as in training, or 1") = None,
    fn_cost: options.cost_option("fn", "as in training, or 1") = None,
    tp_cost: options.cost_option("tp", "as in training, or 0") = None,
    tn_cost: options.cost_option("tn", "as in training, or 0") = None,
    drop: options.Drop = None,
    rule: option(
        str | None,
        'Today\'s rule: a condition for an alert, such as "amount > 500". It decides nothing; '
        "its cost is shown next to that of the models.",
        metavar="EXPR",
    ) = None,
    private: option(
        list[str] | None,
        "Field that costs and MODEL may use but that is never stored; repeatable.",
        metavar="FIELD",
    ) = None,
    prior: option(float, "Probability of the positive class before any label.", min=0, max=1) = 0.5,
    max_alerts: option(
        int | None, "Maximum number of alerts per period. Default: no limit.", min=0
    ) = None,
    review_cost: option(
        float | None, "Cost of a review, which finds the truth. Default: no reviews.", min=0
    ) = None,
    max_reviews: option(
        int | None, "Maximum number of reviews per period. Default: no limit.", min=0
    ) = None,
    period: option(str, "Period of the limits: day or hour.") = "day",
    explore: option(
        float,
        "Share of the alerts that are let through at random, so that their labels become known.",
    ) = 0.0,
    keep: option(
        str | None,
        "Remove journal entries older than this, such as 400d. Default: never.",
        metavar="AGE",
    ) = None,
    host: option(str, "Address to listen on.") = "127.0.0.1",
    port: option(int, "Port to listen on; 0: any free one.", min=0, max=65535) = 8000,
    tokens: option(
        Path | None,
        "File written by stakes serve token. Without it, only this machine may send requests.",
        metavar="FILE",
    ) = None,
    max_rate: option(
        float | None,
        "Maximum requests per second from a token, or from an address if there are no tokens. "
        "Default: no limit.",
        min=0.01,
    ) = None,
    quiet: options.Quiet = False,
):
    r"""Decide about events over HTTP, learn their labels, count the money.

    Every decision and label is on disk before it is answered. Stop the service in any way and start
    it again: it resumes where it left off. Prices may change at every start.

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
        label_delay=label_delay,
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
    name: argument(str, "Whose token it is.", metavar="NAME"),
    role: option(str, "decide, label, review or admin."),
    tokens: option(Path, "Where its hash is kept.", metavar="FILE") = Path("tokens.json"),
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
    until: option(
        int | None, "Last entry of the journal. Default: all.", metavar="ENTRY", min=0
    ) = None,
    out: option(Path | None, "Folder for the models as they were then.", metavar="DIR") = None,
):
    r"""Rebuild a past state from the journal: print what it cost, and save its models.

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
    out: argument(Path, "The copy; must not exist.", metavar="FILE"),
    store: option(Path, "The store.", metavar="FILE") = Path(_STORE),
):
    r"""Copy the store of a running service to a file, completely or not at all.

    For a store in PostgreSQL use its own tools.

    \b
    Example:
      stakes serve backup monday.db
    """
    _serve().back_up(store, out)


@guarded
def prune(
    before: argument(str, "Age from which entries are removed: 90d, 12h.", metavar="AGE"),
    store: Store = _STORE,
):
    r"""Remove old entries from the journal of a service that is stopped; its state stays.

    The ids of removed events may be used again; labels that still arrive are not learned.

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
    data: argument(Path, "A .csv, .tsv or .parquet file.", metavar="DATA"),
    target: option(str, "Column of the labels.", metavar="COLUMN"),
    time: option(str, "Time of each row.", metavar="COLUMN"),
    id: option(str | None, "Ids. Default: numbers of the rows.", metavar="COLUMN") = None,
    label_delay: option(
        str, "Labels are sent this long after their row: 7d.", metavar="TIME"
    ) = "0s",
    url: option(str, "Address of the service.") = "http://localhost:8000",
    token: option(str | None, "Token that may decide and label.", envvar="STAKES_TOKEN") = None,
):
    r"""Replay past events to a running service in time order, each label after its delay.

    There is no waiting: a month takes only as long as the service needs for it.

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
