"""Numbers printed in a paper, stored next to the code that re-runs it as `paper.csv`."""

import csv
from functools import cache
from importlib.resources import files


@cache
def printed(paper, what="value"):
    """Read the printed numbers of a paper.

    Parameters
    ----------
    paper : str
        Name of the package.
    what : {"value", "spread"}, default="value"
        The numbers themselves, or their printed standard deviations.

    Returns
    -------
    dict of table -> dict of row -> dict of column -> float
        In the order of the file. Cells without a number are left out.

    Examples
    --------
    >>> printed("cw_cvar")["II, German"]["CW"]
    {'online': 35002.0, 'batch': 3252.2}
    >>> printed("cw_cvar", "spread")["II, German"]["CW"]["online"]
    172.8
    """
    tables = {}
    with files("stakes.reproduce").joinpath(paper, "paper.csv").open(newline="") as file:
        for line in csv.DictReader(file):
            if line[what]:
                row = tables.setdefault(line["table"], {}).setdefault(line["row"], {})
                row[line["column"]] = float(line[what])
    return tables
