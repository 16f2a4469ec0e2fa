"""`stakes stream`: decide and learn, event by event."""

import ast
import math
from pathlib import Path

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError, near_matches


@guarded
def stream(
    data: argument(str, "A .csv, .jsonl or .ndjson file, or - for standard input.", metavar="DATA"),
    target: option(str, "Label column.", metavar="COLUMN"),
    positive: options.Positive = None,
    fp_cost: options.FpCost = "1",
    fn_cost: options.FnCost = "1",
    tp_cost: options.TpCost = "0",
    tn_cost: options.TnCost = "0",
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    keep: option(
        list[str] | None,
        "Column to copy to the decisions; repeatable. It is also a feature unless dropped by "
        "--drop.",
        metavar="COLUMN",
    ) = None,
    learner: option(
        str,
        "A learner of stakes.online, online_forest or online_kernel: probit, forest, cw-cvar, "
        "arow, pa, kernel-features, anomaly, ...",
        metavar="NAME",
    ) = "probit",
    assignments: option(
        list[str] | None,
        "Parameter of the learner, such as C=0.1 or half_life=500, or of its estimator, such as "
        "estimator__r=10; repeatable. Its random_state is 0 unless set.",
        "--set",
        metavar="NAME=VALUE",
    ) = None,
    prior: option(
        float, "Probability of the positive class until the first label is learned.", min=0, max=1
    ) = 0.5,
    kind: option(
        str | None, "csv or jsonl. Default: by file name.", "--format", metavar="KIND"
    ) = None,
    id_column: option(
        str | None,
        "Column that identifies an event, so that its label may arrive later in a record of its "
        "own; copied to the decisions, not a feature.",
        "--id",
        metavar="COLUMN",
    ) = None,
    max_pending: option(
        int, "With --id: maximum number of pending events; the oldest is dropped beyond it.", min=1
    ) = 10_000,
    delay: option(
        int,
        "Without --id: simulated delay of the labels, in events; the blend takes it into account. "
        "With --id, state the delay in labels by --set label_delay=N.",
        min=0,
    ) = 0,
    n_features: option(
        int | None,
        "Hash the names of features to N of them, so that memory is bounded however many texts "
        "arrive. Default: one feature per name, --max-features at most.",
        min=1,
        metavar="N",
    ) = None,
    max_features: option(
        int, "Maximum number of features; new ones are then ignored.", min=1
    ) = 100_000,
    false_alarm_every: option(
        int,
        "Mean number of labels between false alarms of the drift test, at least; 0: no test.",
        min=0,
    ) = 100_000,
    out: option(Path, "Decisions, as CSV.", metavar="FILE") = Path("decisions.csv"),
    checkpoint: option(Path, "File to resume from; created if missing.", metavar="FILE") = Path(
        "stream.skops"
    ),
    every: option(
        int, "Records between checkpoints; more if more events are pending.", min=1
    ) = 5000,
    skip_bad: option(
        bool,
        "Skip records that cannot be read or decided, instead of stopping at the first; they "
        "change nothing and are written to --bad.",
        "--skip-bad",
    ) = False,
    bad: option(
        Path, "With --skip-bad: skipped records with the reason, as JSON lines.", metavar="FILE"
    ) = Path("bad_records.jsonl"),
    quiet: options.Quiet = False,
):
    r"""Decide about each event, then learn from its label, in one pass and bounded memory.

    Events without a label are decided but not learned. With --id, a label may arrive in a later
    record with the same id; it is learned with the features and prices of its event. If a run is
    interrupted in any way, run the same command again to resume from the last checkpoint: nothing
    is learned twice and nothing is lost. Standard input must then be sent again from its start.
    The costs and --prior may differ from those of the checkpoint: what was learned is kept.
    --skip-bad may differ as well, so that a run that stopped at a bad record can go past it.

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
      stakes stream alarms.csv --target kind --cost-matrix costs.csv
      tail -n +1 -f events.jsonl | stakes stream - --format jsonl --target fraud --id payment
    """
    if id_column is not None and delay:
        raise InputError("--delay simulates late labels and --id receives them; give only one.")
    from stakes._core.files import check_can_write
    from stakes.stream import FileStream, open_records

    settings = dict(target=target, positive=positive, learner=learner, id=id_column, delay=delay)
    settings |= dict(max_pending=max_pending, prior=prior, drop=drop or [], keep=keep or [])
    settings |= dict(parameters=_parameters(assignments or []), max_features=max_features)
    settings |= dict(n_features=n_features, false_alarm_every=false_alarm_every or None)
    settings |= dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    if cost_matrix is not None:
        from stakes.tables import CostTable

        settings["cost_matrix"] = CostTable.read(cost_matrix).to_dict()
    check_can_write(out)
    check_can_write(checkpoint)
    if skip_bad:
        check_can_write(bad)
    with open_records(data, kind, id=id_column) as records:
        run = FileStream(records, out, checkpoint, skipped=bad if skip_bad else None, **settings)
        if run.changed and not quiet:
            typer.echo(_changes(run), err=True)
        run.follow(every, report=_Warnings(run))
    totals = run.stream.totals
    if not totals.events:
        skipped = f" ({run.n_skipped:,} bad records were skipped: {bad})" if run.n_skipped else ""
        raise InputError(f"{data!r} has no events; there is nothing to decide{skipped}.")
    if not quiet:
        typer.echo(f"{_money(run.stream)}: {out}", err=True)
        if id_column is not None:
            typer.echo(_arrivals(run.stream), err=True)
    if run.n_skipped:
        what = "bad record was" if run.n_skipped == 1 else "bad records were"
        typer.echo(f"{run.n_skipped:,} {what} skipped: {bad}", err=True)
    if doubt := _doubt(run):
        typer.echo(doubt, err=True)


def _money(stream):
    """What the events cost, and what constant policies would have cost."""
    totals = stream.totals
    events = f"{totals.events:,} events, {totals.labels:,} labeled"
    if hasattr(totals, "constant"):
        pairs = zip(stream.table.actions, totals.constant, strict=True)
        policies = ", ".join(f"always {action} costs {cost:,.2f}" for action, cost in pairs)
        return f"{events}; paid {totals.paid:,.2f}, {policies}"
    return (
        f"{events}, {totals.positives:,} positive; paid {totals.paid:,.2f}, always negative costs "
        f"{totals.never:,.2f}, always positive {totals.always:,.2f}"
    )


class _Warnings:
    """Warns when something happens for the first time: a pipe may never end."""

    def __init__(self, run):
        counts = run.stream.counts
        self._pending = {what for what in ("repeated", "dropped") if not getattr(counts, what)}
        self._alarms = run.stream.drift.alarms

    def __call__(self, run):
        counts = run.stream.counts
        if run.stream.drift.alarms > self._alarms:
            self._alarms = run.stream.drift.alarms
            typer.echo(_drift(run.stream), err=True)
        for what in sorted(self._pending, reverse=True):
            if getattr(counts, what):
                self._pending.discard(what)
                typer.echo(self._sentence(what, run), err=True)

    @staticmethod
    def _sentence(what, run):
        if what == "repeated":
            return (
                f"The id {run.stream.first_repeated!r} was seen before: repeated records are "
                "ignored, as an id stands for one event."
            )
        return (
            f"More than {run.settings['max_pending']:,} events are pending: the oldest are "
            "dropped; raise --max-pending to keep more."
        )


def _parameters(assignments):
    """The learner's parameters from NAME=VALUE; a value that is no literal is text."""
    found = {}
    for text in assignments:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise InputError(f"--set takes NAME=VALUE, such as C=0.1. Got {text!r} instead.")
        try:
            found[name] = None if value.lower() == "none" else ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


def _drift(stream):
    """What the drift test found."""
    alarm = stream.drift.last
    n = alarm.label - alarm.since + 1
    half_life = getattr(stream.learner, "half_life_", math.inf)
    now = f" The learner now forgets with a half-life of {half_life:,g} events."
    return (
        f"Drift at label {alarm.label:,}: the last {n:,} decisions cost {alarm.paid:,.2f} and had "
        f"promised {alarm.promised:,.2f}." + (now if half_life < math.inf else "")
    )


def _changes(run):
    """Which settings changed since the checkpoint."""
    parts = [
        f"--{name.replace('_', '-')} was {then}, now {run.settings[name]}"
        for name, then in run.changed.items()
    ]
    return (
        f"Resuming after record {run.records.count:,} with other settings ({'; '.join(parts)}): "
        "what was learned is kept, and earlier decisions stay."
    )


def _arrivals(stream):
    """How the labels arrived."""
    counts = stream.counts
    parts = [
        (counts.late, "label arrived later", "labels arrived later"),
        (stream.n_pending, "event is pending", "events are pending"),
        (counts.dropped, "event was dropped unlabeled", "events were dropped unlabeled"),
        (counts.too_late, "label arrived after that", "labels arrived after that"),
        (counts.unknown, "label had an unknown id", "labels had unknown ids"),
        (counts.repeated, "repeated record was ignored", "repeated records were ignored"),
    ]
    shown = [part for i, part in enumerate(parts) if i < 2 or part[0]]
    return ", ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in shown) + "."


def _doubt(run):
    """A sentence about labels that were probably not meant so, else None."""
    totals, target = run.stream.totals, run.settings["target"]
    if getattr(totals, "positives", totals.labels) or not run.columns:
        return None
    if not totals.labels:
        hint = "all were empty."
        if target not in run.columns:
            hint = near_matches(target, run.columns)
        return f"No event had a label in {target!r}, so nothing was learned: {hint}"
    seen = ", ".join(map(repr, run.stream.labels.seen))
    return f"No label in {target!r} was positive (seen: {seen}); check --positive."
