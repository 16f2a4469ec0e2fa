"""A file or pipe of records to a file of decisions, with checkpoints to resume from."""

import csv
import io
import json
import math
import os
from contextlib import ExitStack
from pathlib import Path

from stakes._core.learners import find_learner, seeded
from stakes._core.words import shown
from stakes.costs import COST_NAMES
from stakes.errors import InputError, near_matches
from stakes.stream._class_stream import ClassStream
from stakes.stream._decision_stream import DecisionStream
from stakes.stream._records import FIX, BadRecord
from stakes.stream._saved import check_place
from stakes.tables import is_missing

# between a checkpoint and the run that resumes from it
MAY_CHANGE = (*COST_NAMES, "prior", "cost_matrix")
FORMERLY = {"wait": "max_pending"}  # settings in checkpoints of earlier versions
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
    max_pending : int, default=10000
        Maximum number of pending events.
    drop : sequence of str, default=()
        Fields that are not features.
    parameters : dict, default=None
        Parameters of the learner, name -> value; None: its defaults.
    skipped : str or Path, default=None
        File for bad records, which are then skipped: one JSON object per line, with the number of
        the record, the reason and the text or fields. None: a bad record is an error.
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
    n_skipped : int
        Bad records that were skipped; they change nothing else.
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
        max_pending=10_000,
        drop=(),
        skipped=None,
        parameters=None,
        **options,
    ):
        learner = find_learner(learner, "learn_one")
        parameters = parameters or {}
        model = _built(learner, parameters)
        self.records = records
        self.out, self.checkpoint = Path(out), Path(checkpoint)
        self.skipped = None if skipped is None else Path(skipped)
        self.n_skipped = 0
        own = dict(learner=learner.__name__, target=target, id=id, max_pending=max_pending)
        own |= dict(parameters=parameters) if parameters else {}
        self.settings = dict(own, keep=list(keep), drop=list(drop), **options)
        self.columns, self.changed = {}, {}
        ids = [] if id is None else [id]
        self._kept = ids + [name for name in keep if name not in ids]
        if records.header:
            self._check_header()
        self._sizes = [None, None]  # of the decisions and skipped records at the checkpoint
        if self.checkpoint.exists():
            self.stream = self._resumed()
        else:
            options |= dict(target=target, drop=[*drop, *ids], max_pending=max_pending)
            if options.get("cost_matrix") is None:
                options.pop("cost_matrix", None)
                self.stream = DecisionStream(model, **options)
            else:
                self.stream = ClassStream(model, **options)

    def follow(self, every=5000, report=None, batch=256):
        """Read to the end of the input.

        Parameters
        ----------
        every : int, default=5000
            Records between checkpoints; more while more events are pending.
        report : callable, default=None
            Called with this object after each batch: a pipe may have no end.
        batch : int, default=256
            Maximum number of records read before their decisions are written; no more of a pipe
            than have arrived.
        """
        with ExitStack() as stack:
            files = self._open_all(stack)
            since, gap = 0, every
            while block := self.records.take(min(batch, gap - since)):
                for file, lines in zip(files, self._step(block), strict=False):
                    file.write("".join(lines).encode())
                since += len(block)
                if report is not None:
                    report(self)
                if since >= gap:
                    self._save(files)
                    # a checkpoint holds all pending events: no more of them than records read
                    since, gap = 0, max(every, self.stream.n_pending)
                elif not self.records.ready:
                    for file in files:
                        file.flush()
            self._save(files)

    def _step(self, block):
        """Lines of the decisions about some records, and lines about those that are skipped."""
        decided, skipped = [], []
        for number, record in enumerate(block, start=self.records.count - len(block) + 1):
            try:
                if isinstance(record, BadRecord):
                    raise record.error
                decided += self._decision_line(record)
            except InputError as error:
                if self.skipped is None:
                    raise error.with_context(f"Record {number:,}: ") from None
                self.n_skipped += 1
                skipped.append(_skipped_line(number, error, record))
        return decided, skipped

    def _decision_line(self, record):
        if len(self.columns) < _MOST_COLUMNS:
            self.columns.update(dict.fromkeys(record))
        try:
            decision = self._receive(record)
        except (ValueError, OverflowError) as error:  # numbers that the learner refuses
            raise error if isinstance(error, InputError) else InputError(str(error)) from None
        if decision is None:
            return []
        kept = [_shown(record.get(name)) for name in self._kept]
        result = [_exact(value) for value in self.stream.result_of(decision)]
        return [_csv_line([self.stream.totals.events, *kept, *result])]

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
        place = check_place(self.checkpoint, DecisionStream.load(self.checkpoint).extra)
        now = self.settings
        for name, then in place["settings"].items():
            name = FORMERLY.get(name, name)
            if name == "cost_matrix" and _names(then) != _names(now.get(name)):
                raise InputError(
                    "{parameter} may have other costs than those of the checkpoint, but not other "
                    "classes or decisions.",
                    name,
                )
            if then != now.get(name) and name in MAY_CHANGE:
                self.changed[name] = then
            elif then != now.get(name):
                raise InputError(
                    f"The checkpoint {str(self.checkpoint)!r} was made with {{parameter}} = "
                    f"{shown(then)}, not {shown(now.get(name))}; use the same value, another "
                    "{checkpoint}, or delete the file to start over.",
                    (name, "checkpoint"),
                )
        self.records.resume(place["file"]["offset"], place["file"]["records"])
        self._sizes = [place["file"]["written"], None]
        if "skipped" in place["file"]:
            self.n_skipped, self._sizes[1] = place["file"]["skipped"]
        return DecisionStream.load(self.checkpoint, **{name: now[name] for name in self.changed})

    def _open_all(self, stack):
        """The decisions, and the skipped records, up to the checkpoint."""
        heads = {self.out: _csv_line(["row", *self._kept, *self.stream.result_columns])}
        if self.skipped is not None:
            heads[self.skipped] = ""
        return [
            stack.enter_context(_opened(path, head, size))
            for (path, head), size in zip(heads.items(), self._sizes, strict=False)
        ]

    def _save(self, files):
        """Decisions reach the disk before the checkpoint that counts them."""
        for file in files:
            file.flush()
            os.fsync(file.fileno())
        place = dict(offset=self.records.offset, records=self.records.count)
        place["written"] = files[0].tell()
        if self.skipped is not None or self._sizes[1] is not None:
            size = self._sizes[1] if self.skipped is None else files[1].tell()
            place["skipped"] = self.n_skipped, size
        self.stream.save(self.checkpoint, file=place, settings=self.settings)


def _names(matrix):
    """Classes and actions of a cost matrix, or None."""
    return matrix and (matrix["classes"], matrix["actions"])


def _opened(path, head, size):
    """A file, cut to a size; what came after the checkpoint will be written again."""
    if size is None:
        file = open(path, "wb")
        file.write(head.encode())
        return file
    if not path.exists() or path.stat().st_size < size:
        raise InputError(
            f"{str(path)!r} lacks decisions or records that the checkpoint counts; restore it, or "
            "delete the checkpoint to start over."
        )
    file = open(path, "rb+")
    file.truncate(size)
    file.seek(size)
    return file


def _skipped_line(number, error, record):
    if isinstance(record, BadRecord):
        what = {"text": record.text}
    else:
        what = {"fields": {name: _json_value(value) for name, value in record.items()}}
    return json.dumps({"record": number, "reason": str(error)} | what) + "\n"


def _json_value(value):
    """JSON has no infinite numbers and no NaN."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _built(learner, parameters):
    """A learner with some of its parameters set; `estimator__r` is one of its estimator."""
    own = {name: value for name, value in parameters.items() if "__" not in name}
    inner = {
        name.removeprefix("estimator__"): value
        for name, value in parameters.items()
        if name.startswith("estimator__") and "estimator" in learner._get_param_names()
    }
    if inner:
        estimator = find_learner(own.get("estimator", learner().estimator), "learn_one")
        parameters = own | {"estimator": _built(estimator, inner)}
    for name in parameters.keys() - set(learner._get_param_names()):
        raise InputError(
            f"{learner.__name__} has no parameter {name!r}: "
            + near_matches(name, learner._get_param_names())
        )
    model = seeded(learner, **parameters)
    try:
        model._validate_params()
    except ValueError as error:
        raise InputError(str(error)) from None
    return model


def _csv_line(fields):
    plain = ",".join(map(str, fields))
    if plain.count(",") == len(fields) - 1 and not any(map(plain.__contains__, '"\r\n')):
        return plain + "\n"  # as csv writes it, in half of its time
    line = io.StringIO()
    # with "\n" alone, the writer of some versions of Python does not quote a carriage return
    csv.writer(line, lineterminator="\r\n").writerow(fields)
    return line.getvalue().removesuffix("\r\n") + "\n"


def _shown(value):
    """A field as it came: whole numbers without a point, true and false in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _exact(number):
    return "" if number is None else number if isinstance(number, str) else repr(number)
