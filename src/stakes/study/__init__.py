"""The money study: every learner on real data with realistic costs, and the advice it gives."""

from stakes.study._advise import Advice, advise
from stakes.study._page import draw_page, to_markdown, write_page
from stakes.study._record import excess, make_record, stored_record
from stakes.study._rows import stored_rows
from stakes.study._run import SETS, Study, run_study, study_field
from stakes.study._verdict import verdict

__all__ = [
    "SETS",
    "Advice",
    "Study",
    "advise",
    "draw_page",
    "excess",
    "make_record",
    "run_study",
    "stored_record",
    "stored_rows",
    "study_field",
    "to_markdown",
    "verdict",
    "write_page",
]
