"""Robust Cost-Sensitive Confidence-Weighted Classification (Ali, Collins-Thompson) re-run."""

from stakes.reproduce.cw_cvar._reproduction import run

__all__ = ["run"]
