"""The money study: every learner on real data with defensible costs, and the advice it gives."""

from stakes.study._field import SETS, study_field
from stakes.study._page import to_markdown
from stakes.study._record import RECORD, ROWS, make_record, read_record
from stakes.study._run import run_study

__all__ = [
    "RECORD",
    "ROWS",
    "SETS",
    "make_record",
    "read_record",
    "run_study",
    "study_field",
    "to_markdown",
]
