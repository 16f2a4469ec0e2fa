"""All learners of the library, found by looking, and learners by name: no registration needed."""

import importlib
import inspect
import re

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from stakes.errors import InputError, near_matches

FAMILIES = (
    "online",
    "online_kernel",
    "online_forest",
    "svm",
    "uncertain",
    "tree",
    "neighbors",
    "qmean",
    "sampling",
    "game",
)
_SUFFIX = re.compile(r"(?<=\w)(Classifier|SVC|Detector)(?=$|,)", re.IGNORECASE)
_PREFIX = re.compile(r"^Stream(?=\w)", re.IGNORECASE)


def all_estimators(folders=("decision", *FAMILIES)):
    """Public estimator classes of the library, as sorted (name, class) pairs.

    Parameters
    ----------
    folders : sequence of str, default=all
        Folders to look in.

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
            if not inspect.isclass(thing) or issubclass(thing, Pipeline):
                continue  # a pipeline is no learner of its own
            if issubclass(thing, BaseEstimator):
                found[name] = thing
    return sorted(found.items())


def find_learner(name, method="fit"):
    """The learner class of a name, written in any way that :func:`match_name` accepts.

    Parameters
    ----------
    name : str
        A class name, with or without its suffix.
    method : str, default="fit"
        Consider only learners with this method.

    Examples
    --------
    >>> find_learner("probit").__name__, find_learner("cw-cvar").__name__
    ('ProbitClassifier', 'CWCVaRClassifier')
    """
    found = {}
    for folder in FAMILIES:  # stops at the first match: importing all families takes seconds
        here = {n: one for n, one in all_estimators([folder]) if hasattr(one, method)}
        if matches := _matches(name, here):
            return here[matches[0]]
        found |= here
    return found[match_name(name, found)]


def seeded(learner, **parameters):
    """A learner of this class; what it draws is the same in every run, unless a seed is given.

    Streams and services use it: the same events give the same decisions, also after a restart.

    Examples
    --------
    >>> seeded(find_learner("kernel-features"), gamma=0.1)
    KernelFeaturesClassifier(gamma=0.1, random_state=0)
    """
    if "random_state" in learner._get_param_names():
        parameters = {"random_state": 0} | parameters
    return learner(**parameters)


def match_name(name, names):
    """The one of `names` that `name` means: any case, dashes ignored, the suffix optional.

    Parameters
    ----------
    name : str
        What the user typed.
    names : iterable of str
        Names of learners, "Classifier", "SVC" or "Detector" at the end of the class name.

    Raises
    ------
    InputError
        If there is none, with names that are similar.

    Examples
    --------
    >>> match_name("cost-sensitive", ["CostSensitiveSVC", "LinearCostSensitiveSVC"])
    'CostSensitiveSVC'
    """
    names = list(names)
    if matches := _matches(name, names):
        return matches[0]
    hint = near_matches(name, dict.fromkeys(_SUFFIX.sub("", one) for one in names))
    if not hint.startswith("did you mean"):
        hint = near_matches(name, names)
    raise InputError(f"No learner is called {name!r}: {hint}")


def _matches(name, names):
    """Names that are spelled so, best first: in full, without the suffix, and without "Stream"."""
    if name in names:
        return [name]
    key = _folded(name)
    full = [one for one in names if _folded(one) == key]
    bare = {one: _SUFFIX.sub("", one) for one in names}
    without = [one for one in names if _folded(bare[one]) == key]
    return full or without or [one for one in names if _folded(_PREFIX.sub("", bare[one])) == key]


def _folded(name):
    return re.sub(r"[-_\s]", "", name).casefold()
