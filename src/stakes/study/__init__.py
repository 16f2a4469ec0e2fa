"""The money study: every learner on real data with defensible costs, and the advice it gives."""

from stakes.study._advise import Advice, advise
from stakes.study._excess import excess
from stakes.study._field import SETS, study_field
from stakes.study._page import to_markdown
from stakes.study._record import make_record, stored_record
from stakes.study._run import run_study
from stakes.study._verdict import verdict
from stakes.study._write import draw_page, write_page

__all__ = [
    "SETS",
    "Advice",
    "advise",
    "draw_page",
    "excess",
    "make_record",
    "run_study",
    "stored_record",
    "study_field",
    "to_markdown",
    "verdict",
    "write_page",
]
