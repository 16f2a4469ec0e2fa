"""The games of W. Liu's thesis, Chapters 6 and 7, re-run."""

from stakes.reproduce._files import DataMissing, data_file
from stakes.reproduce._result import Claim, Reproduction
from stakes.reproduce.games._data import load_streams
from stakes.reproduce.games._moves import concavity, table_7_1, usps
from stakes.reproduce.games._shift import divergences, genetic_tables, months_tables, table_6_2
from stakes.reproduce.games._spam import spam_tables

PICTURES = {
    "games_states.svg": "Figure 7.1: the first classifier, the best move against it, and the "
    "answer, at a price of 1/12.",
    "games_rounds.svg": "Figure 7.2: rounds of best replies at the printed price; the printed "
    "moves are far longer than best ones.",
}
_ON_DATA = "All claims about spam streams and digits (Table 7.2, Sections 6.6.3 and 7.5.3)."


def run(*, repeats=None, data=None, progress=None, real=True):
    """Tables 6.1, 6.2, 7.1 and 7.2, Figures 6.2 to 6.5 and 7.3, and the USPS pairs.

    Parameters
    ----------
    repeats : int, default=None
        Seeds of the genetic algorithm, and twice the number of USPS splits; 10 by default.
    data : path, default=None
        Folder with the public data sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each part.
    real : bool, default=True
        Whether to run the parts on spam streams and digits too. They are skipped, with a message,
        if the data are not available.

    Returns
    -------
    Reproduction
    """
    repeats = 10 if repeats is None else repeats
    say = progress or (lambda line: None)
    parts = [table_6_2, lambda: genetic_tables(repeats), table_7_1, concavity]
    tables, claims = [divergences()], []
    try:
        streams = load_streams(data) if real else None
        full = load_streams(data, None) if real else None
        digits = data_file(data, "usps.npz").parent if real else None
    except DataMissing as missing:
        claims.append(Claim(_ON_DATA, "cannot be checked", str(missing)))
        say(f"Running only the parts that need no data. {missing}")
        streams = None
    if streams is not None:
        parts += [
            lambda: months_tables(streams),
            lambda: spam_tables(streams, full, say),
            lambda: usps(max(1, repeats // 2), digits),
        ]
    for part in parts:
        new_tables, new_claims = part()
        tables += new_tables
        claims += new_claims
        for claim in new_claims:
            say(f"{claim.text} {claim.verdict}: {claim.evidence}")
    return Reproduction(
        name="games",
        paper="Games against an adversary (W. Liu's thesis, Chapters 2.3, 6 and 7)",
        command="stakes reproduce games",
        tables=tables,
        claims=claims,
        figures=PICTURES,
    )
