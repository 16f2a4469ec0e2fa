"""Progress of the fits and the time left: a bar on a terminal, lines elsewhere."""

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from stakes._core.durations import length
from stakes._core.words import money


class Progress:
    """Called as `progress(done, total, row)` after each fit; a context manager.

    Parameters
    ----------
    opening : str
        Printed before the first fit, once everything has been checked.
    quiet : bool, default=False
        Count, but print nothing.
    kept_in : Path
        Folder of the finished fits, named after an interruption.
    wording : Wording or None, default=None
        The words of the first table.
    """

    def __init__(self, opening, quiet=False, *, kept_in, wording=None):
        self._quiet, self._wording = quiet, wording
        self._opening = None if quiet else opening
        self._kept_in = kept_in
        self.done = self.total = 0
        self._start = None
        console = Console(stderr=True, soft_wrap=True)
        self._lines = not quiet and not console.is_terminal
        columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
        self._bar = Bar(
            *columns,
            TimeRemainingColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("fitting", total=None)

    def __call__(self, done, total, row):
        """Show the progress."""
        if self._opening:
            self._say(self._opening)
            if total > done:
                self._say(
                    f"{total - done} fits to do, fast learners first; if interrupted, run the same "
                    "command again to resume."
                )
            self._opening = None
        if self._start is None:
            self._start, self._first, self._shown = time.monotonic(), done, done
        self.done, self.total = done, total
        if self._lines and done - self._shown >= total / 4 and done < total:
            self._shown, passed = done, time.monotonic() - self._start
            left = passed / (done - self._first) * (total - done)
            self._say(
                f"{done} of {total} fits done after {length(passed)}; about {length(left)} left at "
                "this pace, but slow learners come last."
            )
        name = row["learner"][:40] if row else "fitting"
        self._bar.update(self._task, completed=done, total=total, description=name)

    def first_table(self, rows):
        """What the quick learners cost, while the others are still running."""
        if self._quiet:
            return
        costs, tested = {}, {}
        for row in rows:
            if not row.get("error"):
                name = self._wording.say(row["learner"]) if self._wording else row["learner"]
                costs[name] = costs.get(name, 0.0) + row["cost"]
                tested[name] = tested.get(name, 0) + row["n_test"]
        mean = {name: 1000 * cost / tested[name] for name, cost in costs.items()}
        width = max(map(len, mean))
        written = self._wording.amount if self._wording else money
        self._say("First table, of the quick learners (cost per 1,000 decisions, lower is better):")
        for name in sorted(mean, key=mean.get):
            self._say(f"  {name:<{width}}  {written(mean[name]):>12}")

    def _say(self, text):
        self._bar.console.print(text, highlight=False, markup=False)

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, kind, *_):
        self._bar.stop()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            raise KeyboardInterrupt(
                f"Interrupted: {self.done} of {self.total} fits are done and saved in "
                f"{self._kept_in}; run the same command again to resume."
            ) from None


class AttackProgress:
    """Called as `progress(stage, done, total)` during an attack; a context manager.

    Parameters
    ----------
    quiet : bool, default=False
        Print nothing.
    """

    def __init__(self, quiet=False):
        console = Console(stderr=True, soft_wrap=True)
        self._lines = not quiet and not console.is_terminal
        self._start, self._stage = time.monotonic(), None
        columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
        self._bar = Bar(*columns, console=console, disable=quiet or self._lines, transient=True)
        self._task = self._bar.add_task("attack", total=None)

    def __call__(self, stage, done, total):
        """Show the progress: a bar on a terminal, a line for each stage elsewhere."""
        if self._lines and stage != self._stage:
            passed = length(time.monotonic() - self._start)
            self._bar.console.print(f"{passed}: {stage}", highlight=False, markup=False)
        self._stage = stage
        self._bar.update(self._task, completed=done, total=total or None, description=stage)

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *_):
        self._bar.stop()
