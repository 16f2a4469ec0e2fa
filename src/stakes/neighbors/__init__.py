"""Class-confidence-weighted nearest neighbours."""

__all__ = []
