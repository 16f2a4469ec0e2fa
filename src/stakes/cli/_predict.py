"""`stakes predict`: decisions and their expected costs for new rows."""

import sys
from pathlib import Path

import typer

from stakes.cli import _error_options as bars
from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError


@guarded
def predict(
    model: argument(Path, "A file made by stakes train.", metavar="MODEL"),
    data: argument(
        Path,
        "New rows: a .csv, .tsv (either may be .gz) or .parquet file, or a folder or quoted glob "
        "of them.",
        metavar="DATA",
    ),
    out: option(
        Path | None,
        "A .csv, .parquet or .xlsx file, written completely or not at all; a folder if DATA is a "
        "folder or glob. Default: decisions.csv, or decisions.",
        metavar="PATH",
        show_default=False,
    ) = None,
    words: option(
        bool, "Decisions in the words given in training, or as 1, 0 and -1.", "--words/--numbers"
    ) = False,
    excel: option(
        bool, "Mark a .csv as UTF-8, so that Excel reads it correctly.", "--excel"
    ) = False,
    reasons: option(
        int, "Number of reasons to write for each decision, with their amounts.", min=0
    ) = 0,
    letters: option(
        bool, "With --reasons: a sentence for each positive decision.", "--letters"
    ) = False,
    keep: option(
        list[str] | None, "Column of DATA to copy to the result; repeatable.", metavar="COLUMN"
    ) = None,
    fp_cost: options.cost_option("fp", "as in training") = None,
    fn_cost: options.cost_option("fn", "as in training") = None,
    tp_cost: options.cost_option("tp", "as in training") = None,
    tn_cost: options.cost_option("tn", "as in training") = None,
    cost_matrix: options.CostMatrix = None,
    max_error: bars.MaxError = 0.05,
    max_alerts: options.MaxAlerts = None,
    review_cost: options.ReviewCost = None,
    max_reviews: options.MaxReviews = None,
    time: option(str | None, "Time of each row: limits are then per day.", metavar="COLUMN") = None,
    verify: option(
        Path | None,
        "An ed25519 public key; a model that is not signed with its private key is refused.",
        metavar="KEY",
    ) = None,
    jobs: option(
        int, "Files processed in parallel if DATA is a folder; -1: one per core.", "--jobs", "-j"
    ) = -1,
    resume: option(
        bool, "For a folder: skip finished files, or start over.", "--resume/--fresh"
    ) = True,
    quiet: options.Quiet = False,
):
    r"""Decide about new rows, with the expected cost of each decision.

    Costs are the expressions of training, evaluated on the new rows, unless others are given. Files
    are read in batches, so they may be larger than memory. A folder gets one result per file, with
    the same name; after an interruption, run the same command again to resume.

    \b
    Columns of the result:
      row            number of the row in its file, from 1
      decision       1: act as for the positive class, 0: do not, -1: review
      probability    of the positive class; empty if the learner gives none
      break_even     the probability above which acting is cheaper
      expected_cost  of the decision, under that probability
      reason_1, ...  column that counts most in favor of the decision; amount_1, ...: by how
                     much it moves the advantage of acting over not acting, in money
    A model that uses error bars adds
      certificate    bound on the probability that the measurement error flipped the decision
      review         1 where that is above --max-error
    A model of many classes writes the decision by its name and
      probability_X  of each class X

    \b
    Examples:
      stakes predict model.skops new.csv --out decisions.csv --keep id
      stakes predict model.skops new.parquet --fp-cost 12 --out decisions.parquet
      stakes predict model.skops new.csv --max-alerts 50 --review-cost 3 --max-reviews 20
      stakes predict model.skops new/ --jobs 8 --out decisions --keep id
      stakes predict model.skops new.csv --verify public.pem
    """
    from stakes.scale import Folder

    how = dict(fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost)
    how |= dict(max_error=max_error, verify=verify)
    how |= {} if cost_matrix is None else dict(cost_matrix=str(cost_matrix))
    capacity = options.capacity(max_alerts, review_cost, max_reviews)
    if Folder.is_meant(data) and (capacity is not None or words or excel or reasons):
        raise InputError(
            "Limits, words, reasons and the mark for Excel are for one file; DATA is a folder."
        )
    if Folder.is_meant(data):
        out = out or Path("decisions")
        decided = _predict_folder(model, data, out, keep or [], how, jobs, not resume, quiet)
        where = f"{out}, {decided.parts:,} files"
        if decided.skipped:
            where += f", {decided.skipped:,} of them finished before"
    else:
        out = where = out or Path("decisions.csv")
        limits = None if capacity is None else (capacity, review_cost, time)
        form = words, excel, (reasons, letters)
        decided = _predict_file(model, data, out, keep or [], how, limits, *form)
    if not quiet:
        cost = "" if decided.cost is None else f"; expected cost {decided.cost:,.2f}"
        kinds = [] if decided.positive is None else [f"{decided.positive:,} positive"]
        kinds += [f"{n:,} {action}" for action, n in getattr(decided, "counts", {}).items()]
        kinds += [] if review_cost is None else [f"{decided.reviewed:,} reviews"]
        listed = "".join(f", {kind}" for kind in kinds)
        typer.echo(f"{decided.rows:,} decisions{listed}{cost}: {where}", err=True)


def _predict_file(model, data, out, keep, how, limits, words, excel, reasons):
    from stakes.compare import load_decider
    from stakes.tables import scan_batches, write_batches

    with write_batches(out, excel=excel) as append:
        decider = load_decider(model, keep, **how)
        # the replicates of an example must be in one batch
        size = sys.maxsize if decider.replicates else None

        def write(result, batch):
            if reasons[0]:
                result = decider.with_reasons(batch, result, *reasons)
            append(decider.in_words(result) if words else result)

        if limits is None:
            for batch in scan_batches(data, size):
                write(decider.decide(batch), batch)
        elif (result := decider.decide_within(scan_batches(data, size), *limits)) is not None:
            for batch in scan_batches(data, size):
                write(result[: batch.height], batch)
                result = result[batch.height :]
        if not decider.rows:
            raise InputError(f"{str(data)!r} has no rows; there is nothing to decide.")
    return decider


def _predict_folder(model, data, out, keep, how, jobs, fresh, quiet):
    from stakes.compare import predict_folder

    count = [0, 0]

    def progress(done, total):
        quarter = 4 * done // total > 4 * count[0] // total
        if quarter and 0 < done < total and not quiet:
            typer.echo(f"{done:,} of {total:,} files done.", err=True)
        count[:] = done, total

    settings = dict(keep=keep, n_jobs=jobs, fresh=fresh, progress=progress)
    try:
        return predict_folder(model, data, out, **settings, **how)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"Interrupted: {count[0]:,} of {count[1]:,} files are done and kept in {out}; run the "
            "same command again to resume."
        ) from None
