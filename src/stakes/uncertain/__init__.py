"""Maximum-margin classifiers for uncertain measurements."""

__all__ = []
