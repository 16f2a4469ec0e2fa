"""Class confidence proportion decision trees (Chapter 3 of W. Liu's thesis) re-run."""

from stakes.reproduce.ccpdt._reproduction import run

__all__ = ["run"]
