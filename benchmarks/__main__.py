"""Run benchmarks by name and print their tables; `--store` keeps rows in docs/benchmarks.

`online:speed` runs one part of a benchmark that has parts, and stores the rows of that part only.
"""

import importlib
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import _page


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    known = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))
    unknown = {name.partition(":")[0] for name in names} - set(known)
    if unknown:
        sys.exit(f"No benchmark is called {unknown.pop()!r}; there are {', '.join(known)}.")
    for name, _, part in (name.partition(":") for name in names or known):
        module = importlib.import_module(f"benchmarks.bench_{name}")
        if part and part not in (parts := getattr(module, "PARTS", {})):
            sys.exit(f"Benchmark {name} has no part {part!r}; there are {', '.join(parts) or '-'}.")
        rows = module.run([part]) if part else module.run()
        show(name, rows)
        if "--store" in sys.argv:
            _page.store(name, module.__doc__, rows, only_these=bool(part))


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
            "" if row.seconds is None else f"{row.seconds:.4g}",
            "" if row.peak_mib is None else f"{row.peak_mib:.0f}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
            row.note,
        )
    Console().print(table)


if __name__ == "__main__":
    main()
