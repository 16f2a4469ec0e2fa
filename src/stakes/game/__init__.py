"""Games against an adversary."""

__all__ = []
