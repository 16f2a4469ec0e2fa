"""Folders with damaged files: surveyed, trained on in parts, and decided about."""

import gzip
import io
import math
import tempfile
import warnings
from pathlib import Path

import polars as pl

from fuzz.fields import FIELDS, damaged_bytes, damaged_line, rows, seeded
from stakes.compare import TableSettings, predict_folder, train_parts_to_file
from stakes.errors import InputError
from stakes.tables import scan_batches

COSTS = ["1", "amount", "abs(x)", "where(kind == 'u', 2, 7)"]
LEARNERS = ["logistic regression, Bayes decision", "Probit", "AROW", "QuadraticMean"]
RESULTS = ("probability", "break_even", "expected_cost")


def case(seed):
    """Use one folder as the commands do."""
    rng = seeded(seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(folder)
        (folder / "parts").mkdir()
        try:
            return _use(rng, folder, _write(rng, folder / "parts"))
        except InputError as error:
            return "refused" if str(error).strip().endswith((".", "?")) else f"no sentence: {error}"


def _write(rng, folder):
    """Some parts, one or two of them damaged; whether any is."""
    form = rng.choice(["csv", "csv", "csv.gz", "tsv", "parquet", "parquet"])
    n, any_damaged = rng.choice([1, 2, 3]), False
    for k in range(n):
        lines = list(rows(rng, rng.choice([1, 12, 40])))
        odd = rng.random() < 0.6
        any_damaged |= odd
        data = _frame(rng, lines, odd) if form == "parquet" else _text(rng, lines, odd, form)
        name = rng.choice([f"{k}.{form}", f"{k}.{form}", f"b=1/{k}.{form}", f"_{k}.{form}"])
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return any_damaged


def _text(rng, lines, odd, form):
    data = [line.encode("utf-8", "surrogatepass") for line in lines]
    if odd:
        at = rng.randrange(len(lines))
        data[at] = damaged_line(rng, lines[at])
    text = b"\n".join(data)
    text = text.replace(b",", b"\t") if form == "tsv" else text
    if form.endswith("gz"):
        text = gzip.compress(text, 1)
        return damaged_bytes(rng, text) if odd and rng.random() < 0.5 else text
    return rng.choice([text, text, b"", text[: len(text) // 2]]) if odd else text


def _frame(rng, lines, odd):
    """A Parquet file whose columns may be missing, odd, or of other types than in the others."""
    table = pl.read_csv("\n".join(lines).encode())
    how = rng.randrange(6) if odd else None
    name = rng.choice(table.columns)
    if how == 0:
        table = table.drop(name)
    elif how == 1:
        kinds = [pl.String, pl.Float32, pl.Int8, pl.Null, pl.Binary]
        text = table[name].cast(pl.String)
        table = table.with_columns(text.cast(rng.choice(kinds), strict=False).alias(name))
    elif how == 2:
        table = table.with_columns(pl.lit(rng.choice([math.nan, math.inf, -1e308])).alias(name))
    elif how == 3:
        values = [[1], {"a": 1}, rng.choice(FIELDS), b"\xff"]
        table = table.with_columns(pl.Series(name, [rng.choice(values)] * table.height))
    elif how == 4:
        table = table.clear()
    out = io.BytesIO()
    table.write_parquet(out)
    return damaged_bytes(rng, out.getvalue()) if how == 5 else out.getvalue()


def _use(rng, folder, any_damaged):
    costs = dict(fp_cost=rng.choice(COSTS), fn_cost=rng.choice(COSTS))
    positive = rng.choice([None, None, "1", "yes"])
    settings = TableSettings(str(folder / "parts"), "y", positive, costs)
    table = settings.survey(20, n_jobs=1)
    if not math.isfinite(table.rows) or table.positives > table.rows:
        return "counts are wrong"
    if rng.random() < 0.5:
        return "harmless"
    found = train_parts_to_file(folder / "m", rng.choice(LEARNERS), settings, tune=False)
    if not all(map(math.isfinite, found.paid.totals)):
        return "the costs are not finite"
    predict_folder(folder / "m", folder / "parts", folder / "out")
    for path in (folder / "out").rglob("[!._]*.*"):
        for batch in scan_batches(path):
            for name in set(RESULTS) & set(batch.columns):
                numbers = batch[name].cast(pl.Float64)
                if not numbers.drop_nulls().is_finite().all():
                    return f"{name} is not finite"
    return "harmless"
