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
    """Store the counts of one kind of fuzzing and write the page again."""
    path = Path(path)
    rows = {}
    if path.exists():
        found = re.search(r"<!-- (\{.*\}) -->", path.read_text())
        rows = json.loads(found.group(1)) if found else {}
    rows[kind] = {"seed": seed} | {n: counts[n] for n in ("refused", "harmless", "found", "runs")}
    rows[kind]["with"] = f"stakes {version('stakes')}, Python {platform.python_version()}"
    path.write_text(text(rows))


def text(rows):
    """The page."""
    lines = [
        "| what | cases | refused | harmless | findings |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for kind, what in WHAT.items():
        if kind in rows:
            row = rows[kind]
            total = row["refused"] + row["harmless"] + row["found"]
            counts = " | ".join(
                f"{n:,}" for n in (total, row["refused"], row["harmless"], row["found"])
            )
            lines.append(f"| **{kind}**: {what} | {counts} |")
    first = next(iter(rows.values()))
    lines += ["", f"With {first['with']}.", "", f"<!-- {json.dumps(rows)} -->", ""]
    return HEAD + "\n".join(lines)
