"""The contestants of a comparison with more than two classes or with actions of their own."""

from dataclasses import replace

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.utils import get_tags

from stakes._core.deciding import final_step
from stakes.compare._contestants import Contestant, baselines, find_contestant, library
from stakes.compare._contestants import contestants as two_class_contestants
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.tree import ConfidenceForestClassifier


def class_contestants(names, data):
    """The contestants for a :class:`~stakes.tables.ClassData`.

    One constant policy per decision; the baselines with the decision of least expected cost, and,
    where the decisions are the classes, with the most probable class; of the library the forest,
    or the learners that were asked for, if they give probabilities of many classes.

    Parameters
    ----------
    names : str, or sequence of str or Contestant, or None
        As in :func:`stakes.compare.contestants`.
    data : ClassData
        The data set.

    Returns
    -------
    (list of Contestant, list of str)
        The contestants, and sentences about those that cannot take part.
    """
    constant = [
        Contestant(f"always {action}", "constant", DummyClassifier(), speed="quick")
        for action in data.actions
    ]
    if names is None:
        asked = [find_contestant(ConfidenceForestClassifier.__name__)]
    else:
        asked = [
            c
            for c in two_class_contestants(names)
            if c.family not in ("constant", "baseline") or any(c is one for one in names)
        ]
    found = [c for c in baselines() if c.family != "constant"]
    if not data.decides_classes:
        found = [c for c in found if isinstance(c.estimator, BayesDecisionClassifier)]
    able = [c for c in asked if _takes_many(c)]
    refused = [
        f"{c.name} was skipped on {data.name}: it does not predict probabilities of more than two "
        "classes."
        for c in asked
        if c not in able
    ]
    return [*constant, *(_for_classes(c, data) for c in [*found, *able])], refused


def find_class_contestant(name, data):
    """The one contestant of a name, as :func:`stakes.compare.find_contestant`."""
    known, _ = class_contestants([], data)
    for one in known:
        if one.name == name:
            return one
    contestant = find_contestant(name)
    if not _takes_many(contestant):
        able = [entry.name for entry in library() if _takes_many(entry.build())]
        raise InputError(
            f"{contestant.name} does not predict probabilities of more than two classes; choose "
            f"one of {', '.join([*able, *(c.name for c in known if c.family == 'baseline')])}."
        )
    return _for_classes(contestant, data)


def decide_classes(contestant, model, data):
    """Numbers of the decisions about the rows, and the probabilities of all classes.

    Returns
    -------
    (ndarray of shape (n,), ndarray of shape (n, k))
    """
    if contestant.family == "constant":
        action = data.actions.index(contestant.name.removeprefix("always "))
        none = np.full((len(data), len(data.classes)), np.nan)
        return np.full(len(data), action, dtype=np.int64), none
    decider, before = final_step(model)
    X = data.X
    for step in before:
        X = step.transform(X)
    probabilities = np.asarray(decider.predict_proba(X), dtype=np.float64)
    if isinstance(decider, BayesDecisionClassifier):
        return data.as_costs().decide(probabilities).astype(np.int64), probabilities
    return probabilities.argmax(axis=1).astype(np.int64), probabilities


def _takes_many(contestant):
    inner = contestant.estimator
    if isinstance(inner, BayesDecisionClassifier):
        inner = inner.estimator
    many = get_tags(inner).classifier_tags.multi_class
    return many and hasattr(inner, "predict_proba") and not contestant.as_is


def _for_classes(contestant, data):
    """The contestant with the decision of least expected cost among the actions."""
    name, estimator, grid = contestant.name, contestant.estimator, contestant.grid
    if name.endswith(" at 0.5"):
        return replace(contestant, name=f"{name.removesuffix(' at 0.5')}, most probable class")
    if not isinstance(estimator, BayesDecisionClassifier):
        estimator = BayesDecisionClassifier(estimator)
        grid = {f"estimator__{key}": values for key, values in grid.items()}
    if not data.decides_classes:  # by number
        estimator = estimator.set_params(actions=list(range(len(data.actions))))
    return replace(contestant, estimator=estimator, grid=grid)
