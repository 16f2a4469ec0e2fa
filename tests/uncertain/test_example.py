import re
import runpy
from pathlib import Path


def test_error_bars_runs_and_says_what_it_promises(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "error_bars.py"))
    said = capsys.readouterr().out
    rows = re.findall(r"nominal error ([\d.]+), certified error ([\d.]+).* feature ([\d.]+)", said)
    points, sets = ([float(value) for value in row] for row in rows)
    # a certificate is a bound on more errors; whoever knows of the noise trusts it less
    assert points[0] <= points[1] and sets[0] <= sets[1] < points[1]
    assert sets[2] < points[2] / 2
    review, n, others, wrong = map(int, re.findall(r"\d+", said.splitlines()[-1]))
    assert review + others == n == 40 and wrong / others < sets[0]
