"""Kernel online learners with costs."""

__all__ = []
