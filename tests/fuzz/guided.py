"""Fuzzing that is guided by coverage, with atheris, of the parsers that read bytes of strangers.

    python -m fuzz.guided --minutes 10 expressions      in tests/; see TARGETS for the others

A target gets bytes and returns; an exception other than an InputError is a finding, which libFuzzer
writes to a file crash-*; put that file into corpus/<target>, and the test suite runs it for good.
"""

import argparse
import io
import sys
import tempfile
from pathlib import Path

from stakes._core.stored.lightgbm_text import clean_text
from stakes._core.stored.plain import Damaged
from stakes._core.stored.xgboost_bytes import clean_bytes
from stakes.errors import InputError
from stakes.model_file import load_model
from stakes.online import ProbitClassifier
from stakes.stream import DecisionStream, Records
from stakes.stream._records import BadRecord
from stakes.tables import CostExpression, read_table

CORPUS = Path(__file__).parent / "corpus"
RECORD = {"a": 1.5, "b": None, "kind": "u"}


def model_files(data):
    """A model file."""
    with tempfile.NamedTemporaryFile(dir=_memory()) as file:
        file.write(data)
        file.flush()
        load_model(file.name)


def lightgbm(data):
    """The text of a LightGBM model."""
    clean_text(data.decode("utf-8", "replace"))


def xgboost(data):
    """The bytes of an XGBoost model."""
    clean_bytes(data)


def expressions(data):
    """A cost expression, for one event."""
    CostExpression(data.decode("utf-8", "replace")).evaluate_one(RECORD)


def events(data):
    """A stream of events, CSV or JSON lines; every record is decided or bad."""
    kind = "jsonl" if data[:1] in (b"{", b"[") else "csv"
    records = Records(io.BytesIO(data), kind)
    stream = DecisionStream(ProbitClassifier(), target="y", fn_cost="1")
    for record in iter(records.next, None):
        if not isinstance(record, BadRecord):
            try:
                stream.learn(record)
            except InputError:
                continue


def tables(data):
    """A table as CSV."""
    with tempfile.NamedTemporaryFile(dir=_memory(), suffix=".csv") as file:
        file.write(data)
        file.flush()
        read_table(file.name)


TARGETS = {
    target.__name__: target
    for target in (model_files, lightgbm, xgboost, expressions, events, tables)
}


def run(target, data):
    """Run a target on bytes; what it may refuse is not a finding."""
    try:
        TARGETS[target](data)
    except (InputError, Damaged):
        pass


def _memory():
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def main():
    """Read the options and let atheris run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("target", choices=TARGETS)
    given = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris.")
    atheris.instrument_all()
    corpus = CORPUS / given.target
    corpus.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as found:  # what increases the coverage is not kept
        words = [f"-max_total_time={int(60 * given.minutes)}", "-timeout=20", found, str(corpus)]
        atheris.Setup([sys.argv[0], *words], lambda data: run(given.target, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
