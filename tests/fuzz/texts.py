"""Damaged tables and streams of events: bytes and fields changed, removed, repeated."""

import random
import tempfile
import warnings
from gzip import compress
from pathlib import Path

from stakes.errors import InputError
from stakes.stream import FileStream, open_records
from stakes.tables import read_table

FIELDS = [
    *("", "nan", "inf", "-1e308", "1e308", "1e155", "1e-320", "9" * 400, "0x10", "1,5", '"', '"a'),
    *("\r", "\x00", "a" * 140_000, "yes", "2024-02-30", "\ufeff", "{}", "NaN", "-0", "1_000", ";"),
]


def table(seed):
    """Read one damaged table."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        data = _mutated(_csv(rng), rng)
        name = rng.choice(["t.csv", "t.csv", "t.tsv", "t.csv.gz"])
        if name.endswith("gz"):
            data = _bytes_changed(compress(data), rng)
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            read_table(path)
        except InputError as error:
            return "refused" if str(error).strip() else "an error without a message"
        return "harmless"


def events(seed):
    """Decide and learn from one damaged stream."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "t.csv"
        path.write_bytes(_mutated(_csv(rng), rng))
        settings = dict(
            target="y",
            positive="1",
            fp_cost="1",
            fn_cost=rng.choice(["2", "abs(a)", "5"]),
            learner=rng.choice(["probit", "arow", "pa", "cw-cvar"]),
        )
        out, state = Path(folder) / "out", Path(folder) / "state"
        try:
            with open_records(path) as records:
                FileStream(records, out, state, **settings).follow()
        except InputError as error:
            return "refused" if str(error).strip() else "an error without a message"
        text = out.read_text()
        return "NaN in the decisions" if "nan" in text.lower() else "harmless"


def _csv(rng):
    rows = ["a,b,y"]
    rows += [f"{rng.gauss(0, 1):.3f},{rng.choice('uvw')},{rng.randrange(2)}" for _ in range(12)]
    return rows


def _mutated(rows, rng):
    rows = [row.split(",") for row in rows]
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(rows))
        how = rng.randrange(5)
        if how < 3:
            rows[at][rng.randrange(len(rows[at]))] = rng.choice(FIELDS)
        elif how == 3:
            rows[at] = rng.choice([[], rows[at] * 2, rows[at][:1], rows[0]])
        else:
            del rows[at]
        rows = rows or [["a"]]
        rows = [row or [""] for row in rows]
    data = "\n".join(",".join(row) for row in rows).encode()
    return _bytes_changed(data, rng) if rng.random() < 0.3 else data


def _bytes_changed(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 2, 5])):
        if data:
            at = rng.randrange(len(data))
            data[at : at + rng.choice([0, 1, 1, 9])] = bytes([rng.randrange(256)])
    return bytes(data)
