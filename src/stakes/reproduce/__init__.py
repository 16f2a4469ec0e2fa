"""The papers' tables, re-run beside the printed numbers."""

__all__ = []
