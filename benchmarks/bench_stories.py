"""Five stories to their results: the passages that each needs, read at 200 words a minute.

Words are those of code as well as prose; running is measured in fresh processes in an empty
folder, with nothing compiled before. Installation is not in it.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks._measure import Row

ROOT = Path(__file__).parents[1]
WORDS_A_MINUTE = 200


@dataclass(frozen=True)
class Story:
    """What somebody reads, in this order, and then runs.

    Parameters
    ----------
    who : str
        The reader and what is at hand.
    reads : tuple of (file, first, last)
        From the line that starts with `first` up to the line before one that starts with `last`;
        None: from the top, to the end.
    runs : tuple of tuple of str
        Commands; "stakes" and "python" are those of this environment.
    """

    who: str
    reads: tuple
    runs: tuple


def example(name):
    """Read an example of the gallery and run it."""
    return (f"examples/{name}.py", None, None), ("python", str(ROOT / "examples" / f"{name}.py"))


STREAM, STREAM_RUN = example("payments_stream")
ERRORS, ERRORS_RUN = example("error_bars")
SPAM, SPAM_RUN = example("spam_adversary")
PAPER, PAPER_RUN = example("check_a_paper")
START = ("README.md", None, "## Your own")  # what it is, the two commands, where to go
COMPARE = ("stakes", "compare", "german", "--learners", "logistic regression, Bayes decision")

STORIES = (
    Story(
        "analyst with a table",
        (START, ("README.md", "## Your own table", "## In Python")),
        ((*COMPARE, "--out", "loans"), ("stakes", "train", "--from", "loans")),
    ),
    Story(
        "engineer with a stream and delayed labels",
        (START, ("docs/getting_started.md", "## From a stream", "## From meas"), STREAM),
        (STREAM_RUN,),
    ),
    Story(
        "scientist with error bars",
        (START, ("docs/getting_started.md", "## From meas", "## Where"), ERRORS),
        (ERRORS_RUN,),
    ),
    Story("security engineer with a spam stream", (START, SPAM), (SPAM_RUN,)),
    Story(
        "researcher with the papers",
        (START, PAPER, ("docs/reproductions/data.md", None, "| from")),
        (PAPER_RUN, ("stakes", "reproduce", "games", "--repeats", "1")),
    ),
)


def passage(file, first, last):
    """The lines of a file that are read."""
    lines = (ROOT / file).read_text().splitlines()
    begin = 0 if first is None else next(i for i, x in enumerate(lines) if x.startswith(first))
    end = len(lines)
    if last is not None:
        end = next(i for i, x in enumerate(lines) if i > begin and x.startswith(last))
    return "\n".join(lines[begin:end])


def words(text):
    """How many words, a number or a name in code being one."""
    return len(re.findall(r"[^\W_][\w.'-]*", text))


def run_fresh(commands):
    """Seconds of some commands, one after the other, in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "numba")
        env = os.environ | {"NUMBA_CACHE_DIR": cache, "MPLBACKEND": "Agg"}
        env.pop("STAKES_DATA", None)  # a new user has no such folder
        start = time.perf_counter()
        for name, *rest in commands:
            program = [sys.executable] if name == "python" else [sys.executable, "-m", name]
            subprocess.run([*program, *rest], cwd=folder, env=env, capture_output=True, check=True)
        return time.perf_counter() - start


def run():
    rows = []
    for story in STORIES:
        n = sum(words(passage(*part)) for part in story.reads)
        reading = 60.0 * n / WORDS_A_MINUTE
        running = run_fresh(story.runs)
        files = ", ".join(dict.fromkeys(part[0] for part in story.reads))
        done = "; ".join(" ".join(_short(command)) for command in story.runs)
        rows += [
            Row(
                story.who,
                "reading",
                reading,
                note=f"{n} words at {WORDS_A_MINUTE} a minute: {files}",
            ),
            Row(story.who, "running", running, note=f"fresh process, nothing compiled: {done}"),
            Row(story.who, "in all", reading + running, note=f"{(reading + running) / 60:.1f} min"),
        ]
    return rows


def _short(command):
    return [part.replace(f"{ROOT}/", "") for part in command]
