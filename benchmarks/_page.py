"""A benchmark's rows as JSON, and the page of the site that is drawn from them."""

import importlib.metadata
import json
import os
import platform
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "benchmarks"
PEERS = ("numpy", "scipy", "scikit-learn", "numba", "cvxpy", "clarabel", "lightgbm", "river")


def store(name, title, rows, only_these=False):
    """Keep the rows with machine and versions, and draw the page; or change these rows only."""
    rows = [row.to_dict() for row in rows]
    if only_these:
        stored = json.loads((PAGES / f"{name}.json").read_text())["rows"]
        fresh = {(row["task"], row["contestant"]): row for row in rows}
        kept = [fresh.pop((row["task"], row["contestant"]), row) for row in stored]
        rows = [*kept, *fresh.values()]
    record = {
        "name": name,
        "title": title.splitlines()[0],
        "command": f"python3 tasks.py bench {name} --store",
        "machine": machine(),
        "versions": {"python": platform.python_version(), **versions()},
        "rows": rows,
    }
    PAGES.mkdir(exist_ok=True)
    (PAGES / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    (PAGES / f"{name}.md").write_text(to_markdown(record))


def machine():
    """The processor and the number of cores that the run had."""
    model = platform.processor() or platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        named = [line for line in cpus.read_text().splitlines() if line.startswith("model name")]
        model = named[0].partition(":")[2].strip() if named else model
    return f"{model}, {len(os.sched_getaffinity(0))} cores"


def versions():
    """Versions of the peers that are installed."""
    known = {}
    for package in PEERS:
        try:
            known[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return known


def to_markdown(record):
    """The page of one benchmark.

    A ratio is the peer's time divided by the contestant's, in the same run.
    """
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    lines = [
        f"# {record['name']}",
        "",
        record["title"],
        "",
        f"Made by `{record['command']}` on {record['machine']}; {versions}.",
        "",
        "| task | contestant | seconds | peak MiB | times faster than the peer | note |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in record["rows"]:
        peak = "" if row["peak_mib"] is None else f"{row['peak_mib']:.0f}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        seconds = "" if row["seconds"] is None else f"{row['seconds']:.4g}"
        cells = (row["task"], row["contestant"], seconds, peak, ratio, row["note"])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
