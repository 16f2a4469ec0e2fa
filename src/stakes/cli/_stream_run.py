"""What `stakes stream` does: decide, learn, write, and leave a checkpoint to go on from."""

import csv
import io
import os
from collections import deque
from pathlib import Path

import numpy as np
import polars as pl

from stakes.costs import COST_NAMES, Costs
from stakes.datasets._expression import CostExpression
from stakes.errors import InputError, near_matches
from stakes.model_file import load_model, save_model
from stakes.online import (
    AROWClassifier,
    CWCVaRClassifier,
    PAClassifier,
    PerceptronClassifier,
    ProbitClassifier,
)
from stakes.online._row_encoder import RowEncoder
from stakes.online_kernel import AnomalyDetector

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
        learner, target, positive, costs (expressions by name), drop, keep, delay: what may not
        change between a checkpoint and the run that goes on from it.
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
        self.waiting = deque()
        self.sums = dict(events=0, labels=0, positives=0, paid=0.0, never=0.0, always=0.0)
        self.seen = {}  # columns and labels of this run, for what is said at its end
        self.place = dict(offset=0, written=0)
        self._costs = {name: CostExpression(text) for name, text in settings["costs"].items()}
        # a price that is the same for all events is computed once
        self._fixed = {
            n: c.evaluate(pl.DataFrame()) for n, c in self._costs.items() if not c.columns
        }

    @property
    def header(self):
        """The first line of the decisions."""
        return _csv_line(["row", *self.settings["keep"], *RESULTS])

    def step(self, records):
        """Decide about some records and learn the labels that have come; lines to write."""
        costs = self._prices(records)
        lines = []
        for i, record in enumerate(records):
            self.seen.setdefault("columns", list(record))
            kept = [record.get(name) for name in self.settings["keep"]]
            label = self._label(record.pop(self.settings["target"], None))
            for name in self.settings["drop"]:
                record.pop(name, None)
            x = self.encoder.encode(record)
            decided = self._decide(x, label, costs[i : i + 1])
            lines.append(_csv_line([self.sums["events"], *map(_shown, kept), *decided]))
            price = {name: float(getattr(costs, name[:2])[i]) for name in COST_NAMES}
            self.waiting.append((x, label, price))
            if len(self.waiting) > self.settings["delay"]:
                self._learn(*self.waiting.popleft())
        return lines

    def _decide(self, x, label, costs):
        known = hasattr(self.model, "classes_")
        p = self.model.predict_proba_one(x)[1] if known else 0.5
        act = bool(costs.decide([p])[0])
        self.sums["events"] += 1
        if label is not None:
            positive = np.array([label == 1])
            self.sums["labels"] += 1
            self.sums["positives"] += label
            for name, decision in (("paid", act), ("never", False), ("always", True)):
                self.sums[name] += float(costs.paid(positive, np.array([decision]))[0])
        expected = float(costs.expected([p], [act])[0])
        return [int(act), repr(p), repr(float(costs.break_even[0])), repr(expected)]

    def _learn(self, x, label, price):
        if label is not None:
            self.model.learn_one(x, label, **price)

    def _prices(self, records):
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
        text = str(value).strip()
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
            waiting=[list(one) for one in self.waiting],
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
        for name, value in settings.items():
            if facts["stream"].get(name, []) != value:
                raise InputError(
                    f"The checkpoint {str(path)!r} was made with {name} = "
                    f"{facts['stream'].get(name)!r}, not {value!r}; give the same, name another "
                    "with --checkpoint, or remove it to start anew."
                )
        run = cls(settings)
        run.model = stored.model
        run.encoder = RowEncoder(state=facts["encoder"])
        run.waiting = deque(tuple(one) for one in facts["waiting"])
        run.sums, run.place = run.sums | facts["sums"], facts["place"]
        return run


def run_stream(records, settings, out, checkpoint, every, batch=256):
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
    """
    _check_header(records, settings)
    if Path(checkpoint).exists():
        run = StreamRun.go_on(checkpoint, settings)
        records.resume(run.place["offset"], run.sums["events"])
        file = _cut(out, run.place["written"])
    else:
        run = StreamRun(settings)
        file = open(out, "wb")
        file.write(run.header.encode())
    with file:
        since = 0
        while block := _block(records, min(batch, every - since)):
            file.write("".join(run.step(block)).encode())
            since += len(block)
            if since >= every:
                _save(run, records, file, checkpoint)
                since = 0
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
    for what in ("target", "drop", "keep"):
        names = settings[what] if isinstance(settings[what], list) else [settings[what]]
        for name in names if records.header else ():
            if name not in records.header:
                raise InputError(
                    f"The {_WORDS[what]} column {name!r} is not in the stream: "
                    + near_matches(name, records.header)
                )


_WORDS = {"target": "target", "drop": "dropped", "keep": "kept"}


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
