"""Cost-sensitive support vector machines."""

__all__ = []
