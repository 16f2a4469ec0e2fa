"""Streams of events: decide, wait for the label, learn, book the money."""

from stakes.stream._progress_display import ProgressDisplay
from stakes.stream._progressive import Progress, progressive
from stakes.stream._records import Records
from stakes.stream._row_encoder import RowEncoder

__all__ = ["Progress", "ProgressDisplay", "Records", "RowEncoder", "progressive"]
