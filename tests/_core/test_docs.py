"""Shared paragraphs of docstrings."""

import importlib
import inspect
import pkgutil
import re

from numpydoc.docscrape import FunctionDoc
from sklearn.utils.metaestimators import available_if

import stakes
from stakes._core.docs import COSTS, documented

PARTS = {"rate": "rate : float\n    Step size.\n[more]\n", "more": "more : int\n    Others.\n"}


@documented(PARTS)
class Example:
    """Have parts.

    Parameters
    ----------
    [rate]
    [unknown]
    """

    def fit(self, X):
        """Fit.

        Parameters
        ----------
        X : array
            Rows.
        [fit_costs]
            Two classes only.
        """

    @classmethod
    def build(cls):
        """Build.

        [more]
        """

    @available_if(lambda self: True)
    def guess(self):
        """Guess.

        [more]
        """


@documented()
def loss(y):
    """Lose.

    Parameters
    ----------
    [metric_costs]
    [sample_weight]

    Returns
    -------
    float
    """


def test_a_part_takes_the_indentation_of_its_line():
    lines = inspect.getdoc(Example).split("\n")
    assert lines[4:] == ["rate : float", "    Step size.", "more : int", "    Others.", "[unknown]"]


def test_methods_are_filled():
    costs = FunctionDoc(Example.fit)["Parameters"][1]
    assert costs.name == "fp_cost, fn_cost, tp_cost, tn_cost"
    assert costs.desc[-1] == "Two classes only."
    assert "more : int" in Example.build.__doc__
    assert "more : int" in Example.guess.__doc__
    assert "more : int" in Example().guess.__doc__


def test_a_function_is_filled():
    names = [found.name for found in FunctionDoc(loss)["Parameters"]]
    assert names == ["fp_cost, fn_cost, tp_cost, tn_cost", "sample_weight"]


def test_no_line_is_too_long():
    deepest = [8 + len(line) for text in COSTS.values() for line in text.split("\n")]
    assert max(deepest) <= 100


def test_no_placeholder_is_left():
    """A class or function whose docstring has a `[name]` line must be decorated."""
    left = []
    for found in pkgutil.walk_packages(stakes.__path__, "stakes."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for thing in vars(module).values():
            if getattr(thing, "__module__", None) == found.name:
                inside = vars(thing).values() if inspect.isclass(thing) else ()
                docs = [getattr(one, "__doc__", None) for one in (thing, *inside)]
                left += [thing for doc in docs if doc and re.search(r"(?m)^ *\[[a-z_]+\]$", doc)]
    assert left == []
