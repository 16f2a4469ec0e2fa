"""How the site is built: `python3 tasks.py docs`, offline, warnings as errors."""

import sys
from pathlib import Path

import stakes

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "stakes"
author = "The stakes developers"
copyright = "the stakes developers, BSD-3-Clause"
version = release = stakes.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "_templates", "gallery/**/*.ipynb", "gallery/**/*.py"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False  # the public names of a folder are its __all__
autosummary_imported_members = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # autodoc lists them, with their text

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "abort_on_example_error": True,
    "show_memory": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "stakes"
html_static_path = ["_static"]
html_css_files = ["stakes.css"]
html_show_sourcelink = False
html_math_renderer = "mathml"
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 4,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}


def own_members(app, what, name, obj, skip, options):
    """Leave out what a class inherits from scikit-learn: its own site documents that."""
    return True if str(getattr(obj, "__module__", "")).startswith("sklearn") else None


def setup(app):
    """Connect the one hook of this file."""
    app.connect("autodoc-skip-member", own_members)
