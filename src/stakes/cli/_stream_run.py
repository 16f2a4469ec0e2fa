"""What `stakes stream` does: decide, learn, write, and leave a checkpoint to go on from."""

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
HEADER = "row,decision,probability,break_even,expected_cost\n"


class StreamRun:
    """A learner on a stream, with everything that a checkpoint keeps.

    Parameters
    ----------
    settings : dict
        learner, target, positive, costs (expressions by name), drop, delay: what may not change
        between a checkpoint and the run that goes on from it.
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
        self.sums = dict(events=0, labels=0, paid=0.0, never=0.0, always=0.0)
        self.place = dict(offset=0, written=0)
        self._costs = {name: CostExpression(text) for name, text in settings["costs"].items()}

    def step(self, records):
        """Decide about some records and learn the labels that have come; lines to write."""
        costs = self._prices(records)
        lines = []
        for i, record in enumerate(records):
            label = self._label(record.pop(self.settings["target"], None))
            for name in self.settings["drop"]:
                record.pop(name, None)
            x = self.encoder.encode(record)
            lines.append(self._decide(x, label, costs[i : i + 1]))
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
            for name, decision in (("paid", act), ("never", False), ("always", True)):
                self.sums[name] += float(costs.paid(positive, np.array([decision]))[0])
        expected = float(costs.expected([p], [act])[0])
        return (
            f"{self.sums['events']},{int(act)},{p!r},{float(costs.break_even[0])!r},{expected!r}\n"
        )

    def _learn(self, x, label, price):
        if label is not None:
            self.model.learn_one(x, label, **price)

    def _prices(self, records):
        # the longest schema: a JSON record may lack what another has
        frame = pl.DataFrame(records, infer_schema_length=None, strict=False)
        found = {name: cost.evaluate(frame) for name, cost in self._costs.items()}
        return Costs.of(len(records), **found)

    def _label(self, value):
        if value is None:
            return None
        text = str(value).strip()
        wanted = self.settings["positive"]
        if wanted is None:
            return int(text.casefold() in YES)
        return int(
            text == wanted or (_number(text) is not None and _number(text) == _number(wanted))
        )

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
            if facts["stream"][name] != value:
                raise InputError(
                    f"The checkpoint {str(path)!r} was made with {name} = "
                    f"{facts['stream'][name]!r}, not {value!r}; use the same or another checkpoint."
                )
        run = cls(settings)
        run.model = stored.model
        run.encoder = RowEncoder(state=facts["encoder"])
        run.waiting = deque(tuple(one) for one in facts["waiting"])
        run.sums, run.place = facts["sums"], facts["place"]
        return run


def run_stream(records, settings, out, checkpoint, every, batch):
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
        Records between checkpoints, and records that are read before they are decided.
    """
    if Path(checkpoint).exists():
        run = StreamRun.go_on(checkpoint, settings)
        records.resume(run.place["offset"], run.sums["events"])
        file = _cut(out, run.place["written"])
    else:
        run = StreamRun(settings)
        file = open(out, "wb")
        file.write(HEADER.encode())
    with file:
        since = 0
        while block := _block(records, min(batch, every - since)):
            file.write("".join(run.step(block)).encode())
            since += len(block)
            if since >= every:
                _save(run, records, file, checkpoint)
                since = 0
            elif batch == 1:
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
    block = []
    while len(block) < n and (record := records.next()) is not None:
        block.append(record)
    return block


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None
