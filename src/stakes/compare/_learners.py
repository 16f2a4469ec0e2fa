"""All learners of the library, found by looking: a new one needs no registration."""

import importlib
import inspect

from sklearn.base import BaseEstimator

FAMILIES = (
    "online",
    "online_kernel",
    "svm",
    "uncertain",
    "tree",
    "neighbors",
    "qmean",
    "sampling",
    "game",
)


def all_estimators(folders=("decision", *FAMILIES)):
    """Public estimator classes of the library, as sorted (name, class) pairs.

    Parameters
    ----------
    folders : sequence of str, default=all
        Which folders to look in.

    Examples
    --------
    >>> all(issubclass(learner, BaseEstimator) for _, learner in all_estimators())
    True
    """
    found = {}
    for folder in folders:
        module = importlib.import_module(f"stakes.{folder}")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
                found[name] = thing
    return sorted(found.items())
