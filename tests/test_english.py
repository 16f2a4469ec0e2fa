"""Messages, help, docstrings and pages in plain English: the words on the house's list stay out."""

import ast
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "stakes").rglob("*.py"))
TEMPLATES = sorted((ROOT / "src" / "stakes").rglob("*.j2"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "changelog.d").glob("*.md")),
]
PAGES = [page for page in PAGES if "_build" not in page.parts]

# what to write instead stands in CONTRIBUTING.md
WORDS = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bdear(er|est|ly)?\b": "expensive, costs more",
    r"\bcostlier\b": "more expensive",
    r"\b(un)?learnt\b": "learned",
    r"\bbeside\b": "next to, in addition to",
    r"\btold\b": "reported, named, distinguished",
    r"\btell(s|ing)? (them |it )?apart\b": "distinguish",
    r"\bgo(es)? on (where|from|with)\b": "resume, continue",
    r"\bthe same command goes on\b": "run the same command again to resume",
    r"\bfor want of\b": "because there is not enough",
    r"\bone (and the same )?answer for all\b": "a constant policy",
    r"\bso many\b": "say how many",
    r"\bmachine refused\b": "System error",
    r"\btoo large to be squared\b": "values whose squares overflow",
    r"\b(a|of) trivial polic(y|ies)\b|\btrivial polic(y|ies)\b": "constant policy",
    r"\bwhereof\b|\bthereof\b|\bwherein\b": "of which, in which",
    r"\bgot(ten)? past\b": "evade",
    r"\bby and by\b|\banew\b|\bnay\b|\blest\b": "gradually, again",
    r"\bis wanting\b|\bare wanting\b": "is missing",
    r"\ba word (on|about)\b": "a note on",
    r"\bin a sentence\b|\bends? in (a|one) sentence\b|\ba sentence (where|if)\b": "a clear error",
    r"\bpassed over\b": "ignored, skipped",
    r"\bgiven up\b": "dropped",
    r"\bpretend(s)? that\b": "simulate",
}
BANNED = re.compile("|".join(f"(?:{word})" for word in WORDS), re.IGNORECASE)
BRITISH = re.compile(
    r"\b\w*(?:(?:inim|axim|ormal|egular|ptim|enal|tandard|ummar)is(?:e|ed|es|er|ing|ation)"
    r"|neighbour|colour|flavour|favour|labelled|centre|programme)\w*",
    re.IGNORECASE,
)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def spoken(path):
    """(line, text) of every string and comment of a Python file."""
    with open(path, "rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for i, line in enumerate(node.value.split("\n")):
                yield node.lineno + i, line


def offences(path):
    """Each offending place of a file as `path:line: ... word ...`."""
    if path.suffix == ".py":
        lines = spoken(path)
    else:
        text = CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), path.read_text())
        lines = enumerate(text.split("\n"), start=1)
    for number, line in lines:
        for found in BANNED.finditer(line):
            yield f"{path.relative_to(ROOT)}:{number}: {found[0]!r} in {line.strip()!r}"


@pytest.mark.parametrize(
    "path", [*SOURCES, *TEMPLATES, *EXAMPLES, *PAGES], ids=lambda p: str(p.relative_to(ROOT))
)
def test_plain_english(path):
    assert list(offences(path)) == []


# pages that are written by hand: those in folders of docs/ are stored results
WRITTEN = [page for page in PAGES if page.parent in (ROOT, ROOT / "docs", ROOT / "changelog.d")]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_spelling_is_american(page):
    assert BRITISH.findall(CODE.sub("", page.read_text())) == []


def test_the_list_finds_what_it_should():
    assert len(BANNED.findall("It was learnt, beside others, so many times.")) == 3
    assert not BANNED.search("It was learned, next to others, many times.")
    assert BRITISH.findall("The minimiser is the nearest neighbour.") == ["minimiser", "neighbour"]
    assert not BRITISH.search("The minimizer is an optimistic neighbor.")
