"""Results of a comparison: one row per finished fit, appended to a file that survives a crash."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from stakes._core.files import appearing
from stakes.compare._summary import summarize_results
from stakes.compare._wording import Wording
from stakes.errors import InputError

KEY = ("data", "learner", "repeat", "fold")


@dataclass(eq=False)
class ResultsFile:
    """JSON rows in `results.jsonl`, and the predictions of each fit as arrays next to it.

    The first row is the plan; a directory with a different plan is refused. Each row is written
    by one call and synced, so that a crash can truncate the last row only; a truncated row is
    removed when the file is opened.

    Parameters
    ----------
    directory : path
        Directory of the run; created if missing.
    plan : dict
        Identity of the run: fingerprints of the data, folds, seed. A run with more repeats
        continues one with fewer.
    """

    directory: Path
    plan: dict
    rows: list[dict] = field(default_factory=list)

    @property
    def path(self):
        """The file of rows."""
        return Path(self.directory) / "results.jsonl"

    def open(self, fresh=False):
        """Read the existing rows, or start a new file."""
        Path(self.directory, "predictions").mkdir(parents=True, exist_ok=True)
        if fresh:
            self.path.unlink(missing_ok=True)
        if not self.path.exists() or not self._read():
            self.path.unlink(missing_ok=True)
            self._append({"plan": self.plan})
            self.rows = []
        return self

    def done(self, settings):
        """Keys of the fits that need not be run again.

        Parameters
        ----------
        settings : dict
            Learner -> its current settings (:attr:`Contestant.settings`); fits with other
            settings do not count.
        """
        return {
            key_of(row)
            for row in self.rows
            if not row.get("error") and row.get("settings") in (None, settings.get(row["learner"]))
        }

    def add(self, row, arrays):
        """Store a finished fit: first its arrays, by rename, then its row."""
        with appearing(self._arrays_path(row)) as partial, open(partial, "wb") as file:
            np.savez(file, **arrays)
        self._append(row)
        self.rows = [r for r in self.rows if key_of(r) != key_of(row)] + [row]

    def arrays(self, row):
        """The test rows, decisions and probabilities of a fit."""
        with np.load(self._arrays_path(row)) as stored:
            return dict(stored)

    def _read(self):
        raw = self.path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if len(whole) < len(raw):
            with open(self.path, "r+b") as file:
                file.truncate(len(whole))
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise InputError(
                f"{self.path} is damaged (a row is not JSON); remove it, or choose another "
                "output directory."
            ) from None
        if not lines:
            return False
        if _identity(lines[0].get("plan", {})) != _identity(self.plan):
            raise InputError(
                f"{self.directory} holds the results of another comparison; choose another output "
                "directory, or start over (fresh=True, on the command line --fresh)."
            )
        self.rows = list({key_of(row): row for row in lines[1:]}.values())
        return True

    def _append(self, row):
        with open(self.path, "ab") as file:
            file.write((json.dumps(row, sort_keys=True) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())

    def _arrays_path(self, row):
        name = "-".join(str(part) for part in key_of(row))
        safe = "".join(c if c.isalnum() or c in "-." else "_" for c in name)
        return Path(self.directory) / "predictions" / f"{safe}.npz"


@dataclass(eq=False)
class Results:
    """Results of a comparison.

    Attributes
    ----------
    file : ResultsFile
        The rows, one per fit, and the arrays stored with them.
    datasets : list of PricedData
        The data sets.
    refused : list of str
        Learners that did not take part, and why.
    unfinished : int
        Number of fits not run within the time budget.
    today : array-like of 0 and 1, or None
        Today's decisions, if given.
    capacity : Capacity or None
        Limits on alerts and reviews, if given.
    wording : Wording
        How the report calls the decisions and writes amounts.
    """

    file: ResultsFile
    datasets: list
    refused: list
    unfinished: int
    today: object = None
    capacity: object = None
    wording: Wording = field(default_factory=Wording)
    _summary: dict | None = None

    @property
    def rows(self):
        """The rows of the results file as dicts."""
        return self.file.rows

    def to_frame(self):
        """The rows as a polars frame, in the order of the plan."""
        plain = [
            {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
            for row in sorted(self.rows, key=key_of)
        ]
        return pl.DataFrame(plain, infer_schema_length=None)

    def summary(self):
        """Everything that the report shows, as one dict."""
        if self._summary is None:
            self._summary = summarize_results(self)
        return self._summary

    def shown(self):
        """The summary in the words of :attr:`wording`."""
        raw = self.summary()
        return self.wording.say({k: v for k, v in raw.items() if k != "datasets"}) | {
            "datasets": [self._shown(part) for part in raw["datasets"]]
        }

    def _shown(self, part):
        """One data set in these words; the sums of the sliders are numbers by learner."""
        sums = part["what_if"]
        words = self.wording.say({k: v for k, v in part.items() if k != "what_if"})
        if sums:
            names = {name: self.wording.say(name) for name in (*sums["sums"], *sums["fixed"])}
            sums = sums | {"names": names}
        return words | {"what_if": sums}

    def report(self, command=None):
        """Write report.html, report.md and report.json; return the path of the HTML page.

        Parameters
        ----------
        command : str or None, default=None
            Command that the report shows for running the comparison again.
        """
        call = f"stakes.compare.compare({self.datasets[0].name!r} data, ...)"
        from stakes.compare.report import write_report  # it loads matplotlib, which others need not

        command = {"command": command or call, "currency": self.wording.currency}
        write_report(self.summary() | command, self.file.directory, self.shown() | command)
        return Path(self.file.directory) / "report.html"


def key_of(row):
    """Identifies a fit within its plan."""
    return tuple(row[name] for name in KEY)


def _identity(plan):
    return {name: value for name, value in plan.items() if name != "repeats"}
