"""Damaged streams of events: bad records are skipped, and the others decided as without them."""

import csv
import io
import json
import math
import tempfile
import warnings
from pathlib import Path

from fuzz.fields import damaged_line, other_field, rows, seeded
from stakes.compare import all_estimators
from stakes.errors import InputError
from stakes.stream import FileStream, Records

LEARNERS = {n: learner for n, learner in all_estimators() if hasattr(learner, "learn_one")}
COSTS = ["1", "5", "amount", "abs(x)", "0.5*amount", "where(kind == 'u', 2, 7)", "max(x, 1)"]


class _Stopped(Exception):
    """The process was killed here."""


class _Given:
    """Records that are at hand, in the form of :class:`Records`."""

    def __init__(self, records, header):
        self._left, self.header = list(records), header
        self.count = self.offset = 0

    @property
    def ready(self):
        return bool(self._left)

    def take(self, n):
        block, self._left = self._left[:n], self._left[n:]
        self.count += len(block)
        return block


def warm():
    """Use all learners."""
    lines = "\n".join(rows(seeded(0), 20)).encode()
    for learner in LEARNERS:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settings = dict(target="y", learner=learner, delay=3)
            _followed(Records(io.BytesIO(lines), "csv"), Path(folder), settings)


def case(seed):
    """Decide and learn from one damaged stream; every damaged record is a case."""
    rng = seeded(seed)
    kind = rng.choice(["csv", "csv", "jsonl"])
    data, n_damaged = _stream(rng, kind)
    settings = dict(
        target="y",
        positive=rng.choice([None, "1"]),
        fp_cost=rng.choice(COSTS),
        fn_cost=rng.choice(COSTS),
        learner=rng.choice(list(LEARNERS)),
        id=rng.choice([None, None, "kind"]),
        delay=0,
    )
    if settings["id"] is None:
        settings["delay"] = rng.choice([0, 3])
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(folder)
        try:
            records = Records(io.BytesIO(data), kind, settings["id"])
            run = _followed(records, folder / "a", settings)
        except InputError:  # the header, or a cost that no event can have
            return {"refused": n_damaged}
        if words := _odd(folder / "a", run):
            return words
        which = rng.random()
        if "random_state" in LEARNERS[settings["learner"]]().get_params():
            which = 1.0  # two runs differ in any case
        if which < 0.1 and not _equal_without_skipped(data, kind, settings, folder):
            return "skipped records changed the decisions"
        if 0.1 < which < 0.2 and not _equal_when_resumed(data, kind, settings, folder):
            return "a resumed stream differs"
    refused = min(run.n_skipped, n_damaged)
    return {"refused": refused, "harmless": n_damaged - refused}


def _stream(rng, kind):
    """Bytes of a stream, and the number of damaged records."""
    lines = list(rows(rng, rng.choice([20, 400, 400])))
    out, n_damaged = [], 0
    for i, line in enumerate(lines):
        odd = rng.random() < (0.02 if i == 0 else 0.75)
        n_damaged += odd
        if kind == "csv":
            out.append(damaged_line(rng, line) if odd else line.encode())
        elif i:
            fields = dict(zip(lines[0].split(","), map(_number, line.split(",")), strict=True))
            out.append(_damaged_object(rng, fields) if odd else json.dumps(fields).encode())
    return rng.choice([b"\n", b"\n", b"\r\n"]).join(out) + b"\n", n_damaged


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text


def _damaged_object(rng, fields):
    how = rng.randrange(6)
    name = rng.choice(list(fields))
    if how == 0:
        del fields[name]
    elif how == 1:
        values = [None, True, [], {}, 10**400, -1, math.nan, math.inf, 1e200, "\0", "\ud800"]
        fields[name] = rng.choice(values)
    elif how == 2:
        fields[other_field(rng, name)[:50]] = rng.choice([1, "a", None])
    elif how == 3:
        return damaged_line(rng, json.dumps(fields))
    else:
        fields[name] = other_field(rng, str(fields[name]))
    return json.dumps(fields).encode()


def _followed(records, folder, settings, report=None, every=1000):
    folder.mkdir(exist_ok=True)
    run = FileStream(records, folder / "out", folder / "state", skipped=folder / "bad", **settings)
    run.follow(every=every, report=report, batch=7)
    return run


def _odd(folder, run):
    """What is wrong with the files, if anything is."""
    totals = run.stream.totals
    if not all(map(math.isfinite, (totals.paid, totals.never, totals.always))):
        return "totals are not finite"
    csv.field_size_limit(10**6)
    with open(folder / "out", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            if not all(field == "" or math.isfinite(float(field)) for field in row[-4:]):
                return f"decision {str(row)[:300]}"
    csv.field_size_limit(131_072)  # as it is
    bad = (folder / "bad").read_text().splitlines()
    for line in bad:
        one = json.loads(line, parse_constant=lambda word: 1 / 0)
        if not one["reason"].strip().endswith((".", "?")):
            return f"no sentence: {one['reason'][:200]}"
    return "" if len(bad) == run.n_skipped else "skipped records are not all in the file"


def _equal_without_skipped(data, kind, settings, folder):
    skipped = {json.loads(line)["record"] for line in (folder / "a/bad").read_text().splitlines()}
    records = Records(io.BytesIO(data), kind, settings["id"])
    whole = list(iter(records.next, None))
    good = [record for i, record in enumerate(whole, start=1) if i not in skipped]
    _followed(_Given(good, records.header), folder / "b", settings)
    return (folder / "a/out").read_bytes() == (folder / "b/out").read_bytes()


def _equal_when_resumed(data, kind, settings, folder):
    def stop(run):
        if run.records.count > 30:
            raise _Stopped

    try:
        _followed(Records(io.BytesIO(data), kind, settings["id"]), folder / "b", settings, stop, 20)
    except _Stopped:
        _followed(Records(io.BytesIO(data), kind, settings["id"]), folder / "b", settings)
    names = ("out", "bad")
    return all((folder / "a" / n).read_bytes() == (folder / "b" / n).read_bytes() for n in names)
