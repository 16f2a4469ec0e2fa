"""The functions that three jobs go through, in order: `python benchmarks/data_flow.py [job]`.

Counts the calls of Python functions of stakes (a compiled loop is not seen), comprehensions
included, the distinct functions, and how often the path enters or leaves a folder, on calls and on
returns. docs/architecture.md uses these numbers.
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import stakes

ROOT = Path(stakes.__file__).parent
SKIPPED = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>", "<module>")


class Step(NamedTuple):
    """One call of a function."""

    folder: str
    file: str
    function: str


class Flow:
    """Records the calls of functions of stakes inside a `with` block."""

    def __init__(self):
        self.steps = []
        self.n_calls = self.n_changes = 0
        self._folders = []  # of the calls that have not returned yet

    def __enter__(self):
        sys.setprofile(self._follow)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _follow(self, frame, event, _):
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(f"{ROOT}/"):
            return
        file = code.co_filename.removeprefix(f"{ROOT}/")
        folder = file.split("/")[0]
        if event == "return":
            if self._folders:
                self._folders.pop()
                self.n_changes += bool(self._folders) and self._folders[-1] != folder
            return
        self.n_calls += 1
        self.n_changes += bool(self._folders) and self._folders[-1] != folder
        self._folders.append(folder)
        name = getattr(code, "co_qualname", code.co_name)
        if not name.endswith(SKIPPED):
            self.steps.append(Step(folder, file, name.replace(".<locals>", "")))

    def in_order(self):
        """Every function once, in the order of first calls, with its number of calls."""
        counts = {}
        for step in self.steps:
            counts[step] = counts.get(step, 0) + 1
        return counts

    def __str__(self):
        counts = self.in_order()
        files = {step.file for step in self.steps}
        lines = [
            f"{self.n_calls} calls of {len(counts)} functions in {len(files)} files, "
            f"{self.n_changes} changes of folder"
        ]
        lines += [f"  {n:>5} x {step.file}: {step.function}" for step, n in counts.items()]
        return "\n".join(lines)


def compare():
    """`stakes compare german` with one learner, one repeat of two folds, in one process."""
    from typer.testing import CliRunner

    from stakes.cli._app import app

    words = "compare german --learners CWClassifier --folds 2 --no-tune -j 1 -q --out".split()
    for _ in range(2):  # once to import everything
        with tempfile.TemporaryDirectory() as folder, Flow() as flow:
            result = CliRunner().invoke(app, [*words, folder])
        assert result.exit_code == 0, result.output
    return flow


def partial_fit():
    """One `partial_fit` of a ProbitClassifier that is running already."""
    from stakes.online import ProbitClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    model = ProbitClassifier().partial_fit(X, y)
    with Flow() as flow:
        model.partial_fit(X, y, fn_cost=np.full(20, 7.0))
    return flow


def late_label():
    """One late label in a stream whose prices are expressions."""
    from stakes.online import ProbitClassifier
    from stakes.stream import DecisionStream

    stream = DecisionStream(ProbitClassifier(), fp_cost=3, fn_cost="0.5*amount", target="fraud")
    for i in range(10):
        stream.learn({"amount": 10.0 + i, "kind": "web", "fraud": i % 2})
    stream.decide({"amount": 25.0, "kind": "shop"}, "late")
    with Flow() as flow:
        stream.label("late", 1)
    return flow


def late_label_record():
    """An event and its late label as records of `stakes stream`, from the line to the decision."""
    import io

    from stakes.stream import FileStream, Records

    before = [f'{{"id": {i}, "amount": {10 + i}, "fraud": {i % 2}}}\n' for i in range(10)]
    lines = ['{"id": "late", "amount": 25.0, "kind": "shop"}\n', '{"id": "late", "fraud": 1}\n']
    settings = dict(target="fraud", fp_cost="3", fn_cost="0.5*amount", id="id")
    with tempfile.TemporaryDirectory() as folder:
        records = Records(io.BytesIO("".join(before + lines).encode()), "jsonl", "id")
        run = FileStream(records, f"{folder}/d.csv", f"{folder}/s.skops", **settings)
        run._step(records.take(10))
        with Flow() as flow:
            run._step(records.take(2))
    return flow


JOBS = (compare, partial_fit, late_label, late_label_record)


def main(names):
    """Print the flow of the named jobs, or of all."""
    for job in JOBS:
        if not names or job.__name__ in names:
            print(f"{job.__doc__.strip().splitlines()[0]}\n{job()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
