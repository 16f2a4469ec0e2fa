"""Durations as people write them."""

import re

from stakes.errors import InputError

_UNITS = {"w": 604800.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_FORM = re.compile("".join(rf"(?:(\d+(?:\.\d+)?){unit})?" for unit in _UNITS))


def seconds(text):
    """A duration in seconds; a bare number means seconds.

    Examples
    --------
    >>> seconds("1h30m"), seconds("90s"), seconds("45"), seconds("7d")
    (5400.0, 90.0, 45.0, 604800.0)
    """
    plain = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", plain):
        plain += "s"
    found = _FORM.fullmatch(plain)
    total = 0.0
    if found:
        parts = zip(_UNITS.values(), found.groups(), strict=True)
        total = sum(unit * float(part) for unit, part in parts if part)
    if total <= 0:
        raise InputError(f"{text!r} is not a duration; write 90s, 10m, 1h30m or 7d.")
    return total


def length(seconds):
    """Seconds as a duration that is easy to read.

    Examples
    --------
    >>> [length(t) for t in (0.4, 59.7, 61, 3599, 5400)]
    ['0 s', '1 min', '1 min', '60 min', '1.5 h']
    """
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
