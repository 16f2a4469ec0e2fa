"""What an adversary can change about a case, and what that costs it in money."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from stakes._core.words import shown
from stakes.errors import InputError, near_matches

DIRECTIONS = ("both", "up", "down")


@dataclass(frozen=True)
class Lever:
    """One thing that the adversary can change: a column, or a group of columns that move together.

    Parameters
    ----------
    unit_price : float, default=0.0
        Money for moving it by one.
    change_price : float, default=0.0
        Money for changing it at all, whatever the amount.
    lower, upper : float, default=-inf, inf
        Smallest and largest value of the column; a case outside may only move towards them.
    direction : {"both", "up", "down"}, default="both"
        Whether it can only grow ("up") or shrink ("down").
    integer : bool, default=False
        Whether it moves by whole numbers only.
    values : list, default=None
        Categories or flags that it may change to; None: a number, or any category of the table.
    fixed : bool, default=False
        Whether it cannot be moved, to except a column from the entry "*".
    columns : dict or list, default=None
        For a group: column -> how much it moves per unit; a list moves all by one.
    """

    unit_price: float = 0.0
    change_price: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    direction: str = "both"
    integer: bool = False
    values: tuple | None = None
    fixed: bool = False
    columns: Mapping | None = None

    @classmethod
    def of(cls, name, given, group=False):
        """Check what the user wrote about a column or group."""
        if isinstance(given, cls):
            return given
        if isinstance(given, int | float) and not isinstance(given, bool):
            given = {"unit_price": given}
        if not isinstance(given, Mapping):
            raise InputError(f"The move of {name!r} must be a price or a table of settings.")
        known = {f.name for f in fields(cls)} - (set() if group else {"columns"})
        for key in given:
            if key not in known:
                raise InputError(f"{key!r} of {name!r} is unknown: {near_matches(key, known)}")
        lever = cls(**given)
        for key in ("unit_price", "change_price", "lower", "upper"):
            value = getattr(lever, key)
            if isinstance(value, bool) or not isinstance(value, int | float) or np.isnan(value):
                raise InputError(f"{key} of {name!r} must be a number. Got {shown(value)} instead.")
        if min(lever.unit_price, lever.change_price) < 0:
            raise InputError(f"The prices of {name!r} must not be negative.")
        if lever.lower > lever.upper:
            raise InputError(f"lower of {name!r} is above upper.")
        if lever.direction not in DIRECTIONS:
            raise InputError(
                f"direction of {name!r} must be one of {', '.join(DIRECTIONS)}. "
                f"Got {lever.direction!r} instead."
            )
        if group and not lever.columns:
            raise InputError(f"The group {name!r} has no columns; name those that move together.")
        return lever

    @property
    def rates(self):
        """Of a group, how much each column moves per unit."""
        if isinstance(self.columns, Mapping):
            return dict(self.columns)
        return dict.fromkeys(self.columns, 1.0)


@dataclass(frozen=True)
class Moves:
    """What an adversary can change about its cases, and at what price.

    Each positive case moves by itself, if the cheapest move that gets it past the classifier costs
    less than what it gains, and at most `max_price`. Columns that are not named cannot be moved.

    Parameters
    ----------
    columns : dict, default={}
        Column -> settings of :class:`Lever`, or a number: the price per unit. Columns of an array
        are called x0, x1, ... The entry "*" stands for all columns of numbers that are not named.
    groups : dict, default={}
        Name -> settings of columns that move together, with their `columns`.
    norm : {"l1", "l2"}, default="l1"
        Whether the prices of the columns add up, or the total is the root of the sum of their
        squares. Prices per change with "l1" are the L0 norm.
    max_price : float, default=inf
        Budget of a case.
    gain : float or str, default="stake"
        What a case gains by getting past: its own stake, fn_cost - tp_cost; a number; or the name
        of a column.
    name : str, default="adversary"
        Name in reports.

    Examples
    --------
    >>> moves = Moves({"amount": {"unit_price": 0.01, "direction": "down", "lower": 0}})
    >>> moves.columns["amount"].direction
    'down'
    """

    columns: dict = field(default_factory=dict)
    groups: dict = field(default_factory=dict)
    norm: str = "l1"
    max_price: float = np.inf
    gain: float | str = "stake"
    name: str = "adversary"

    def __post_init__(self):
        for key, group in (("columns", False), ("groups", True)):
            checked = {str(n): Lever.of(n, one, group) for n, one in getattr(self, key).items()}
            object.__setattr__(self, key, checked)
        if self.norm not in ("l1", "l2"):
            raise InputError(f"norm must be 'l1' or 'l2'. Got {self.norm!r} instead.")
        if not self.columns and not self.groups:
            raise InputError("The adversary cannot move anything: name columns or groups.")
        if not (isinstance(self.max_price, int | float) and self.max_price > 0):
            raise InputError(f"max_price must be positive. Got {shown(self.max_price)} instead.")
        taken = [c for group in self.groups.values() for c in group.rates]
        twice = {c for c in taken if taken.count(c) > 1 or c in self.columns}
        if twice:
            raise InputError(f"{min(twice)!r} belongs to two moves; name it once.")

    def monotonic_cst(self, names):
        """Signs that make a learner immune to moves in one direction.

        Where a column can only grow, a score that never falls with it cannot be lowered by moving
        it. For the parameter `monotonic_cst` of HistGradientBoostingClassifier.

        Parameters
        ----------
        names : sequence of str
            Columns of the table.

        Returns
        -------
        dict
            Column -> 1 if it can only grow, -1 if it can only shrink.

        Examples
        --------
        >>> Moves({"words": {"direction": "up"}, "age": 1.0}).monotonic_cst(["words", "age"])
        {'words': 1}
        """
        signs = {"up": 1, "down": -1}
        found = {}
        for name in names:
            lever = self.columns.get(name, self.columns.get("*"))
            if lever is not None and not lever.fixed and lever.direction in signs:
                found[name] = signs[lever.direction]
        for group in self.groups.values():
            for name, rate in group.rates.items():
                if name in names and group.direction in signs and rate:
                    found[name] = signs[group.direction] * (1 if rate > 0 else -1)
        return found


def read_moves(path):
    """Read the moves of one or several adversaries from a TOML file.

    Parameters
    ----------
    path : str or Path
        File with the settings of :class:`Moves` as keys, `[columns.NAME]` and `[groups.NAME]` as
        tables; or several `[[adversaries]]` with these and a name.

    Returns
    -------
    list of Moves
    """
    try:
        text = Path(path).read_bytes().decode()
    except OSError:
        raise InputError(f"There is no file {str(path)!r} with moves.") from None
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} is not TOML: {error}") from None
    several = found.pop("adversaries", None)
    if several is not None and found:
        raise InputError(f"{str(path)!r} has moves outside of its adversaries; put them inside.")
    known = {f.name for f in fields(Moves)}
    adversaries = []
    for k, one in enumerate(several or [found]):
        for key in one:
            if key not in known:
                raise InputError(f"{key!r} in {str(path)!r} is unknown: {near_matches(key, known)}")
        name = f"adversary {k + 1}" if several else "adversary"
        adversaries.append(Moves(**({"name": name} | one)))
    if len({one.name for one in adversaries}) < len(adversaries):
        raise InputError(f"Two adversaries in {str(path)!r} have the same name.")
    return adversaries
