"""The package as a whole: lazy, and in the order of its folders."""

import subprocess
import sys


def test_import_is_lazy():
    code = (
        "import stakes, sys; print([m for m in ('sklearn', 'numba', 'numpy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_unknown_name_is_named():
    import pytest

    import stakes

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
