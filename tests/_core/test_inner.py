"""Loops without an entry from Python are only called by compiled code: other calls would crash."""

import ast
from pathlib import Path

import stakes

ROOT = Path(stakes.__file__).parents[2]


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "src" else parts)


def is_compiled(node):
    return isinstance(node, ast.FunctionDef) and any(
        "njit" in ast.unparse(one) for one in node.decorator_list
    )


def is_choice(node):
    """Whether this is `name = by_layout(loop, ...)`: one of the loops, by the type of the store."""
    return isinstance(node, ast.Assign) and ast.unparse(node.value).startswith(
        ("by_layout(", "with_limit(")
    )


def chosen_loops(tree):
    """The functions that such choices compile."""
    return {
        one.id
        for node in tree.body
        if is_choice(node)
        for one in node.value.args
        if isinstance(one, ast.Name)
    }


def names_used(node, known, own, chosen=frozenset()):
    """What a file refers to outside of compiled functions, as (module, name)."""
    for child in ast.iter_child_nodes(node):
        if is_compiled(child) or is_choice(child):
            continue
        if isinstance(child, ast.FunctionDef) and child.name in chosen:
            continue
        if isinstance(child, ast.Name):
            yield known.get(child.id, (own, child.id))
        if isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name):
            yield ".".join(known.get(child.value.id, (own, child.value.id))), child.attr
        yield from names_used(child, known, own, chosen)


def calls_from_python(files):
    """Inner loops, and those of them that code outside of compiled functions refers to."""
    inner, used = set(), set()
    for path, text in files.items():
        tree, own, known = ast.parse(text), module_of(path), {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                known |= {one.asname or one.name: (node.module, one.name) for one in node.names}
            if is_compiled(node) and "INNER" in ast.unparse(node.decorator_list[0]):
                inner.add((own, node.name))
                if ">>>" in (ast.get_docstring(node) or ""):
                    used.add((own, node.name))
            if is_choice(node):
                inner.add((own, node.targets[0].id))
        chosen = chosen_loops(tree)
        inner |= {(own, name) for name in chosen}
        used |= set(names_used(tree, known, own, chosen))
    return inner, inner & used


def test_python_calls_no_inner_loop():
    folders = [ROOT / name for name in ("src", "tests", "benchmarks", "examples")]
    files = {path: path.read_text() for folder in folders for path in folder.rglob("*.py")}
    inner, called = calls_from_python(files)
    assert len(inner) > 100
    assert not called


def test_a_call_is_found():
    loop = "@njit(**INNER)\ndef add(a, b):\n    return a + b\n"
    caller = "from stakes.sums import add\n\nprint(add(1, 2))\n"
    files = {ROOT / "src/stakes/sums.py": loop, ROOT / "tests/use.py": caller}
    assert calls_from_python(files)[1] == {("stakes.sums", "add")}


def test_an_example_in_the_docstring_is_a_call():
    loop = '@njit(**INNER)\ndef one():\n    """One.\n\n    >>> one()\n    1\n    """\n'
    assert calls_from_python({ROOT / "src/stakes/sums.py": loop})[1] == {("stakes.sums", "one")}


def test_a_call_of_a_chosen_loop_is_found():
    loops = "def one(S):\n    return add(S)\n\n\npick = by_layout(one, one)\n"
    caller = "from stakes.sums import pick\n\nprint(pick(1))\n"
    files = {ROOT / "src/stakes/sums.py": loops, ROOT / "tests/test_sums.py": caller}
    inner, called = calls_from_python(files)
    assert inner == {("stakes.sums", "one"), ("stakes.sums", "pick")}
    assert called == {("stakes.sums", "pick")}
