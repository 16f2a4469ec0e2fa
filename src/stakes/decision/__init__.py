"""From scores to actions."""

__all__ = []
