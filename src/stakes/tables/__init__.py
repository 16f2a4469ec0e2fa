"""From a raw table to X, y and the costs: kinds of columns, reading, labels, prices, encoders."""

from stakes.tables._expression import CostExpression
from stakes.tables._kinds import as_frame, cast_like, kind_of, why_text
from stakes.tables._model_matrix import ModelMatrix
from stakes.tables._prepare import prepare
from stakes.tables._priced import PricedData
from stakes.tables._reading import check_file, read_table, scan_batches
from stakes.tables._table import AFFIRMATIVE, load_table, read_costs, read_labels
from stakes.tables._table_encoder import TableEncoder, find_kinds, is_matrix

__all__ = [
    "AFFIRMATIVE",
    "CostExpression",
    "ModelMatrix",
    "PricedData",
    "TableEncoder",
    "as_frame",
    "cast_like",
    "check_file",
    "find_kinds",
    "is_matrix",
    "kind_of",
    "load_table",
    "prepare",
    "read_costs",
    "read_labels",
    "read_table",
    "scan_batches",
    "why_text",
]
