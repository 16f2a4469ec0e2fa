"""What predictions cost."""

__all__ = []
