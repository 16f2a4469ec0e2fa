"""The functions that three jobs go through, in order: `python benchmarks/data_flow.py [job]`.

Counts calls of Python functions of stakes (compiled loops are one call of their dispatcher and are
not seen), the distinct functions among them, and how often the path changes from one folder to
another. docs/architecture.md uses these numbers.
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

    def __enter__(self):
        sys.setprofile(self._call)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _call(self, frame, event, _):
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(f"{ROOT}/"):
            return
        name = getattr(code, "co_qualname", code.co_name)
        if not name.endswith(SKIPPED):
            file = Path(code.co_filename).relative_to(ROOT)
            self.steps.append(Step(file.parts[0], str(file), name.replace(".<locals>", "")))

    @property
    def n_changes(self):
        """How often a call is in another folder than the call before it."""
        pairs = zip(self.steps, self.steps[1:], strict=False)
        return sum(one.folder != other.folder for one, other in pairs)

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
            f"{len(self.steps)} calls of {len(counts)} functions in {len(files)} files, "
            f"{self.n_changes} changes of folder"
        ]
        lines += [f"  {n:>5} x {step.file}: {step.function}" for step, n in counts.items()]
        return "\n".join(lines)


def compare():
    """`stakes compare german` with one learner, one repeat of two folds, in one process."""
    from typer.testing import CliRunner

    from stakes.cli._app import app

    with tempfile.TemporaryDirectory() as folder:
        words = "compare german --learners CWClassifier --folds 2 --no-tune -j 1 -q --out".split()
        with Flow() as flow:
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

    from stakes.stream import FileStream, Records, StreamSettings

    before = [f'{{"id": {i}, "amount": {10 + i}, "fraud": {i % 2}}}\n' for i in range(10)]
    lines = ['{"id": "late", "amount": 25.0, "kind": "shop"}\n', '{"id": "late", "fraud": 1}\n']
    settings = StreamSettings("fraud", fp_cost="3", fn_cost="0.5*amount", id="id")
    with tempfile.TemporaryDirectory() as folder:
        records = Records(io.BytesIO("".join(before + lines).encode()), "jsonl", "id")
        run = FileStream(records, settings, f"{folder}/d.csv", f"{folder}/s.skops")
        list(run._step(records.take(10)))
        with Flow() as flow:
            list(run._step(records.take(2)))
    return flow


JOBS = (compare, partial_fit, late_label, late_label_record)


def main(names):
    """Print the flow of the named jobs, or of all."""
    for job in JOBS:
        if not names or job.__name__ in names:
            print(f"{job.__doc__.strip().splitlines()[0]}\n{job()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
