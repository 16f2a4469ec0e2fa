"""Streams of events: decide, wait for the label, learn, count the money."""

from stakes.stream._class_stream import ClassStream, ClassTotals
from stakes.stream._decision_stream import DecisionStream
from stakes.stream._drift import DriftAlarm, DriftTest
from stakes.stream._feature_rows import FeatureRows, packed, unpacked
from stakes.stream._file_stream import FileStream
from stakes.stream._pending import Decision, LabelCounts, PendingEvent
from stakes.stream._prices import ClassPrices, PriceList, Prices
from stakes.stream._progress_display import ProgressDisplay
from stakes.stream._progressive import ProgressiveResult, progressive
from stakes.stream._records import Records, open_records
from stakes.stream._row_encoder import RowEncoder
from stakes.stream._totals import Outcome, Totals

__all__ = [
    "ClassPrices",
    "ClassStream",
    "ClassTotals",
    "Decision",
    "DecisionStream",
    "DriftAlarm",
    "DriftTest",
    "FeatureRows",
    "FileStream",
    "LabelCounts",
    "Outcome",
    "PendingEvent",
    "PriceList",
    "Prices",
    "ProgressDisplay",
    "ProgressiveResult",
    "Records",
    "RowEncoder",
    "Totals",
    "open_records",
    "packed",
    "progressive",
    "unpacked",
]
