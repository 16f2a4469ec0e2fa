"""Linear online learners with a price per example."""

__all__ = []
