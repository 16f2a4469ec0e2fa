"""Forests and blends for streams: one pass, memory that never grows."""

from stakes.online_forest._stream_blend import StreamBlendClassifier
from stakes.online_forest._stream_forest import StreamForestClassifier

__all__ = ["StreamBlendClassifier", "StreamForestClassifier"]
