"""Figures plotted from the stored results of a run, byte for byte the same each time."""

import json
import sys
from pathlib import Path

import matplotlib

STYLE = {"svg.hashsalt": "stakes", "svg.fonttype": "none"}


def draw_stored(draw):
    """Plot the stored run named by the first command-line argument into the file of the second."""
    source, target = sys.argv[1:]
    with matplotlib.rc_context(STYLE):
        save(draw(json.loads(Path(source).read_text())), target)


def draw_into(plots, folder=None, data=None):
    """Plot figures by file name into a folder, by default that of the command line."""
    folder = Path(sys.argv[1] if folder is None else folder)
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE | {"font.size": 7}):
        for file, draw in plots.items():
            save(draw(data), folder / file)


def save(figure, target):
    """Save a figure without its date, so that plotting it again gives the same bytes."""
    figure.savefig(target, metadata={"Date": None})
