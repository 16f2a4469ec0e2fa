"""A trained model decides about a folder of files: one result per file, in parallel, resumable."""

import hashlib
import json
import math
import shutil
import sys
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import polars as pl

from stakes import __version__
from stakes._core.files import appearing, check_can_write
from stakes.compare._class_decider import load_decider
from stakes.errors import InputError
from stakes.scale import Folder, map_parts
from stakes.tables import write_batches

RECORD = "_stakes.jsonl"  # readers of folders skip names that start with an underscore


@dataclass(frozen=True)
class FolderDecisions:
    """What :func:`predict_folder` decided.

    Attributes
    ----------
    rows : int
        Decisions.
    positive : int or None
        Positive ones among them; None with many classes.
    cost : float or None
        Their expected cost; None if the model gives no probabilities.
    parts, skipped : int
        Files of the folder, and those of them that an earlier call had finished.
    """

    rows: int
    positive: int | None
    cost: float | None
    parts: int
    skipped: int


def predict_folder(
    model, source, out, *, keep=(), n_jobs=1, fresh=False, progress=None, verify=None, **costs
):
    """Decide about every row of a folder of files, with one result file per file.

    Each result appears when it is complete. Call again with the same arguments to resume: files
    that are finished and have not changed are skipped.

    Parameters
    ----------
    model : str or Path
        A file of :func:`train_to_file`.
    source : str or Path
        A folder or glob, see :class:`stakes.scale.Folder`.
    out : str or Path
        Folder of the results, which have the names of the files: .parquet for Parquet, else .csv.
        The columns are those of :class:`BatchDecider`; `row` counts from 1 in each file.
    keep : sequence of str, default=()
        Columns to copy to the results.
    n_jobs : int, default=1
        Number of files in work at the same time; -1: one per core.
    fresh : bool, default=False
        Whether to delete the results of an earlier call and start over.
    progress : callable or None, default=None
        Called as `progress(done, total)` after each file.
    verify : str or Path, default=None
        File of a public key that the model must be signed with.
    **costs : str
        Costs that replace those of training: fp_cost, fn_cost, tp_cost, tn_cost or cost_matrix; and
        `max_error` of :class:`BatchDecider`.

    Returns
    -------
    FolderDecisions
    """
    folder, out = Folder(source), Path(out)
    names = _result_names(folder)
    scorer = _Scorer.of(model, keep, costs, out, verify)
    _check_out(folder, out)
    record = _Record(out, scorer.settings() | {"source": str(folder.root.resolve())}, fresh)
    skipped = [part for part in folder.parts if record.has(part, names[part.name])]
    done = {part.name for part in skipped}
    todo = [part for part in folder.parts if part.name not in done]
    record.open(done, {part.name for part in folder.parts})
    if progress:
        progress(len(done), len(folder))
    try:
        for part, facts in map_parts(replace(scorer, names=names), todo, n_jobs=n_jobs):
            record.add(facts)
            done.add(part.name)
            if progress:
                progress(len(done), len(folder))
    except BrokenExecutor:
        raise MemoryError(
            f"a worker was killed, probably out of memory; finished files are kept in {out}: run "
            "it again to resume, with fewer jobs to use less memory"
        ) from None
    return _total([record.facts[part.name] for part in folder.parts], folder, len(skipped))


@dataclass(frozen=True)
class _Scorer:
    """Decides about one part; each worker reads the model once."""

    model: str
    digest: str
    keep: tuple
    costs: tuple
    out: Path
    verify: str | None = None
    names: dict | None = None

    @classmethod
    def of(cls, model, keep, costs, out, verify):
        path = Path(model)
        digest = _digest(path) if path.is_file() else ""
        costs = tuple(sorted((name, cost) for name, cost in costs.items() if cost is not None))
        scorer = cls(str(path), digest, tuple(keep), costs, out, verify)
        scorer.decider()  # raises now, not in a worker
        return scorer

    def decider(self):
        return _decider(self.model, self.digest, self.keep, self.costs, self.verify)

    def settings(self):
        costs = self.decider().settings
        return dict(stakes=__version__, model=self.digest, keep=list(self.keep), costs=costs)

    def __call__(self, part):
        decider = self.decider().fresh()
        path = self.out / self.names[part.name]
        path.parent.mkdir(parents=True, exist_ok=True)
        stamp = _stamp(part)
        with write_batches(path) as write:
            empty = True
            # the replicates of an example must be in one batch
            for batch in part.batches(sys.maxsize) if decider.replicates else part.batches():
                write(decider.decide(batch))
                empty = False
            if empty:  # only Parquet: a CSV without rows is an error
                write(decider.decide(pl.scan_parquet(part.path, glob=False).head(0).collect()))
        facts = dict(rows=decider.rows, positive=decider.positive, cost=decider.cost)
        return dict(part=part.name, result=self.names[part.name], stamp=stamp) | facts


@lru_cache(maxsize=1)
def _decider(model, digest, keep, costs, verify):
    decider = load_decider(model, keep, verify=verify, **dict(costs))
    if _digest(model) != digest:
        raise InputError(f"{model!r} has changed since the command started; run it again.")
    return decider


class _Record:
    """The settings of the run and the finished parts, one JSON object per line."""

    def __init__(self, out, settings, fresh):
        self._path, self._settings = out / RECORD, settings
        if not self._path.is_file():
            if out.is_dir() and any(out.iterdir()):
                raise InputError(
                    f"The folder {str(out)!r} is not empty and was not made by stakes predict; "
                    "give a new folder as {parameter}.",
                    "out",
                )
            self.facts = {}
            return
        before, self.facts = self._read()
        if fresh:
            for facts in self.facts.values():
                (out / facts["result"]).unlink(missing_ok=True)
            self.facts = {}
            return
        other = [name for name, value in settings.items() if before.get(name) != value]
        if other:
            words = dict(stakes="another version of stakes", keep="other kept columns")
            words |= dict(model="another model", costs="other costs", source="another source")
            raise InputError(
                f"{str(out)!r} has decisions with {' and '.join(words[name] for name in other)}; "
                "give another {out}, or {fresh} to start over.",
                ("out", "fresh"),
            )

    def has(self, part, name):
        """Whether a part is finished and has not changed since."""
        facts = self.facts.get(part.name)
        whole = facts is not None and (self._path.parent / name).is_file()
        return whole and facts["stamp"] == _stamp(part)

    def open(self, done, present):
        """Start the file with what is still valid; a line cut off by a crash disappears."""
        gone = sorted(self.facts.keys() - present)
        if gone:
            raise InputError(
                f"{str(self._path.parent)!r} has decisions about {gone[0]!r}, which is no longer "
                "there; give another {out}, or {fresh} to start over.",
                ("out", "fresh"),
            )
        self._path.parent.mkdir(exist_ok=True)
        self._sweep()
        self.facts = {name: facts for name, facts in self.facts.items() if name in done}
        lines = [self._settings, *self.facts.values()]
        with appearing(self._path) as partial:
            partial.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def add(self, facts):
        """Append a finished part, after its result has appeared."""
        self.facts[facts["part"]] = facts
        with open(self._path, "a") as file:
            file.write(json.dumps(facts) + "\n")

    def _sweep(self):
        """Remove the unfinished results of workers that were killed."""
        for path in self._path.parent.rglob(".*.part*"):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _read(self):
        lines = self._path.read_text().splitlines()
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                break  # cut off by a crash
        settings, *facts = found or [{}]
        return settings, {one["part"]: one for one in facts}


def _result_names(folder):
    """Part -> name of its result."""
    names, parts = {}, {}
    for part in folder.parts:
        suffix = next(s for s in (".gz", "") if part.name.lower().endswith(s))
        stem = Path(part.name[: len(part.name) - len(suffix)])
        kind = ".parquet" if stem.suffix.lower() in (".parquet", ".pq") else ".csv"
        name = stem.with_suffix(kind).as_posix()
        if name in parts:
            raise InputError(
                f"{parts[name]!r} and {part.name!r} would have the same result {name!r}; rename "
                "one of them."
            )
        parts[name], names[part.name] = part.name, name
    return names


def _check_out(folder, out):
    if out.suffix.lower() in (".csv", ".parquet") or out.is_file():
        raise InputError(
            f"The results of several files need a folder; {{parameter}} is {str(out)!r}.", "out"
        )
    if folder.would_read(out):
        raise InputError(
            f"The results would become part of {folder.source!r}; give a folder outside it as "
            "{parameter}.",
            "out",
        )
    check_can_write(out / RECORD if out.is_dir() else out)


def _stamp(part):
    """Size and time of change, to notice that a file was replaced."""
    facts = part.path.stat()
    return [facts.st_size, facts.st_mtime_ns]


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _total(facts, folder, skipped):
    rows = sum(one["rows"] for one in facts)
    if not rows:
        raise InputError(f"{folder.source!r} has no rows; there is nothing to decide.")
    costs = [one["cost"] for one in facts]
    cost = None if None in costs else math.fsum(costs)  # the same sum in any order
    positive = [one["positive"] for one in facts]
    positive = None if None in positive else sum(positive)
    return FolderDecisions(rows, positive, cost, len(facts), skipped)
