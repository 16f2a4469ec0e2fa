"""Forests for streams: one pass, memory that never grows."""

from stakes.online_forest._stream_forest import StreamForestClassifier

__all__ = ["StreamForestClassifier"]
