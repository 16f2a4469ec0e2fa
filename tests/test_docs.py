"""What the documents say is run: Python blocks as doctests, `$ stakes ...` lines as commands."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import stakes

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page, language):
    """The fenced blocks of one language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )


def commands(page):
    """The lines of console blocks that call stakes."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ stakes ")]


WITH_PYTHON = [page for page in PAGES if any(">>>" in block for block in blocks(page, "python"))]
SAID = {page.name: commands(page) for page in PAGES if commands(page)}
# a page whose commands another page begins with is run there
RUN_ELSEWHERE = {
    one
    for one, said in SAID.items()
    for other, more in SAID.items()
    if more[: len(said)] == said and (len(said), one) < (len(more), other)
}


@pytest.mark.jit  # as readers run them
@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python_blocks(page):
    text = "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    failures, tried = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert tried > 0
    assert failures == 0


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(SAID.keys() - RUN_ELSEWHERE))
def test_commands(page, tmp_path):
    for command in SAID[page]:
        words = [sys.executable, "-m", "stakes", *shlex.split(command)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!http)([^)#]+)", page.read_text())
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_api_reference_lists_every_folder():
    listed = set(
        re.findall(r"^   stakes\.(\w+)$", (ROOT / "docs/api.rst").read_text(), re.MULTILINE)
    )
    folders = set(stakes.__all__) - {"__version__", "base", "cli"}
    assert folders <= listed


def test_every_mistake_names_a_test_that_is_there():
    """Or says that it is a matter of wording: no test."""
    page = (ROOT / "docs/errata.md").read_text()
    entries = re.findall(r"^(?:- .*|## .*\n(?=\w).*)(?:\n(?!- |## |$).*)*", page, re.MULTILINE)
    assert len(entries) > 40
    missing = []
    for entry in entries:
        file, found = None, 0
        for path, name in re.findall(r"`(?:(tests/[\w/]+\.py)::)?(test_\w+)`", entry):
            file = path or file
            found += 1
            if file is None or f"\ndef {name}(" not in (ROOT / file).read_text():
                missing.append(name)
        if not found and "no test" not in entry:
            missing.append(entry)
    assert missing == []
