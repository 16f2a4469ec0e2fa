"""The page of counts: what was run, and how it ended."""

import json
import platform
import re
from importlib.metadata import version
from pathlib import Path

WHAT = {
    "model files": "saved models with one to three values changed, removed, swapped or replaced, "
    "then loaded and used; all models that a file may contain, files of `stakes train` and saved "
    "streams",
    "events": "records of streams, most of them damaged, decided and learned with `--skip-bad`",
    "tables": "CSV, TSV, gzip and Parquet files: read, advised about, some trained on and decided",
    "expressions": "cost expressions, for a table and for its rows one by one",
    "API matrix": "every estimator with odd types, layouts, sizes, ranges, sparse formats, costs "
    "and labels, in several threads and in another process",
}
ENDS = ("refused", "harmless", "found")
HEAD = """# Fuzzing: what was tried, and how it ended

[Security](security.md) says what is promised. This page is written by the command that tries to
break it:

```text
python3 tasks.py fuzz --full --page docs/fuzzing.md
```

Every case runs in a child process. *Refused* means an error that says what is wrong; *harmless*
means a right answer: finite, one for each row, the same for the same numbers in another form.
Anything else is a finding: a signal, more than 20 seconds of CPU, an exception of another kind,
NaN, a file opened other than the one named.

"""


def add(path, kind, seed, counts):
    """Store the counts of one run and write the page again; runs with other seeds are kept."""
    runs = stored(path)
    runs.setdefault(kind, {})[str(seed)] = {word: counts[word] for word in (*ENDS, "runs")}
    Path(path).write_text(text(runs))


def stored(path):
    """Kind -> seed -> counts, as the page has them."""
    found = re.search(r"<!-- (\{.*\}) -->", Path(path).read_text()) if Path(path).exists() else None
    return json.loads(found.group(1)) if found else {}


def text(runs):
    """The page."""
    lines = ["| what | cases | refused | harmless | findings |", f"| --- |{' ---: |' * 4}"]
    for kind, what in WHAT.items():
        if kind in runs:
            ends = [sum(run[word] for run in runs[kind].values()) for word in ENDS]
            shown = " | ".join(f"{n:,}" for n in (sum(ends), *ends))
            lines.append(f"| **{kind}**: {what} | {shown} |")
    names = ("scikit-learn", "numpy", "scipy", "numba", "polars", "lightgbm", "xgboost-cpu")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    lines += ["", f"Python {platform.python_version()}, {versions}.", ""]
    return HEAD + "\n".join([*lines, f"<!-- {json.dumps(runs)} -->", ""])
