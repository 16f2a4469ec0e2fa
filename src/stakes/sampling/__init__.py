"""Cost-proportionate and balancing samplers."""

__all__ = []
