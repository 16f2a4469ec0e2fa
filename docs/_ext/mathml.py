"""Formulas as MathML, which browsers show by themselves: no script, no network."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

log = logging.getLogger(__name__)
SPELLINGS = {  # what docutils does not read, in words that it does
    r"\\(t?)frac(\d)(\d)": r"\\\1frac{\2}{\3}",
    r"\\iff\b": r"\\Longleftrightarrow",
    r"\\dots\b": r"\\ldots",
    r"\\Big(?=[(\\|)])": r"\\Bigl",
}


def mathml(node, **options):
    """The formula, or a warning that names it."""
    tex = node.astext()
    for pattern, spelling in SPELLINGS.items():
        tex = re.sub(pattern, spelling, tex)
    try:
        return tex2mathml(tex, **options)
    except MathError as error:
        log.warning("%s: %s", error, tex, location=node)
        return ""


def inline(writer, node):
    """A formula within a sentence."""
    writer.body.append(mathml(node))
    raise nodes.SkipNode


def display(writer, node):
    """A formula on lines of its own."""
    writer.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Offer the renderer that `html_math_renderer` names."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True}
