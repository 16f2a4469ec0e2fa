"""A bar on stderr that says how many fits are done and how long the rest will take."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar


class Progress:
    """Called as `progress(done, total, row)` after each fit; a context manager.

    Parameters
    ----------
    opening : str
        What to say before the first fit, when everything has been checked.
    quiet : bool, default=False
        Count, but show nothing.
    """

    def __init__(self, opening, quiet=False):
        self._opening = None if quiet else opening
        self.done = self.total = 0
        console = Console(stderr=True)
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
            self._bar.console.print(self._opening, highlight=False, markup=False)
            self._opening = None
        self.done, self.total = done, total
        name = row["learner"][:40] if row else "fitting"
        self._bar.update(self._task, completed=done, total=total, description=name)

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *_):
        self._bar.stop()
