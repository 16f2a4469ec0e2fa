"""`stakes advise`: which learner and decision rule to start with, and why."""

import shlex

import typer

from stakes.cli import _error_options as bars
from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import option
from stakes.errors import InputError

IN_PYTHON = {"game": "the price and gain of each move are"}


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
    missing: options.Missing = None,
    error: bars.Error = None,
    replicates: bars.Replicates = None,
    stream: option(bool, "Rows arrive one at a time.", "--stream") = False,
    error_bars: option(bool, "Measurements have error bars.", "--error-bars") = False,
    adversary: option(bool, "Someone changes features to evade detection.", "--adversary") = False,
):
    r"""Recommend a learner and decision rule for a table, with reasons.

    The rules are those of the guide; the evidence is the money study (stakes study). To find out
    what is best on your own table, run stakes compare.

    \b
    Examples:
      stakes advise german
      stakes advise payments.csv --target fraud --fp-cost 5 --fn-cost amount --stream
    """
    data = options.named_or_german(data)
    costs = (fp_cost, fn_cost, tp_cost, tn_cost)
    more = dict(missing=missing, errors=error, replicates=replicates)
    settings = options.table_settings(data, target, positive, *costs, drop, **more)
    priced = settings.load()
    from stakes.study import advise as ask

    error_bars = error_bars or bool(error or replicates)
    advice = ask(priced, stream=stream, error_bars=error_bars, adversary=adversary)
    typer.echo(options.opening(priced, settings.wording()), err=True)
    typer.echo(str(advice))
    typer.echo(f"Next: {_next(settings, advice, stream, priced)}")


def _next(settings, advice, stream, priced):
    """The command to run next, or the page to read if there is none."""
    if advice.page in IN_PYTHON:
        return f"docs/{advice.page}.md: {IN_PYTHON[advice.page]} given in Python."
    words = _as_options(settings)
    if advice.page == "uncertain" and not (settings.errors or settings.replicates):
        from stakes.tables import guess_errors

        words += ["--error", guess_errors(getattr(priced.X, "columns", [])) or "*=*_se"]
    if stream and settings.data.endswith(".csv"):  # the only tables that a stream reads
        from stakes._core.learners import find_learner

        try:
            find_learner(advice.learner, "learn_one")
            return shlex.join(["stakes", "stream", *words, "--learner", advice.learner])
        except InputError:
            pass  # it cannot learn one event at a time
    return shlex.join(["stakes", "compare", *words, "--learners", advice.learner])


def _as_options(settings):
    words = [settings.data]
    given = dict(target=settings.target, positive=settings.positive, **settings.costs)
    for name, value in given.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", value]
    words += [word for column in settings.drop for word in ("--drop", column)]
    words += [word for spec in settings.errors for word in ("--error", spec)]
    words += ["--replicates", settings.replicates] if settings.replicates else []
    return words + [word for text in settings.missing for word in ("--missing", text)]
