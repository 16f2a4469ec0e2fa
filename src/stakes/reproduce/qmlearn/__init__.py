"""Quadratic-mean learning (thesis of W. Liu, Chapter 5) re-run: Tables 5.2 to 5.4, Figure 5.8."""

from stakes.reproduce.qmlearn._reproduction import run

__all__ = ["run"]
