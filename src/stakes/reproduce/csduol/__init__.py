"""Cost-Sensitive Double Updating Online Learning (Zhao, Hoi) re-run."""

from stakes.reproduce.csduol._reproduction import run

__all__ = ["run"]
