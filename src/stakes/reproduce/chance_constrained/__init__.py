"""Ben-Tal, Bhadra, Bhattacharyya and Nath: classification of uncertain points, re-run."""

from stakes.reproduce.chance_constrained._reproduction import run

__all__ = ["run"]
