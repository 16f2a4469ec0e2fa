"""Write the three renderings; each appears whole or not at all."""

import json
from pathlib import Path

from stakes._core.files import appearing
from stakes.compare.report._html import to_html
from stakes.compare.report._markdown import to_markdown


def write_report(summary, directory):
    """Write report.html, report.md and report.json into a directory."""
    texts = {
        "report.json": json.dumps(summary, indent=1, sort_keys=True) + "\n",
        "report.md": to_markdown(summary),
        "report.html": to_html(summary),
    }
    for name, text in texts.items():
        with appearing(Path(directory) / name) as partial:
            partial.write_text(text, encoding="utf-8")
