"""Every task of the project, each with its own set-up: needs Python >= 3.11 and pip, nothing else.

    python3 tasks.py demo            the main job on embedded real data; ends with the report's path
    python3 tasks.py test            lint, the full suite, the compiled loops as Python, the site
    python3 tasks.py test --quick    lint and the quick lane only
    python3 tasks.py bench [NAME]    ratios against named peers, in one run
    python3 tasks.py lint            ruff, formatting, import order of the folders
    python3 tasks.py cover           the whole suite with the JIT off: which lines no test runs
    python3 tasks.py study           what the stored money study lacks; --learners NAME, --fresh
    python3 tasks.py fuzz            damaged files and arrays in child processes, --minutes N
    python3 tasks.py crash           a service killed again and again under load, --kills N
    python3 tasks.py cluster         the tests on Spark and Ray, in a large environment of their own
    python3 tasks.py package         wheel and sdist, installed fresh with the oldest dependencies
    python3 tasks.py docs            build the site, offline, warnings as errors; ends with its path

The first call makes `.venv` and installs the project into it; later calls reuse it until
`pyproject.toml` changes.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # two workers share the cores
PINNED_MTIME = 1_700_000_000  # numba's cache looks at mtimes, and a clone makes them new


def jit_sources():
    """All files with compiled loops."""
    return sorted((ROOT / "src").rglob("*_jit*.py")) + sorted(
        (ROOT / "src/stakes/_core/jit").glob("*.py")
    )


def digest(paths, length=16):
    """Hash of the contents of some files."""
    sha = hashlib.sha256()
    for path in paths:
        sha.update(path.read_bytes())
    return sha.hexdigest()[:length]


def environment(**extra):
    """The variables of a child process: numba's cache keyed by the compiled sources."""
    for path in jit_sources():
        os.utime(path, (PINNED_MTIME, PINNED_MTIME))
    cache = ROOT / ".cache" / "numba" / digest(jit_sources())
    env = dict(os.environ, NUMBA_CACHE_DIR=str(cache), PYTHONHASHSEED="0", MPLBACKEND="Agg")
    return env | extra


def run(*command, **extra):
    """Run one command of the environment, and stop with its exit code if it fails."""
    print("+", *command, flush=True)
    code = subprocess.call([str(part) for part in command], cwd=ROOT, env=environment(**extra))
    if code:
        sys.exit(code)


def set_up():
    """Make the virtual environment and install the project, once for each pyproject.toml."""
    stamp, key = VENV / "installed", digest([ROOT / "pyproject.toml"])
    if stamp.exists() and stamp.read_text() == key:
        return
    print("setting up .venv (once; a minute or two)", flush=True)
    venv.create(VENV, with_pip=True, clear=True)
    run(BIN / "python", "-m", "pip", "install", "--quiet", "--editable", ".[test,docs]")
    stamp.write_text(key)


def lint():
    """Ruff, its formatter, the order of the folders, and the types of the public names."""
    run(BIN / "ruff", "check", ".")
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "lint-imports")
    run(BIN / "mypy")


def changelog():
    """What a release would write into the changelog, to see that it can."""
    run(BIN / "towncrier", "build", "--draft", "--version", "0.1.0")


def test(*args):
    """The suite: lint, the full lane, the folders with compiled loops as Python, the releases."""
    lint()
    if "--quick" in args:
        pytest("-m", "not slow", *(a for a in args if a != "--quick"))
        return
    pytest(*args)
    cover(*compiled_folders())
    docs()
    package()
    changelog()


def pytest(*args, **extra):
    """Run tests in two processes with one thread each."""
    command = [BIN / "python", "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal"]
    run(*command, *args, **ONE_THREAD, **extra)


def cover(*folders):
    """Run tests with the JIT off and print the lines that none of them reached; all by default.

    Coverage sees compiled loops only as Python, so CI does this for the folders that have some.
    """
    code = [f"--cov=stakes.{folder}" for folder in folders] or ["--cov"]
    tests = [ROOT / "tests" / folder for folder in folders]
    skipped = ["-m", "not slow and not jit"]
    pytest(*tests, *skipped, *code, "--cov-report=term", NUMBA_DISABLE_JIT="1")


def compiled_folders():
    """The folders of the package with compiled loops."""
    return sorted({path.relative_to(ROOT / "src" / "stakes").parts[0] for path in jit_sources()})


def package():
    """Build the sdist, the wheel from it, and test the wheel with the oldest dependencies.

    The environment is new and holds nothing else, so the metadata must be complete; the versions
    are the lowest that pyproject.toml promises. The newest are those of `.venv`.
    """
    dist, fresh = ROOT / ".cache" / "dist", ROOT / ".cache" / "oldest"
    shutil.rmtree(dist, ignore_errors=True)
    run(BIN / "python", "-m", "build", "--outdir", dist)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = [re.sub(r">=(\d+(?:\.\d+)?)$", r"==\1.*", one) for one in project["dependencies"]]
    venv.create(fresh, with_pip=True, clear=True)
    python = fresh / BIN.name / "python"
    (wheel,) = dist.glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", *oldest, f"stakes @ {wheel.as_uri()}", "pytest")
    settings = ["-p", "no:cacheprovider", "--rootdir", dist, "--noconftest", "-c", os.devnull]
    run(python, "-m", "pytest", "-q", *settings, ROOT / "tests" / "test_smoke.py", **ONE_THREAD)


def demo(*args):
    """Say which decision loses least money on German credit."""
    run(BIN / "stakes", "compare", "german", "--out", "stakes-report", *args)


def docs():
    """Build the site with its gallery; any warning ends it."""
    site = ROOT / "docs" / "_build" / "html"
    build = ["-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2"]
    run(BIN / "python", *build, "docs", site, **ONE_THREAD)
    print(f"Site: {site.relative_to(ROOT)}/index.html")


def study(*args):
    """Run the fits that the stored money study lacks; store its page, its rows and its record.

    `--learners NAME` adds learners; with `--fresh` their rows replace the stored ones.
    """
    page, record = ROOT / "docs" / "study", ROOT / "src" / "stakes" / "study" / "data"
    run(BIN / "stakes", "study", "--page", page, *args, **ONE_THREAD)
    (page / "study.json").replace(record / "study.json")


def bench(*args):
    """Print the tables of benchmarks/: time and memory as ratios against named peers."""
    run(BIN / "python", "-m", "benchmarks", *args)


def cluster(*args):
    """The tests that need Spark and Ray; `cluster bench scale` runs a benchmark next to them.

    They are too large for `.venv`, where these tests skip: PySpark alone is a download of 450 MB.
    """
    home = ROOT / ".cache" / "cluster"
    stamp, key = home / "installed", digest([ROOT / "pyproject.toml"])
    python = home / BIN.name / "python"
    if not stamp.exists() or stamp.read_text() != key:
        venv.create(home, with_pip=True, clear=True)
        wanted = (".[test,spark]", "ray", "joblibspark")
        run(python, "-m", "pip", "install", "--quiet", "--editable", *wanted)
        stamp.write_text(key)
    if args[:1] == ("bench",):
        run(python, "-m", "benchmarks", *args[1:])
        return
    tests = ["tests/scale/test_spark.py", "tests/compare/test_backends.py"]
    run(python, "-m", "pytest", "-q", "-rs", *tests, *args, **ONE_THREAD)


def fuzz(*args):
    """Damaged model files, tables, events and arrays, each in a child process: --minutes N."""
    paths = os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])
    run(BIN / "python", "-m", "fuzz", *args, PYTHONPATH=paths, **ONE_THREAD)


def crash(*args):
    """Kill a service under load, on both stores, and check that nothing is lost: --kills N."""
    paths = os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])
    run(BIN / "python", "-m", "serve.crashes", *args, PYTHONPATH=paths, **ONE_THREAD)


TASKS = (demo, test, cover, cluster, bench, lint, docs, package, study, fuzz, crash)


def main():
    """Read the task's name and run it."""
    tasks = {task.__name__: task for task in TASKS}
    if len(sys.argv) < 2 or sys.argv[1] not in tasks:
        sys.exit(__doc__)
    set_up()
    tasks[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
