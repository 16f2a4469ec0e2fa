"""How large the code is: `python -m benchmarks.code_size [folder]`, src/stakes by default.

Prints the files, the lines of code (neither blank, comment nor docstring) and the comments of each
folder, the longest file, the longest functions, and those with the most branches. A folder of
another commit, from `git worktree add`, compares two states. docs/architecture.md uses the numbers.
"""

import ast
import io
import sys
import tokenize
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.comprehension)


class Size(NamedTuple):
    """What was counted in one file or in several."""

    files: int = 0
    lines: int = 0
    code: int = 0
    comments: int = 0

    def __add__(self, other):
        return Size(*(a + b for a, b in zip(self, other, strict=True)))


class Function(NamedTuple):
    """One function: its lines of code, without decorators, and its branches plus one."""

    code: int
    complexity: int
    name: str


def measure(path):
    """Size of a file, and its functions."""
    text = path.read_text()
    tree = ast.parse(text)
    tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    layout = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    code = {
        line
        for token in tokens
        if token.type not in layout | {tokenize.COMMENT}
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and ast.get_docstring(node):
            code -= lines_of(node.body[0])
    comments = sum(token.type == tokenize.COMMENT for token in tokens)
    functions = [
        Function(
            len(code & {*range(node.lineno, node.end_lineno + 1)}), complexity(node), node.name
        )
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS)
    ]
    return Size(1, len(text.splitlines()), len(code), comments), functions


def lines_of(node):
    """Numbers of the lines of a node."""
    return {*range(node.lineno, node.end_lineno + 1)}


def complexity(function):
    """Cyclomatic complexity: one, and one for each branch, loop and further operand of and / or."""
    inner = [*ast.walk(function)]
    operands = sum(len(node.values) - 1 for node in inner if isinstance(node, ast.BoolOp))
    return 1 + operands + sum(isinstance(node, BRANCHES) for node in inner)


def main(root):
    """Print the table of the folders, then the extremes."""
    sizes, functions, longest = defaultdict(Size), [], (0, None)
    for path in sorted(root.rglob("*.py")):
        size, found = measure(path)
        inside = path.relative_to(root)
        sizes[inside.parts[0] if len(inside.parts) > 1 else "(top)"] += size
        functions += [one._replace(name=f"{inside}: {one.name}") for one in found]
        longest = max(longest, (size.lines, str(inside)))
    print(f"{'folder':14} {'files':>6} {'lines':>7} {'code':>7} {'comments':>9}")
    for folder, size in [*sorted(sizes.items()), ("all", sum(sizes.values(), Size()))]:
        print("{:14} {:6,} {:7,} {:7,} {:9,}".format(folder, *size))
    print("longest file: {1}, {0} lines".format(*longest))
    for title, key in (("longest", None), ("most branches", lambda one: one.complexity)):
        for code, branches, name in sorted(functions, key=key, reverse=True)[:3]:
            print(f"{title}: {name}, {code} lines of code, complexity {branches}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["src/stakes"]))
