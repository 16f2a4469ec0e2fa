"""A figure drawn from the stored rows of a run, the same bytes each time."""

import json
import sys
from pathlib import Path

import matplotlib

STYLE = {"svg.hashsalt": "stakes", "svg.fonttype": "none"}


def draw_stored(draw):
    """Run `draw` on the file that the first argument names; the second is the picture's."""
    source, target = sys.argv[1:]
    with matplotlib.rc_context(STYLE):
        save(draw(json.loads(Path(source).read_text())), target)


def save(figure, target):
    """Write a figure without the date, which would change at every drawing."""
    figure.savefig(target, metadata={"Date": None})
