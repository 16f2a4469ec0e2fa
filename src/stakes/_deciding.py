"""The estimator that decides, inside searches and pipelines, and how costs reach it."""

import inspect

from scipy import sparse

from stakes._sklearn import num_samples, safe_indexing

# a miss of one class is a false alarm of the other
_OF_THE_OTHER_CLASS = {
    "fp_cost": "fn_cost",
    "fn_cost": "fp_cost",
    "tp_cost": "tn_cost",
    "tn_cost": "tp_cost",
}


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
            # the samplers of imbalanced-learn act in fit only
            before += [
                step
                for _, step in estimator.steps[:-1]
                if step not in (None, "passthrough") and not hasattr(step, "fit_resample")
            ]
            estimator = estimator.steps[-1][1]
        else:
            return estimator, before


def takes_costs(estimator, method="predict"):
    """Whether a method of the deciding step has the four cost arguments."""
    decider, _ = final_step(estimator)
    function = getattr(decider, method, None)
    return function is not None and "fp_cost" in inspect.signature(function).parameters


def predict_with_costs(estimator, X, *, pos_label=None, **costs):
    """Call `predict` so that the costs reach the step that decides.

    Goes through fitted searches and pipelines by hand, since those pass costs on only when
    metadata routing is on. An estimator that takes no costs, or that has no probabilities to weigh
    them with, is asked without them. The costs are those of `pos_label`; `predict` takes those of
    `classes_[1]`, so they are turned round where that is the other class.
    """
    if not takes_costs(estimator) or not hasattr(estimator, "predict_proba"):
        return estimator.predict(X)
    decider, before = final_step(estimator)
    for step in before:
        X = step.transform(X)
    if pos_label is not None and decider.classes_[0] == pos_label:
        costs = {_OF_THE_OTHER_CLASS[name]: cost for name, cost in costs.items()}
    return decider.predict(X, **costs)


def row_count(X):
    """How many rows a table of any accepted kind has."""
    return num_samples(X)


def take_rows(X, rows):
    """Some rows, in their order, of a table of any accepted kind; all of them: the table itself."""
    if len(rows) == row_count(X):
        return X
    return safe_indexing(X.tocsr() if sparse.issparse(X) else X, rows)
