"""The games of W. Liu's thesis, Chapters 6 and 7, re-run."""

from stakes.reproduce.games._reproduction import run

__all__ = ["run"]
