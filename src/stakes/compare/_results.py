"""The results file: one row per finished fit, appended as it finishes, never lost, never twice."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from stakes._core.files import appearing
from stakes.errors import InputError

KEY = ("data", "learner", "repeat", "fold")


@dataclass(eq=False)
class ResultsFile:
    """Rows of JSON in `results.jsonl`, and what each fit predicted beside it as arrays.

    The first row is the plan; a directory that holds another plan is refused. A row is written
    with one call and synced, so that after a crash at most the last row is cut short: it is
    detected on opening and cut off.

    Parameters
    ----------
    directory : path
        Where the run lives; made if it is not there.
    plan : dict
        What identifies the run: the data's fingerprint, folds, seed. More repeats of the same run
        go on from the fewer.
    """

    directory: Path
    plan: dict
    rows: list[dict] = field(default_factory=list)

    @property
    def path(self):
        """The file of rows."""
        return Path(self.directory) / "results.jsonl"

    def open(self, fresh=False):
        """Read what is there, after cutting off a row that was not finished."""
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
            Learner -> its settings now (:attr:`Contestant.settings`): fits of others do not count.
        """
        return {
            key_of(row)
            for row in self.rows
            if not row.get("error") and row.get("settings") in (None, settings.get(row["learner"]))
        }

    def add(self, row, arrays):
        """Keep one finished fit: first its arrays, by rename, then its row."""
        with appearing(self._arrays_path(row)) as partial, open(partial, "wb") as file:
            np.savez(file, **arrays)
        self._append(row)
        self.rows = [r for r in self.rows if key_of(r) != key_of(row)] + [row]

    def arrays(self, row):
        """What one fit predicted: its test rows, decisions and probabilities."""
        with np.load(self._arrays_path(row)) as stored:
            return dict(stored)

    def to_frame(self):
        """The rows as a polars frame, in the order of the plan."""
        plain = [
            {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
            for row in sorted(self.rows, key=key_of)
        ]
        return pl.DataFrame(plain, infer_schema_length=None)

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
                "directory, or start over with --fresh."
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


def _identity(plan):
    return {name: value for name, value in plan.items() if name != "repeats"}


def key_of(row):
    """What identifies a fit inside its plan."""
    return tuple(row[name] for name in KEY)
