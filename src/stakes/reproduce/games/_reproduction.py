"""The games of W. Liu's thesis, Chapters 6 and 7, re-run."""

from stakes.reproduce._files import DataMissing, data_file
from stakes.reproduce._result import Claim, Reproduction
from stakes.reproduce.games._months import months_tables
from stakes.reproduce.games._play import concavity, table_7_1
from stakes.reproduce.games._shift import divergences, genetic_tables, table_6_2
from stakes.reproduce.games._spam import spam_tables
from stakes.reproduce.games._streams import load_streams
from stakes.reproduce.games._usps import usps

_ON_DATA = "What is told of spam streams and digits (Tables 6.1 and 7.2, Sections 6.6.3 and 7.5.3)."


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
        Whether to run the parts on spam streams and digits too; they are left out, and it is said,
        if the data are not at hand.

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
        digits = data_file(data, "usps.npz").parent if real else None
    except DataMissing as missing:
        claims.append(Claim(_ON_DATA, "cannot be checked", str(missing)))
        say(f"Only what needs no data is run. {missing}")
        streams = None
    if streams is not None:
        parts += [
            lambda: months_tables(streams),
            lambda: spam_tables(streams, say),
            lambda: usps(max(1, repeats // 2), digits),
        ]
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
