"""From a raw table to X, y and costs: kinds of columns, reading, labels, prices, encoders."""

from stakes.tables._class_data import ClassData
from stakes.tables._column_facts import ColumnFacts, find_kinds, kinds_of
from stakes.tables._cost_table import CostTable
from stakes.tables._costs import read_costs
from stakes.tables._error_matrix import ErrorMatrix
from stakes.tables._errors import (
    check_errors,
    guess_errors,
    join_replicates,
    read_errors,
    replicate_correlation,
)
from stakes.tables._event_rows import EventReader, Events
from stakes.tables._expression import CostExpression
from stakes.tables._kinds import as_frame, blank_out, cast_like, kind_of
from stakes.tables._labels import ClassReader, LabelReader
from stakes.tables._load import load_table
from stakes.tables._model_matrix import ModelMatrix
from stakes.tables._prepare import prepare
from stakes.tables._priced import PricedData
from stakes.tables._reading import check_file, read_table, read_tables, scan_batches
from stakes.tables._row_origin import RowOrigin
from stakes.tables._splines import HingeSplines
from stakes.tables._table_encoder import TableEncoder
from stakes.tables._time_group_split import TimeGroupSplit, read_times
from stakes.tables._values import MISSING_WORDS, is_missing, parse_value
from stakes.tables._writing import write_batches

__all__ = [
    "MISSING_WORDS",
    "ClassData",
    "ClassReader",
    "ColumnFacts",
    "CostExpression",
    "CostTable",
    "ErrorMatrix",
    "EventReader",
    "Events",
    "HingeSplines",
    "LabelReader",
    "ModelMatrix",
    "PricedData",
    "RowOrigin",
    "TableEncoder",
    "TimeGroupSplit",
    "as_frame",
    "blank_out",
    "cast_like",
    "check_errors",
    "check_file",
    "find_kinds",
    "guess_errors",
    "is_missing",
    "join_replicates",
    "kind_of",
    "kinds_of",
    "load_table",
    "parse_value",
    "prepare",
    "read_costs",
    "read_errors",
    "read_table",
    "read_tables",
    "read_times",
    "replicate_correlation",
    "scan_batches",
    "write_batches",
]
