"""Data with costs."""

__all__ = []
