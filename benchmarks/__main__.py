"""Run the benchmarks by name and print their tables; `--json FILE` keeps the rows."""

import importlib
import json
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    keep = sys.argv[sys.argv.index("--json") + 1] if "--json" in sys.argv else None
    names = [name for name in names if name != keep]
    known = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"No benchmark is called {unknown.pop()!r}; there are {', '.join(known)}.")
    kept = []
    for name in names or known:
        rows = importlib.import_module(f"benchmarks.bench_{name}").run()
        kept += [{"benchmark": name, **row.to_dict()} for row in rows]
        show(name, rows)
    if keep:
        machine = {"machine": platform.processor() or platform.machine(), "python": sys.version}
        Path(keep).write_text(json.dumps({**machine, "rows": kept}, indent=1) + "\n")


def show(name, rows):
    table = Table(title=f"benchmark {name}", title_justify="left")
    for head in ("task", "contestant", "seconds", "peak MiB", "times faster than the peer", "note"):
        table.add_column(
            head, justify="left" if head in ("task", "contestant", "note") else "right"
        )
    for row in rows:
        table.add_row(
            row.task,
            row.contestant,
            f"{row.seconds:.4g}",
            "" if row.peak_mib is None else f"{row.peak_mib:.0f}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
            row.note,
        )
    Console().print(table)


if __name__ == "__main__":
    main()
