"""The page of counts: what was run, and how it ended."""

import hashlib
import json
import platform
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import stakes

WHAT = {
    "model files": "saved models with one to three values changed, removed, swapped or replaced, "
    "then loaded and used; all models that a file may contain, files of `stakes train` and saved "
    "streams",
    "events": "records of streams, most of them damaged, decided and learned with `--skip-bad`",
    "tables": "CSV, TSV, gzip and Parquet files: read, advised about, some trained on and decided",
    "folders": "folders of CSV, TSV, gzip and Parquet files, some of them damaged: surveyed, some "
    "trained on in parts and decided",
    "expressions": "cost expressions, for a table and for its rows one by one",
    "requests": "HTTP requests to the service: events, labels and models, each followed by a good "
    "request",
    "API matrix": "every estimator with odd types, layouts, sizes, ranges, sparse "
    "formats, costs and labels, one event at a time, in several threads and in another process",
}
ENDS = ("refused", "harmless")
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


OPEN = """A finding is counted here until it is fixed and the campaign is run again.

"""


def add(path, kind, seed, counts):
    """Store the counts of one run and write the page again; runs with other seeds are kept."""
    runs = stored(path)
    counts["of"] = sorted({*counts.get("of", ()), digest()})
    runs.setdefault(kind, {})[str(seed)] = counts
    Path(path).write_text(text(runs))


def take(path, other):
    """Replace the counts of a page by those of another, for the kinds that the other has."""
    Path(path).write_text(text(stored(path) | stored(other)))


@cache
def digest():
    """A few letters that change with any source file of the package."""
    home = Path(stakes.__file__).parent
    found = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        found.update(str(path.relative_to(home)).encode() + path.read_bytes())
    return found.hexdigest()[:8]


def stored(path):
    """Kind -> seed -> counts, as the page has them."""
    found = re.search(r"<!-- (\{.*\}) -->", Path(path).read_text()) if Path(path).exists() else None
    return json.loads(found.group(1)) if found else {}


def text(runs):
    """The page."""
    head = HEAD
    if any(run["found"] for kinds in runs.values() for run in kinds.values()):
        head += OPEN
    lines = ["| what | cases | refused | harmless | findings |", f"| --- |{' ---: |' * 4}"]
    for kind, what in WHAT.items():
        if kind in runs:
            ends = [sum(run[word] for run in runs[kind].values()) for word in ENDS]
            ends.append(sum(len(run["found"]) for run in runs[kind].values()))
            shown = " | ".join(f"{n:,}" for n in (sum(ends), *ends))
            lines.append(f"| **{kind}**: {what} | {shown} |")
    names = ("scikit-learn", "numpy", "scipy", "numba", "polars", "lightgbm", "xgboost-cpu")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    lines += ["", f"Python {platform.python_version()}, {versions}.", "", _sources(runs), ""]
    return head + "\n".join([*lines, f"<!-- {json.dumps(runs)} -->", ""])


def _sources(runs):
    """Which sources the counts are of: of one, unless the package changed between two runs."""
    found = {}
    for kind in (one for one in WHAT if one in runs):
        for digests in runs[kind].values():
            for one in digests.get("of", ["unknown"]):
                found.setdefault(one, []).append(kind)
    parts = [f"`{one}`: {', '.join(dict.fromkeys(kinds))}" for one, kinds in found.items()]
    return (
        f"By the digest of the sources (`python -m fuzz --digest` in tests/): {'; '.join(parts)}."
    )
