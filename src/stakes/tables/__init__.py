"""From a raw table to X, y and the costs: kinds of columns, reading, labels, prices, encoders."""

from stakes.tables._expression import CostExpression
from stakes.tables._kinds import as_frame, cast_like, kind_of, why_text
from stakes.tables._labels import KNOWN_PAIRS, LabelReader
from stakes.tables._model_matrix import ModelMatrix
from stakes.tables._prepare import prepare
from stakes.tables._priced import PricedData
from stakes.tables._reading import check_file, read_table, scan_batches
from stakes.tables._table import load_table, read_costs
from stakes.tables._table_encoder import TableEncoder, find_kinds, is_matrix
from stakes.tables._values import is_missing, parse_value
from stakes.tables._writing import write_batches

__all__ = [
    "KNOWN_PAIRS",
    "CostExpression",
    "LabelReader",
    "ModelMatrix",
    "PricedData",
    "TableEncoder",
    "as_frame",
    "cast_like",
    "check_file",
    "find_kinds",
    "is_matrix",
    "is_missing",
    "kind_of",
    "load_table",
    "parse_value",
    "prepare",
    "read_costs",
    "read_table",
    "scan_batches",
    "why_text",
    "write_batches",
]
