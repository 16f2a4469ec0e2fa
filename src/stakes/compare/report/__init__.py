"""One summary, rendered to HTML, Markdown and JSON."""

from stakes.compare.report._write import write_report

__all__ = ["write_report"]
