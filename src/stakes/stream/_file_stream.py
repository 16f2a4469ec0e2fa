"""A file or pipe of records to a file of decisions, with checkpoints to resume from."""

import csv
import io
import os
from pathlib import Path

from stakes._core.learners import find_learner
from stakes.costs import COST_NAMES
from stakes.errors import InputError, near_matches
from stakes.stream._decision_stream import DecisionStream
from stakes.stream._records import FIX
from stakes.tables import is_missing

RESULTS = ("decision", "probability", "break_even", "expected_cost")
MAY_CHANGE = (*COST_NAMES, "prior")  # between a checkpoint and the run that resumes from it
_MOST_COLUMNS = 100  # remembered for messages


class FileStream:
    """A :class:`DecisionStream` over records, which writes decisions and checkpoints.

    Resumes from the checkpoint if there is one: the decisions are cut to what it counts, the
    records are read on from its position, and the result is the same bytes as without the
    interruption.

    Parameters
    ----------
    records : Records
        The input, at its start.
    out, checkpoint : str or Path
        The decisions as CSV, and the file to resume from.
    target : str
        Field of the label.
    learner : str, default="probit"
        Name of a learner with `learn_one`.
    id : str, default=None
        Field that names an event, so that its label may come later in a record of its own.
    keep : sequence of str, default=()
        Fields to copy to the decisions.
    wait : int, default=10000
        Maximum number of pending events.
    drop : sequence of str, default=()
        Fields that are not features.
    **options
        Other parameters of :class:`DecisionStream`. The four costs and `prior` may differ from
        those of the checkpoint: what was learned is kept, and events after it are decided with the
        new ones. No other setting may change.

    Attributes
    ----------
    stream : DecisionStream
        The stream after the last record.
    settings : dict
        All parameters but the files.
    changed : dict
        Costs and `prior` that differ from those of the checkpoint, with their old values.
    columns : dict
        Names of the fields seen in this run, at most a hundred or so.
    """

    def __init__(
        self,
        records,
        out,
        checkpoint,
        *,
        target,
        learner="probit",
        id=None,
        keep=(),
        wait=10_000,
        drop=(),
        **options,
    ):
        learner = find_learner(learner, "learn_one")
        self.records = records
        self.out, self.checkpoint = Path(out), Path(checkpoint)
        own = dict(learner=learner.__name__, target=target, id=id, wait=wait)
        self.settings = dict(own, keep=list(keep), drop=list(drop), **options)
        self.columns, self.changed = {}, {}
        ids = [] if id is None else [id]
        self._kept = ids + [name for name in keep if name not in ids]
        if records.header:
            self._check_header()
        self._written = None  # size of the decisions at the checkpoint; None: a new run
        if self.checkpoint.exists():
            self.stream = self._resumed()
        else:
            options |= dict(target=target, drop=[*drop, *ids], max_pending=wait)
            self.stream = DecisionStream(learner(), **options)

    def follow(self, every=1000, report=None, batch=256):
        """Read to the end of the input.

        Parameters
        ----------
        every : int, default=1000
            Records between checkpoints; more while more events are pending.
        report : callable, default=None
            Called with this object after each batch: a pipe may have no end.
        batch : int, default=256
            Maximum number of records read before their decisions are written; no more of a pipe
            than have arrived.
        """
        with self._open_out() as file:
            since, gap = 0, every
            while block := self.records.take(min(batch, gap - since)):
                file.write("".join(self._step(block)).encode())
                since += len(block)
                if report is not None:
                    report(self)
                if since >= gap:
                    self._save(file)
                    # a checkpoint holds all pending events: no more of them than records read
                    since, gap = 0, max(every, self.stream.n_pending)
                elif not self.records.ready:
                    file.flush()
            self._save(file)

    def _step(self, block):
        """Lines of the decisions about some records."""
        before = self.records.count - len(block)
        for i, record in enumerate(block, start=1):
            if len(self.columns) < _MOST_COLUMNS:
                self.columns.update(dict.fromkeys(record))
            try:
                decision = self._receive(record)
            except InputError as error:
                raise error.with_context(f"Record {before + i:,}: ") from None
            except (ValueError, OverflowError) as error:  # numbers that the learner refuses
                raise InputError(f"Record {before + i:,}: {error}") from None
            if decision is not None:
                kept = [_shown(record.get(name)) for name in self._kept]
                result = [decision.action, *map(_exact, decision[2:])]
                yield _csv_line([self.stream.totals.events, *kept, *result])

    def _receive(self, record):
        """The decision if the record is a new event, None if it is a label or a repetition."""
        stream, y = self.stream, record.get(self.settings["target"])
        id_field = self.settings["id"]
        if id_field is None:
            return stream.learn(record, y)
        id = record.get(id_field)
        if not id:
            raise InputError(f"There is no id in {id_field!r}; {FIX}.")
        is_new = not stream.knows(id)
        if is_missing(y):
            decision = stream.decide(record, id)
        elif is_new and stream.is_complete(record):
            decision = stream.learn(record, y, id)
        else:
            stream.label(id, y)
            return None
        return decision if is_new else None  # a repetition is counted, not written

    def _check_header(self):
        """Refuse fields that a CSV does not have before anything is decided."""
        roles = {"target": "target", "id": "id", "drop": "dropped", "keep": "kept"}
        for setting, role in roles.items():
            given = self.settings[setting]
            for name in given if isinstance(given, list) else [given]:
                if name is not None and name not in self.records.header:
                    raise InputError(
                        f"The {role} column {name!r} is not in the stream: "
                        + near_matches(name, self.records.header)
                    )

    def _resumed(self):
        place = DecisionStream.load(self.checkpoint).extra
        if "file" not in place:
            raise InputError(f"{str(self.checkpoint)!r} is not a checkpoint of stakes stream.")
        now = self.settings
        for name, then in place["settings"].items():
            if then != now[name] and name in MAY_CHANGE:
                self.changed[name] = then
            elif then != now[name]:
                raise InputError(
                    f"The checkpoint {str(self.checkpoint)!r} was made with {{parameter}} = "
                    f"{then!r}, not {now[name]!r}; use the same value, another {{checkpoint}}, or "
                    "delete the file to start over.",
                    (name, "checkpoint"),
                )
        self.records.resume(place["file"]["offset"], place["file"]["records"])
        self._written = place["file"]["written"]
        return DecisionStream.load(self.checkpoint, **{name: now[name] for name in self.changed})

    def _open_out(self):
        """The decisions up to the checkpoint; what came after it will be decided again."""
        if self._written is None:
            file = open(self.out, "wb")
            file.write(_csv_line(["row", *self._kept, *RESULTS]).encode())
            return file
        if not self.out.exists() or self.out.stat().st_size < self._written:
            raise InputError(
                f"{str(self.out)!r} lacks decisions that the checkpoint counts; restore it, or "
                "delete the checkpoint to start over."
            )
        file = open(self.out, "rb+")
        file.truncate(self._written)
        file.seek(self._written)
        return file

    def _save(self, file):
        """Decisions reach the disk before the checkpoint that counts them."""
        file.flush()
        os.fsync(file.fileno())
        place = dict(offset=self.records.offset, records=self.records.count, written=file.tell())
        self.stream.save(self.checkpoint, file=place, settings=self.settings)


def _csv_line(fields):
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(fields)
    return line.getvalue()


def _shown(value):
    """A field as it came: whole numbers without a point, true and false in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _exact(number):
    return "" if number is None else repr(number)
