"""When rows happened and whose they are, so that folds can respect it."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold

from stakes.errors import InputError
from stakes.tables._kinds import as_frame
from stakes.tables._time_group_split import TimeGroupSplit

TIME, GROUP = "__time__", "__group__"  # columns that nested folds read and no model uses


@dataclass(frozen=True, eq=False)
class RowOrigin:
    """Time and group of each row, and how folds use them; see :class:`TimeGroupSplit`.

    Parameters
    ----------
    time : ndarray of shape (n,) of datetime64 or float, default=None
        Time of each row.
    group : ndarray of shape (n,), default=None
        Group of each row, as codes.
    window, label_delay : str, timedelta or float, default=None
        As in :class:`TimeGroupSplit`.
    time_name, group_name : str, default=None
        Names of the columns, for messages.
    """

    time: np.ndarray | None = None
    group: np.ndarray | None = None
    window: object = None
    label_delay: object = None
    time_name: str | None = None
    group_name: str | None = None

    def __post_init__(self):
        if self.time is None and (self.window is not None or self.label_delay is not None):
            name = "label_delay" if self.window is None else "window"
            raise InputError(
                f"{{{name}}} needs the time of each row: give {{time}}.", (name, "time")
            )

    def take(self, rows):
        """The origin of selected rows."""
        picked = {n: a[rows] for n in ("time", "group") if (a := getattr(self, n)) is not None}
        return replace(self, **picked)

    def splitter(self, n_splits, random_state):
        """Folds of these rows."""
        how = dict(window=self.window, label_delay=self.label_delay, random_state=random_state)
        return TimeGroupSplit(n_splits=n_splits, time=self.time, group=self.group, **how)

    def inner_splitter(self, random_state):
        """Folds of any of these rows, for tables with the columns of :meth:`attach`."""
        both = self.time is not None and self.group is not None
        return InnerSplit(
            n_splits=2 if both else 3,
            time=None if self.time is None else TIME,
            group=None if self.group is None else GROUP,
            window=self.window,
            label_delay=self.label_delay,
            group_splits=2,
            random_state=random_state,
        )

    def attach(self, X):
        """The table with the time and the group as columns that no model uses."""
        given = {TIME: self.time, GROUP: self.group}
        columns = [pl.Series(name, values) for name, values in given.items() if values is not None]
        return as_frame(X).with_columns(columns)


class InnerSplit(TimeGroupSplit):
    """Folds inside training rows: fewer if there are too few rows, at random as a last resort."""

    def split(self, X, y=None, groups=None):
        """Yield the training and test rows of each fold."""
        for n_splits in range(self.n_splits, 0, -1):
            cut = TimeGroupSplit(**vars(self) | {"n_splits": n_splits})
            try:
                yield from list(cut.split(X, y, groups))
                return
            except InputError:
                continue
        warnings.warn(
            "Too few training rows for inner folds by time or group; they are random instead.",
            stacklevel=2,
        )
        smallest = int(np.unique(np.asarray(y), return_counts=True)[1].min())
        how = dict(shuffle=True, random_state=self.random_state)
        yield from StratifiedKFold(max(2, min(3, smallest)), **how).split(np.zeros(len(y)), y)
