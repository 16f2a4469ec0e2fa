"""How many fits are done and how long the rest will take: a bar, or lines where none can be."""

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from stakes.cli._duration import length


class Progress:
    """Called as `progress(done, total, row)` after each fit; a context manager.

    Parameters
    ----------
    opening : str
        What to say before the first fit, when everything has been checked.
    quiet : bool, default=False
        Count, but show nothing.
    kept_in : Path
        Where finished fits are, for the sentence after an interruption.
    """

    def __init__(self, opening, quiet=False, *, kept_in):
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
        """Show how far it is."""
        if self._opening:
            self._say(self._opening)
            if total > done:
                self._say(
                    f"{total - done} fits to do, the quick learners first; stop whenever you like, "
                    "the same command goes on."
                )
            self._opening = None
        if self._start is None:
            self._start, self._first, self._told = time.monotonic(), done, done
        self.done, self.total = done, total
        if self._lines and done - self._told >= total / 4 and done < total:
            self._told, passed = done, time.monotonic() - self._start
            left = passed / (done - self._first) * (total - done)
            self._say(
                f"{done} of {total} fits are done after {length(passed)}: at this pace "
                f"{length(left)} more, and the slower learners come last."
            )
        name = row["learner"][:40] if row else "fitting"
        self._bar.update(self._task, completed=done, total=total, description=name)

    def _say(self, text):
        self._bar.console.print(text, highlight=False, markup=False)

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, kind, *_):
        self._bar.stop()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            raise KeyboardInterrupt(
                f"Interrupted: {self.done} of {self.total} fits are done and kept in "
                f"{self._kept_in}; the same command goes on from there."
            ) from None
