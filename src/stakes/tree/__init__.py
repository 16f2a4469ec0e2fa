"""Trees, forests and rules that rarity does not blind."""

__all__ = []
