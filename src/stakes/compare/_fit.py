"""One fit: prepare the table, tune on cost inside the training rows, fit, decide, price."""

import time
import warnings
from dataclasses import replace

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from stakes._core.deciding import decide_with_costs, takes_costs
from stakes.compare._contestants import CONSTANT_POLICIES, find_contestant
from stakes.compare._plan import split
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.errors import BelowTrivialWarning, InputError
from stakes.metrics import make_cost_scorer, savings_score
from stakes.risk import conditional_value_at_risk
from stakes.tables import prepare

INNER_FOLDS = 3
POLICY = "constant policy"  # key of the chosen settings where a policy replaced the learner


def fit_one(task, data, contestant, *, folds, tune):
    """Run one task.

    Returns
    -------
    (dict, dict)
        The row of the results file, and the arrays stored with it.
    """
    row = dict(data=task.data, learner=task.learner, repeat=task.repeat, fold=task.fold)
    row |= dict(seed=task.seed, family=contestant.family, settings=contestant.settings)
    if task.at_random:
        data = replace(data, origin=None)
    train_rows, test_rows = split(data, task.seed, task.fold, folds)
    train, test = data.take(train_rows), data.take(test_rows)
    if contestant.train_rows is not None and len(train) > contestant.train_rows:
        train = train.take(_stratified(train.y, contestant.train_rows, task.seed))
    try:
        # one thread per fit: fits run in parallel, and sums must not depend on the thread count
        with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            decided, probability, facts = fit_and_decide(contestant, train, test, task.seed, tune)
    except Exception as error:  # a failed learner is reported in the table; the run continues
        row["error"] = f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"
        return row, {"test_rows": test_rows}
    messages = [f"{w.category.__name__}: {str(w.message).splitlines()[0][:200]}" for w in caught]
    row |= facts | priced(test, decided) | {"warnings": sorted(set(messages))}
    return row, {"test_rows": test_rows, "decided": decided, "probability": probability}


def fit_on_all(name, data, *, random_state=0, tune=True):
    """Fit a contestant on all rows, tuned on cost by inner cross-validation, for deployment.

    Parameters
    ----------
    name : str
        Name of the contestant, as in the report.
    data : PricedData
        Training data.
    random_state : int, default=0
        Seed for everything random.
    tune : bool, default=True
        Whether to search the contestant's grid.

    Returns
    -------
    (Pipeline, dict)
        The fitted model, and the settings that tuning chose.

    Examples
    --------
    >>> from stakes.datasets import load
    >>> model, _ = fit_on_all("logistic regression, Bayes decision", load("german"), tune=False)
    >>> model.named_steps["learner"].classes_.tolist()
    [0, 1]
    """
    contestant = trainable(name, data)
    try:
        model, chosen, _ = fit_contestant(contestant, data, random_state, tune)
    except ValueError as error:
        if "window shape" not in str(error):
            raise
        raise InputError(  # of HistGradientBoosting, in words that do not say so
            f"{contestant.name} cannot be trained on a column that has no value in a fold; drop "
            "columns that are nearly empty."
        ) from None
    if POLICY in chosen:
        policy = CONSTANT_POLICIES[chosen[POLICY]]
        raise InputError(
            f"{contestant.name} lost to the constant policy {policy!r} on held-out rows; name "
            "another learner, or train it without tuning."
        )
    if data.origin is not None:  # folds are of no use to a fitted model
        model.set_params(**dict.fromkeys(_fold_settings(model), 5))
    return model, chosen


def trainable(name, data):
    """The contestant of a name, if it can be trained on these rows.

    Parameters
    ----------
    name : str
        Name of the contestant.
    data : PricedData
        Training data.
    """
    contestant = find_contestant(name, **({"error_bars": True} if data.errors else {}))
    if contestant.family == "constant":
        raise InputError(f"{name!r} is a constant policy and needs no model; name a learner.")
    if contestant.max_rows is not None and len(data) > contestant.max_rows:
        raise InputError(
            f"{contestant.name} takes at most {contestant.max_rows:,} rows and {data.name} has "
            f"{len(data):,}; choose another learner or fewer rows."
        )
    return contestant


def fit_and_decide(contestant, train, test, seed, tune):
    """Fit on the training rows and decide for the test rows, at the costs of the test rows."""
    model, chosen, fit_seconds = fit_contestant(contestant, train, seed, tune)
    if POLICY in chosen:
        warnings.warn(
            f"{contestant.name} lost to a constant policy on held-out training rows; the policy "
            "decides instead.",
            BelowTrivialWarning,
            stacklevel=2,
        )
    start = time.perf_counter()
    decided, probability = decide_with_costs(model, test.X, **test.costs)
    decided = np.asarray(decided) == 1
    if probability is None:
        probability = np.full(len(test), np.nan)
    predict_seconds = time.perf_counter() - start
    facts = dict(
        n_train=len(train),
        n_test=len(test),
        params={key: _plain(value) for key, value in chosen.items()},
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
    )
    return decided, probability, facts


def fit_contestant(contestant, train, seed, tune):
    """Fit a contestant, tuned on cost if it has a grid.

    A learner of the library whose best setting loses to a constant policy on held-out training
    rows is not deployed: the policy is returned in its place, under the key `POLICY`.

    Returns
    -------
    (model, dict, float)
        The model, what was chosen, and the fit time in seconds, including the search of a grid.
    """
    model = build(contestant, train, seed)
    grid = {_nested(key, model): values for key, values in contestant.grid.items()}
    X = train.X if train.origin is None else train.origin.attach(train.X)
    costs = as_arrays(train.costs, len(train))
    start = time.perf_counter()
    with sklearn.config_context(enable_metadata_routing=True):
        if not (tune and contestant.needs_inner_folds and _enough(train.y)):
            model.fit(X, train.y, **(costs if takes_costs(model, "fit") else {}))
            return model, {}, time.perf_counter() - start
        inner = dict(
            scoring=make_cost_scorer(),
            cv=_inner_folds(train, X, seed),
            error_score="raise",
        )
        search = GridSearchCV(model, grid, **inner).fit(X, train.y, **costs)
        # without a grid the search only measures: the learner's own time is that of the refit
        seconds = time.perf_counter() - start if grid else search.refit_time_
        if contestant.guarded:
            policy, score = best_policy(train.y, costs, inner)
            if score > search.best_score_:
                return policy.fit(X, train.y), {POLICY: policy.constant}, seconds
    chosen = {key: search.best_params_[_nested(key, model)] for key in contestant.grid}
    return search.best_estimator_, chosen, seconds


def best_policy(y, costs, inner):
    """The better constant policy, unfitted, and its mean score in the same inner folds."""
    policies = [DummyClassifier(strategy="constant", constant=decision) for decision in (0, 1)]
    X = np.zeros((len(y), 1))
    scores = [cross_val_score(policy, X, y, params=costs, **inner).mean() for policy in policies]
    return policies[int(np.argmax(scores))], max(scores)


def build(contestant, data, seed):
    """The pipeline of a contestant for a table, with every random state set to the seed."""
    learner = clone(contestant.estimator)
    errors = data.errors if contestant.error_bars else None
    encoded = dict(scale=contestant.scale, one_hot=contestant.one_hot, errors=errors)
    calibrated = getattr(learner, "calibration", None) is not None
    if contestant.as_is:
        model = Pipeline([("learner", learner)])
    elif data.origin is not None and calibrated:
        # the folds of the calibration read times and groups from the table, so it is encoded inside
        learner.estimator = prepare(learner.estimator, data, **encoded)
        model = Pipeline([("learner", learner)])
    else:
        model = prepare(learner, data, **encoded)
    if data.origin is not None:
        inner = data.origin.inner_splitter(seed)
        model.set_params(**dict.fromkeys(_fold_settings(model), inner))
    # kinds: those of the whole table, also where a learner prepares tables itself
    values = {"random_state": seed % 2**31, "kinds": data.kinds}
    if data.errors:
        intervals = any(len(parts) == 2 for parts in data.errors.values())
        values["error_form"] = "interval" if intervals else "std"
    given = {name: name.split("__")[-1] for name in model.get_params()}
    return model.set_params(**{n: values[last] for n, last in given.items() if last in values})


def _fold_settings(model):
    """Names of the parameters for inner folds of calibrations and blends."""
    wrappers = BayesDecisionClassifier | BlendClassifier
    parts = model.get_params().items()
    return [f"{name}__cv" for name, part in parts if isinstance(part, wrappers)]


def _nested(key, model):
    """Name in the pipeline of a parameter of the contestant's estimator."""
    key = f"{model.steps[-1][0]}__{key}"
    inner = "learner__estimator__"
    within = isinstance(getattr(model.steps[-1][1], "estimator", None), Pipeline)
    return key.replace(inner, f"{inner}learner__", 1) if within else key


def _inner_folds(train, X, seed):
    if train.origin is None:
        return StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    return list(train.origin.inner_splitter(seed).split(X, train.y))


def priced(test, decided):
    """What the decisions cost, as columns of the results."""
    paid = test.as_costs().paid(test.y == 1, decided)
    return dict(
        cost=float(paid.sum()),
        cost_per_1000=float(1000 * paid.mean()),
        savings=savings_score(test.y, decided.astype(int), **test.costs),
        tail_cost=float(conditional_value_at_risk(paid, 0.05)),
        alerts=int(decided.sum()),
    )


def as_arrays(costs, n):
    """Costs as arrays, because cross-validation splits only arrays together with the rows."""
    return {name: np.broadcast_to(np.asarray(cost, float), (n,)) for name, cost in costs.items()}


def _stratified(y, rows, seed):
    """Indices of a random sample that keeps the class shares, in order."""
    cut = StratifiedShuffleSplit(1, train_size=rows, random_state=seed)
    return np.sort(next(cut.split(y, y))[0])


def _enough(y):
    return min((y == 1).sum(), (y == 0).sum()) >= INNER_FOLDS


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
