"""The estimator that decides, inside searches and pipelines, and how costs reach it."""

import inspect

from scipy import sparse

from stakes._sklearn import num_samples, safe_indexing


def final_step(estimator):
    """The estimator that decides inside searches and pipelines, and what is run before it.

    Returns
    -------
    (estimator, list of transformers)
    """
    before = []
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps") and hasattr(estimator, "named_steps"):
            before += [
                step for _, step in estimator.steps[:-1] if step not in (None, "passthrough")
            ]
            estimator = estimator.steps[-1][1]
        else:
            return estimator, before


def takes_costs(estimator, method="predict"):
    """Whether a method of the deciding step has the four cost arguments."""
    decider, _ = final_step(estimator)
    function = getattr(decider, method, None)
    return function is not None and "fp_cost" in inspect.signature(function).parameters


def predict_with_costs(estimator, X, **costs):
    """Call `predict` so that the costs reach the step that decides.

    Goes through fitted searches and pipelines by hand, since those pass costs on only when
    metadata routing is on. An estimator that takes no costs, or that has no probabilities to weigh
    them with, is asked without them.
    """
    if not takes_costs(estimator) or not hasattr(estimator, "predict_proba"):
        return estimator.predict(X)
    decider, before = final_step(estimator)
    for step in before:
        X = step.transform(X)
    return decider.predict(X, **costs)


def row_count(X):
    """How many rows a table of any accepted kind has."""
    return num_samples(X)


def take_rows(X, rows):
    """Some rows, in their order, of a table of any accepted kind; all of them: the table itself."""
    if len(rows) == row_count(X):
        return X
    return safe_indexing(X.tocsr() if sparse.issparse(X) else X, rows)
