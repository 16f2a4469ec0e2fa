"""The application as a process: quick help, exit codes, Ctrl-C, memory."""

import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from payments import COSTS, payments
from running import wait_until
from stakes._core.durations import seconds
from stakes.cli._guard import guarded
from stakes.errors import InputError

STAKES = [sys.executable, "-m", "stakes"]
DOCS = Path(__file__).parents[2] / "docs" / "cli.md"


def test_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['stakes', '--help']\n"
        "from stakes.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('numpy', 'sklearn', 'numba', 'polars', 'scipy', 'rich', 'matplotlib')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_help_is_quick():
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*STAKES, "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.5  # of the processor: the clock depends on what else is running


def test_version(run):
    from stakes import __version__

    assert run("--version").stdout == f"stakes {__version__}\n"


def helps():
    text = DOCS.read_text()
    return re.findall(r"```text\n\$ (stakes[^\n]*)\n(.*?)```", text, flags=re.DOTALL)


def test_the_documented_help_is_the_real_one():
    env = dict(os.environ, COLUMNS="80", NO_COLOR="1")
    documented = helps()
    names = (
        "advise compare train predict explain evaluate attack rules export stream datasets study"
    )
    every = [*names.split(), "reproduce", "serve", "serve start"]
    assert [command for command, _ in documented] == [
        "stakes --help",
        *(f"stakes {name} --help" for name in every),
    ]
    for command, text in documented:
        args = [*STAKES, *command.split()[1:]]
        real = subprocess.run(args, env=env, capture_output=True, text=True, check=True).stdout
        assert real.strip() == text.strip(), f"{command}: paste the new help into docs/cli.md"


def test_durations():
    assert seconds("1h30m") == 5400 and seconds("1.5m") == 90 and seconds(" 20 ") == 20
    for text in ("", "0", "soon", "10x", "-5", "5m1h"):
        with pytest.raises(InputError, match="is not a duration"):
            seconds(text)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InputError("Fix\n{fp_cost}.", "fp_cost"), 2, "Fix --fp-cost.\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (OSError(28, "No space left on device"), 1, "System error: .*No space left"),
        (MemoryError(), 1, "not enough memory"),
        (ZeroDivisionError("by\nzero"), 1, "stakes failed with ZeroDivisionError: by zero"),
    ],
)
def test_how_commands_end(error, code, words, capsys, monkeypatch):
    import typer

    monkeypatch.delenv("STAKES_DEBUG", raising=False)

    @guarded
    def command():
        raise error

    with pytest.raises(typer.Exit) as stopped:
        command()
    assert stopped.value.exit_code == code
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and re.search(words, err)


def test_the_file_of_a_failure_is_named(capsys, monkeypatch):
    import typer

    monkeypatch.delenv("STAKES_DEBUG", raising=False)

    @guarded
    def command():
        error = ZeroDivisionError("by zero")
        error.add_note("This happened in 'a.csv'.")
        raise error

    with pytest.raises(typer.Exit):
        command()
    assert "by zero This happened in 'a.csv'. (probably a bug" in capsys.readouterr().err


def test_debugging_shows_where(monkeypatch):
    monkeypatch.setenv("STAKES_DEBUG", "1")

    @guarded
    def command():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        command()


def test_interrupting_compare_keeps_what_is_done(tmp_path):
    payments(2000).write_csv(tmp_path / "t.csv")
    args = ["compare", "t.csv", "--target", "fraud", *COSTS, "--learners", "LightGBM at 0.5"]
    args += ["--repeats", "20", "-j", "1", "--out", "out"]
    process = subprocess.Popen(
        [*STAKES, *args], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    results = tmp_path / "out" / "results.jsonl"
    wait_until(lambda: results.exists() and results.read_bytes().count(b"\n") > 2, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130, said
    assert re.search(r"Interrupted: \d+ of \d+ fits are done and saved in out; run the same", said)
    assert "Traceback" not in said
    assert results.read_bytes().endswith(b"\n")


@pytest.mark.slow
def test_predict_reads_a_large_file_in_little_memory(tmp_path):
    """Twelve times the rows need no more memory than the allocators' noise, some 20 MB.

    Read whole, the large file would need about 400 MB more than the small one.
    """
    if not Path("/proc/self/status").exists():
        pytest.skip("peak memory is read from /proc; ru_maxrss would be that of the parent")
    train = ["train", "t.csv", "--target", "fraud", *COSTS, "--drop", "id", "--no-tune", "-q"]
    payments(300).write_csv(tmp_path / "t.csv")
    learner = ["--learner", "logistic regression, Bayes decision"]
    subprocess.run([*STAKES, *train, *learner], cwd=tmp_path, check=True, capture_output=True)
    peaks = []
    for n in (100_000, 1_200_000):
        payments(n, seed=4).write_csv(tmp_path / "new.csv")
        code = (
            "import sys; sys.argv = ['stakes', 'predict', 'model.skops', 'new.csv']\n"
            "from stakes.cli import main\n"
            "try: main()\n"
            "except SystemExit: pass\n"
            "status = dict(line.split(':') for line in open('/proc/self/status'))\n"
            "print(int(status['VmHWM'].split()[0]) / 1024)"
        )
        out = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        peaks.append(float(out.stdout.split()[-1]))
        assert f"{n:,} decisions" in out.stderr
    assert peaks[1] < peaks[0] + 50, peaks


def test_predict_loads_no_learners_and_no_plots():
    code = (
        "import sys; from stakes.compare import load_decider; "
        "heavy = {'numba', 'matplotlib', 'joblib.parallel', 'stakes.tree', 'stakes.uncertain'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numba" not in done.stdout and "stakes." not in done.stdout
    assert "matplotlib" not in done.stdout
