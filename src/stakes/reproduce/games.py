"""The games of W. Liu's thesis, Chapters 6 and 7, re-run."""

from stakes.reproduce._games_months import months_tables
from stakes.reproduce._games_play import concavity, table_7_1
from stakes.reproduce._games_shift import divergences, genetic_tables, table_6_2
from stakes.reproduce._games_spam import spam_tables
from stakes.reproduce._games_streams import load_streams
from stakes.reproduce._games_usps import usps
from stakes.reproduce._result import Reproduction


def run(*, repeats=None, data=None, progress=None, real=True):
    """Tables 6.1, 6.2, 7.1 and 7.2, Figures 6.2 to 6.5 and 7.3, and the USPS pairs.

    Parameters
    ----------
    repeats : int, default=None
        Seeds of the genetic algorithm, and halves of it for the USPS splits; 10 by default.
    data : path, default=None
        Directory with the public sets; None: `STAKES_DATA`.
    progress : callable, default=None
        Called with a line of text after each part.
    real : bool, default=True
        Whether to run the parts on spam streams and digits too.

    Returns
    -------
    Reproduction
    """
    repeats = 10 if repeats is None else repeats
    say = progress or (lambda line: None)
    parts = [table_6_2, lambda: genetic_tables(repeats), table_7_1, concavity]
    if real:
        streams = load_streams(data)
        parts += [
            lambda: months_tables(streams),
            lambda: spam_tables(streams, say),
            lambda: usps(max(1, repeats // 2), data),
        ]
    tables, claims = [divergences()], []
    for part in parts:
        found, told = part()
        tables += found
        claims += told
        for claim in told:
            say(f"{claim.text} {claim.verdict}: {claim.evidence}")
    return Reproduction(
        name="games",
        paper="Games against an adversary (W. Liu's thesis, Chapters 2.3, 6 and 7)",
        command="stakes reproduce games",
        tables=tables,
        claims=claims,
    )
