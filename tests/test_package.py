"""The package as a whole: lazy imports, folders that only use each other's public names."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import stakes

SOURCE = Path(__file__).parents[1] / "src" / "stakes"
FILES = sorted(SOURCE.rglob("*.py"))


def test_import_is_lazy():
    code = (
        "import stakes, sys; print([m for m in ('sklearn', 'numba', 'numpy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_unknown_name_is_named():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = stakes.nothing
    assert "costs" in dir(stakes)
    assert stakes.costs.Costs


def test_every_public_folder_is_reached_from_the_package():
    code = (
        "import pkgutil, stakes;"
        "print([m.name for m in pkgutil.iter_modules(stakes.__path__)"
        " if m.name[0] != '_' and not hasattr(stakes, m.name)])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def private_imports(path):
    """Private modules and names of other folders that a file imports, `_core` excepted."""
    folder = path.relative_to(SOURCE).parts[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("stakes"):
            continue
        parts = node.module.split(".")[1:]
        if parts[:1] in ([folder], ["_core"]):
            continue
        names = [alias.name for alias in node.names if alias.name not in ("__version__", "_core")]
        if any(part.startswith("_") for part in parts + names):
            yield f"from {node.module} import {', '.join(names)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_private_name_crosses_a_folder(path):
    assert list(private_imports(path)) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_are_short(path):
    assert len(path.read_text().splitlines()) <= 400
