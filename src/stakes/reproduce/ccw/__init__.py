"""Class confidence weighted neighbours (Chapter 4 of W. Liu's thesis), Tables 4.1 and 4.2."""

from stakes.reproduce.ccw._reproduction import run

__all__ = ["run"]
