"""Cost-sensitive Support Vector Machines (Masnadi-Shirazi, Vasconcelos, Iranmehr) re-run."""

from stakes.reproduce.cs_svm._reproduction import run

__all__ = ["run"]
