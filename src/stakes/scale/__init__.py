"""Tables larger than memory or on a cluster: map a function over parts, fold them into one state.

All else is written with these two verbs: a survey of the columns, learners, decisions, metrics.
"""

from stakes.scale._fit import PartsFit, can_fit, fit_parts
from stakes.scale._folder import Folder, Part
from stakes.scale._measure import Measured, measure
from stakes.scale._spark import SparkTable
from stakes.scale._survey import SurveyedTable, survey
from stakes.scale._verbs import fold_parts, map_parts

__all__ = [
    "Folder",
    "Measured",
    "Part",
    "PartsFit",
    "SparkTable",
    "SurveyedTable",
    "can_fit",
    "fit_parts",
    "fold_parts",
    "map_parts",
    "measure",
    "survey",
]
