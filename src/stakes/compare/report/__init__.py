"""The summary of a comparison, rendered to HTML, Markdown and JSON."""

from stakes.compare.report._attack_page import write_attack
from stakes.compare.report._evaluation import write_evaluation
from stakes.compare.report._explanation import write_explanation
from stakes.compare.report._render import write_report

__all__ = ["write_attack", "write_evaluation", "write_explanation", "write_report"]
