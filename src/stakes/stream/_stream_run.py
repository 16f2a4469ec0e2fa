"""What `stakes stream` does: decide, learn, write, and leave a checkpoint to go on from."""

import csv
import io
import json
import os
from collections import deque
from pathlib import Path

import numpy as np
import polars as pl

from stakes._core.model_file import load_model, save_model
from stakes.costs import COST_NAMES, Costs
from stakes.errors import InputError, near_matches
from stakes.online import (
    AROWClassifier,
    CWCVaRClassifier,
    PAClassifier,
    PerceptronClassifier,
    ProbitClassifier,
)
from stakes.online_kernel import AnomalyDetector
from stakes.stream._records import MEND
from stakes.stream._row_encoder import RowEncoder
from stakes.stream._waiting import Waiting
from stakes.tables import CostExpression

LEARNERS = {
    "probit": ProbitClassifier,
    "cw-cvar": CWCVaRClassifier,
    "arow": AROWClassifier,
    "pa": PAClassifier,
    "perceptron": PerceptronClassifier,
    "anomaly": AnomalyDetector,
}
YES = {"1", "1.0", "true", "t", "yes", "y"}
RESULTS = ("decision", "probability", "break_even", "expected_cost")


class StreamRun:
    """A learner on a stream, with everything that a checkpoint keeps.

    Parameters
    ----------
    settings : dict
        learner, prior, target, positive, costs (expressions by name), drop, keep, delay, and if
        labels come in records of their own id and wait: what may not change between a checkpoint
        and the run that goes on from it.
    """

    def __init__(self, settings):
        if settings["learner"] not in LEARNERS:
            raise InputError(
                f"There is no learner {settings['learner']!r}; "
                f"{near_matches(settings['learner'], LEARNERS)}"
            )
        self.settings = settings
        self.model = LEARNERS[settings["learner"]]()
        self.encoder = RowEncoder()
        self.delayed = deque()
        self.waiting = Waiting(settings["wait"]) if "id" in settings else None
        self.sums = dict(
            records=0, events=0, labels=0, positives=0, paid=0.0, never=0.0, always=0.0
        )
        self.seen = {}  # columns and labels of this run, for what is said at its end
        self.place = dict(offset=0, written=0)
        self._costs = {name: CostExpression(text) for name, text in settings["costs"].items()}
        # a price that is the same for all events is computed once
        self._fixed = {
            n: c.evaluate(pl.DataFrame()) for n, c in self._costs.items() if not c.columns
        }
        self._priced_by = {name for c in self._costs.values() for name in c.columns}
        own = [settings["id"]] if "id" in settings else []
        self._no_features = {settings["target"], *settings["drop"], *own}
        self._kept = own + [name for name in settings["keep"] if name not in own]

    @property
    def n_waiting(self):
        """How many events wait to be learnt."""
        return len(self.delayed) + (self.waiting.n_open if self.waiting else 0)

    @property
    def header(self):
        """The first line of the decisions."""
        return _csv_line(["row", *self._kept, *RESULTS])

    def step(self, records):
        """Decide about some records and learn the labels that have come; lines to write."""
        come = [self._receive(record) for record in records]
        costs = self._prices([record for record, _, role, _ in come if role == "event"])
        lines = []
        for record, label, role, event in come:
            if role == "event":
                decided, result = self._decide(record, costs[len(lines) : len(lines) + 1])
                event.update(decided)
                kept = [_shown(record.get(name)) for name in self._kept]
                lines.append(_csv_line([self.sums["events"], *kept, *result]))
            if role is not None and label is not None:
                self._book(event, label)
            if self.waiting is None:
                self.delayed.append((event, label))
                if len(self.delayed) > self.settings["delay"]:
                    self._learn(*self.delayed.popleft())
            elif role is not None:
                self._learn(event, label)
        return lines

    def _receive(self, record):
        """A record with its label, what it is, and the event that it is about."""
        self.sums["records"] += 1
        columns = self.seen.setdefault("columns", {})
        if len(columns) < 100:
            columns.update(dict.fromkeys(record))
        label = self._label(record.get(self.settings["target"]))
        if self.waiting is None:
            return record, label, "event", {}
        name = record.get(self.settings["id"])
        if not name:
            column = self.settings["id"]
            raise InputError(f"Record {self.sums['records']:,} has no id in {column!r}; {MEND}.")
        role, event = self.waiting.receive(
            name, has_label=label is not None, is_complete=self._is_complete(record)
        )
        return record, label, role, event

    def _is_complete(self, record):
        has = {name for name, value in record.items() if value is not None and value != ""}
        return self._priced_by <= has and bool(has - self._no_features)

    def _decide(self, record, costs):
        x = self.encoder.encode({n: v for n, v in record.items() if n not in self._no_features})
        known = hasattr(self.model, "classes_")
        p = self.model.predict_proba_one(x)[1] if known else self.settings["prior"]
        act = bool(costs.decide([p])[0])
        expected = float(costs.expected([p], [act])[0])
        self.sums["events"] += 1
        price = {name: float(getattr(costs, name[:2])[0]) for name in COST_NAMES}
        result = [int(act), repr(p), repr(float(costs.break_even[0])), repr(expected)]
        return dict(x=x, price=price, act=act), result

    def _book(self, event, label):
        costs = Costs.of(1, **event["price"])
        self.sums["labels"] += 1
        self.sums["positives"] += label
        for name, decision in (("paid", event["act"]), ("never", False), ("always", True)):
            self.sums[name] += float(costs.paid(np.array([label == 1]), np.array([decision]))[0])

    def _learn(self, event, label):
        if label is not None:
            self.model.learn_one(event["x"], label, **event["price"])

    def _prices(self, records):
        if not records:
            return None
        try:
            return self._prices_of(records)
        except ValueError:
            for i, record in enumerate(records):
                try:
                    self._prices_of([record])
                except ValueError as error:
                    number = self.sums["events"] + i + 1
                    raise InputError(f"In event {number:,}: {error}") from None
            raise

    def _prices_of(self, records):
        found = dict(self._fixed)
        if len(found) < len(self._costs):
            # the longest schema: a JSON record may lack what another has
            frame = pl.DataFrame(records, infer_schema_length=None, strict=False)
            found |= {n: c.evaluate(frame) for n, c in self._costs.items() if n not in found}
        return Costs.of(len(records), **found)

    def _label(self, value):
        if value is None:
            return None
        if not (text := str(value).strip()):
            return None
        if len(self.seen.setdefault("labels", {})) < 5:
            self.seen["labels"][text] = None
        wanted = self.settings["positive"]
        if wanted is None:
            return int(text.casefold() in YES)
        return int(
            text == wanted or (_number(text) is not None and _number(text) == _number(wanted))
        )

    def doubt(self):
        """A sentence where the labels cannot be what was meant, else None."""
        target, columns = self.settings["target"], self.seen.get("columns", [])
        if not self.sums["events"] or self.sums["positives"] or not columns:
            return None
        if not self.sums["labels"]:
            hint = near_matches(target, columns) if target not in columns else "all were empty."
            return f"No event had a label in {target!r}, so nothing was learnt: {hint}"
        listed = ", ".join(map(repr, self.seen.get("labels", ())))
        wanted = self.settings["positive"]
        wanted = "1, true or yes" if wanted is None else repr(wanted)
        return f"No label in {target!r} was {wanted}: there were {listed}; --positive says which."

    def save(self, path):
        """Write the checkpoint; the old one stays until the new one is whole."""
        facts = dict(
            stream=self.settings,
            encoder=self.encoder.get_state(),
            # as one text: a file of a million small values would be slow to write
            delayed=json.dumps(list(self.delayed)),
            waiting=json.dumps(self.waiting and self.waiting.get_state()),
            sums=self.sums,
            place=self.place,
        )
        save_model(self.model, path, **facts)

    @classmethod
    def go_on(cls, path, settings):
        """The run that a checkpoint was made by."""
        stored = load_model(path)
        facts = stored.facts
        if "stream" not in facts:
            raise InputError(f"{str(path)!r} is a model, not a checkpoint of stakes stream.")
        for name in {**settings, **facts["stream"]}:
            then, now = facts["stream"].get(name), settings.get(name)
            if then != now:
                raise InputError(
                    f"The checkpoint {str(path)!r} was made with {name} = {then!r}, not {now!r}; "
                    "give the same, name another with --checkpoint, or remove it to start anew."
                )
        run = cls(settings)
        run.model = stored.model
        run.encoder = RowEncoder(state=facts["encoder"])
        run.delayed = deque(json.loads(facts["delayed"]))
        if run.waiting is not None:
            run.waiting = Waiting(settings["wait"], state=json.loads(facts["waiting"]))
        run.sums, run.place = run.sums | facts["sums"], facts["place"]
        return run


def run_stream(records, settings, out, checkpoint, every, tell=print, batch=256):
    """Read to the end; return the run.

    Parameters
    ----------
    records : Records
        The input, at its start.
    settings : dict
        See :class:`StreamRun`.
    out, checkpoint : Path
        Decisions, and where to go on from.
    every, batch : int
        Records between checkpoints, and at most so many are read before they are decided; of a
        pipe no more than have come.
    tell : callable
        Called with a sentence that cannot wait for the end, which a pipe may never have.
    """
    _check_header(records, settings)
    if Path(checkpoint).exists():
        run = StreamRun.go_on(checkpoint, settings)
        records.resume(run.place["offset"], run.sums["records"])
        file = _cut(out, run.place["written"])
    else:
        run = StreamRun(settings)
        file = open(out, "wb")
        file.write(run.header.encode())
    with file:
        since, gap = 0, every
        while block := _block(records, min(batch, gap - since)):
            file.write("".join(run.step(block)).encode())
            since += len(block)
            for sentence in run.waiting.news() if run.waiting else ():
                tell(sentence)
            if since >= gap:
                _save(run, records, file, checkpoint)
                # events that wait are written each time: no more of them than records were read
                since, gap = 0, max(every, run.n_waiting)
            elif not records.ready:
                file.flush()
        _save(run, records, file, checkpoint)
    return run


def _save(run, records, file, checkpoint):
    """Decisions reach the disk before the checkpoint that counts them."""
    file.flush()
    os.fsync(file.fileno())
    run.place = dict(offset=records.offset, written=file.tell())
    run.save(checkpoint)


def _cut(out, written):
    """The decisions up to the checkpoint; what came after it will be decided again."""
    if not out.exists() or out.stat().st_size < written:
        raise InputError(
            f"{str(out)!r} lacks decisions that the checkpoint counts; put it back, or start anew "
            "without the checkpoint."
        )
    file = open(out, "rb+")
    file.truncate(written)
    file.seek(written)
    return file


def _block(records, n):
    """Up to `n` records, without waiting for more than the first."""
    block = []
    while len(block) < n and (not block or records.ready):
        if (record := records.next()) is None:
            break
        block.append(record)
    return block


def _check_header(records, settings):
    """A CSV tells its columns before anything is decided."""
    for what, word in _WORDS.items():
        names = settings.get(what, [])
        names = names if isinstance(names, list) else [names]
        for name in names if records.header else ():
            if name not in records.header:
                raise InputError(
                    f"The {word} column {name!r} is not in the stream: "
                    + near_matches(name, records.header)
                )


_WORDS = {"target": "target", "id": "id", "drop": "dropped", "keep": "kept"}


def _csv_line(fields):
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(fields)
    return line.getvalue()


def _shown(value):
    """A field as it came: whole numbers without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None
