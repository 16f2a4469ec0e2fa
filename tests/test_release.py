"""What a release needs says the same everywhere."""

import re
import tomllib
from pathlib import Path

import stakes

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_recipe_has_the_dependencies_of_the_project():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    listed = re.findall(r"^    - (\S+) (\S+)$", run, re.MULTILINE)
    found = {name.removesuffix("-base") + version for name, version in listed if name != "python"}
    assert found == set(PROJECT["dependencies"])
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in recipe


def test_the_next_version_is_the_same_everywhere():
    (version,) = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert stakes.__version__.split(".dev")[0] == version
    assert f"  version: {version}\n" in (ROOT / "recipe" / "recipe.yaml").read_text()


def test_every_fragment_is_one_that_the_changelog_collects():
    names = [path.name for path in (ROOT / "changelog.d").iterdir()]
    fragments = [name for name in names if name not in ("README.md", "template.md.jinja")]
    assert [n for n in fragments if not re.fullmatch(r"[\w-]+\.(added|changed|fixed)\.md", n)] == []


def test_the_lowest_versions_can_be_pinned():
    """As `tasks.py package` does for the lane of the oldest dependencies."""
    assert all(re.fullmatch(r"[\w-]+>=\d+(\.\d+)?", one) for one in PROJECT["dependencies"])
