"""The games of W. Liu's thesis, Chapters 6 and 7, re-run."""

from stakes.reproduce._games_play import concavity_claim, table_7_1
from stakes.reproduce._games_shift import divergences, genetic_claim, months_claim, table_6_2
from stakes.reproduce._games_spam import spam_tables
from stakes.reproduce._games_streams import load_streams
from stakes.reproduce._games_usps import usps
from stakes.reproduce._result import Reproduction


def run(*, repeats=None, data=None, progress=None, real=True):
    """Tables 6.1, 6.2, 7.1 and 7.2, Figures 6.2 to 6.5, and the USPS pairs.

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
    tables, claims = [divergences()], []
    for make in (table_6_2, lambda: genetic_claim(repeats), table_7_1):
        table, claim = make()
        tables.append(table)
        claims.append(claim)
        say(f"{table.title}: {claim.evidence}")
    claims.append(concavity_claim())
    if real:
        streams = load_streams(data)
        found, claim = months_claim(streams)
        tables += found
        claims.append(claim)
        say(f"months: {claim.evidence}")
        found, more = spam_tables(streams, say)
        tables += found
        claims += more
        table, more = usps(max(1, repeats // 2), data)
        tables.append(table)
        claims += more
        say(f"USPS: {more[-1].evidence}")
    return Reproduction(
        name="games",
        paper="Games against an adversary (W. Liu's thesis, Chapters 2.3, 6 and 7)",
        command="stakes reproduce games",
        tables=tables,
        claims=claims,
    )
