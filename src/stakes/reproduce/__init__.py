"""The papers' tables, re-run beside the printed numbers.

Each paper is a module with `run(*, repeats=None, data=None, progress=None) -> Reproduction`.
"""

from stakes.reproduce._result import Cell, Claim, Reproduction, Table

# the name on the command line -> the module that has `run`
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

__all__ = ["PAPERS", "Cell", "Claim", "Reproduction", "Table"]
