"""The papers' experiments, re-run and compared with the printed numbers.

Each paper is a package with `run(*, repeats=None, data=None, progress=None) -> Reproduction`. It
consists of `paper.csv` (the printed numbers), `_data.py` (the data sets), `_runs.py` (the
experiments; further modules where one file would be too long), `_claims.py` (verdicts on the
paper's claims), `_figures.py` (plots of a stored run) and `_reproduction.py` (tables and `run`).
"""

import importlib

from stakes.reproduce._files import DATA_PAGE
from stakes.reproduce._result import Cell, Claim, Reproduction, Table

# name on the command line -> package that has `run`
PAPERS = {
    "games": "stakes.reproduce.games",
    "cw-cvar": "stakes.reproduce.cw_cvar",
    "qmlearn": "stakes.reproduce.qmlearn",
    "chance-constrained": "stakes.reproduce.chance_constrained",
    "ccpdt": "stakes.reproduce.ccpdt",
    "ccw": "stakes.reproduce.ccw",
    "cs-svm": "stakes.reproduce.cs_svm",
    "csduol": "stakes.reproduce.csduol",
}


def draw(name, folder, data=None):
    """Plot the figures of a paper's page into a folder.

    Parameters
    ----------
    name : str
        One of `PAPERS`.
    folder : path
        Folder of the pictures; created if it does not exist.
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    """
    from stakes.reproduce._drawing import draw_into

    draw_into(importlib.import_module(f"{PAPERS[name]}._figures").PLOTS, folder, data)


__all__ = ["DATA_PAGE", "PAPERS", "Cell", "Claim", "Reproduction", "Table", "draw"]
