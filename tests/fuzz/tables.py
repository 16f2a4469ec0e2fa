"""Damaged tables: read, priced, advised about, and some of them trained on and decided about."""

import gzip
import io
import math
import tempfile
import warnings
from pathlib import Path

import polars as pl

from fuzz.fields import FIELDS, damaged_bytes, damaged_line, rows, seeded
from stakes.compare import BatchDecider, TableSettings, train_to_file
from stakes.errors import InputError
from stakes.study import advise
from stakes.tables import read_table, scan_batches

COSTS = ["1", "5", "amount", "abs(x)", "0.5*amount", "where(kind == 'u', 2, 7)", "1e99", "1e-99"]
LEARNERS = ["logistic regression, Bayes decision", "Probit", "AROW", "naive Bayes, Bayes decision"]


def case(seed):
    """Use one damaged table as the commands do."""
    rng = seeded(seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _use(rng, _table(rng, Path(folder)), Path(folder))
        except InputError as error:
            return "refused" if str(error).strip().endswith((".", "?")) else f"no sentence: {error}"


def _table(rng, folder):
    lines = list(rows(rng, rng.choice([3, 12, 40])))
    if rng.random() < 0.3:  # a whole column
        _, at, odd = None, rng.randrange(5), rng.sample(FIELDS, 2)
        parts = [line.split(",") for line in lines]
        for one in parts[1:]:
            one[at] = rng.choice(odd).replace(",", "")[:200]
        lines = [",".join(one) for one in parts]
    data = [line.encode("utf-8", "surrogatepass") for line in lines]
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        at = rng.randrange(len(lines))
        data[at] = damaged_line(rng, lines[at])
    text = rng.choice([b"\n", b"\n", b"\r\n"]).join(data)
    name = rng.choice(["t.csv", "t.csv", "t.csv", "t.tsv", "t.csv.gz", "t.parquet"])
    if name.endswith("gz"):
        text = gzip.compress(text, 1)
        text = damaged_bytes(rng, text) if rng.random() < 0.8 else text
    elif name.endswith("tsv"):
        text = text.replace(b",", b"\t")
    elif name.endswith("parquet"):
        out = io.BytesIO()
        pl.DataFrame({"x": [rng.random() for _ in range(30)], "y": [0, 1] * 15}).write_parquet(out)
        text = damaged_bytes(rng, out.getvalue())
    (folder / name).write_bytes(text)
    return folder / name


def _use(rng, path, folder):
    if rng.random() < 0.2:
        for batch in scan_batches(path, rng.choice([None, 5])):
            assert batch.height
        read_table(path, missing=rng.choice([(), ("u",), ("", "0")]))
    costs = dict(fp_cost=rng.choice(COSTS), fn_cost=rng.choice(COSTS))
    positive = rng.choice([None, None, "1", "yes"])
    settings = TableSettings(str(path), "y", positive, costs)
    data = settings.load()
    words = str(advise(data, stream=rng.random() < 0.3))
    if "nan" in words.lower().split():
        return f"advice of nan: {words}"
    if rng.random() < 0.15:
        train_to_file(folder / "m", rng.choice(LEARNERS), settings, data, tune=rng.random() < 0.2)
        decider = BatchDecider.load(folder / "m")
        for batch in scan_batches(path):
            found = decider.decide(batch)
            for name in ("probability", "break_even", "expected_cost"):
                if not all(value is None or math.isfinite(value) for value in found[name]):
                    return f"{name} is not finite"
    return "harmless"
