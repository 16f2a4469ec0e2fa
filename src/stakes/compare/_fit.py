"""One fit: prepare the table, tune on cost inside the training rows, fit, decide, price."""

import time
import warnings
from dataclasses import replace

import joblib
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
from stakes.compare._adversary import CASE_SECONDS, after_moves, check_can_train, defended
from stakes.compare._class_contestants import decide_classes, find_class_contestant
from stakes.compare._contestants import CONSTANT_POLICIES, TIMED, find_contestant
from stakes.compare._plan import split
from stakes.decision import BayesDecisionClassifier, BlendClassifier
from stakes.errors import BelowTrivialWarning, InputError
from stakes.game import make_attack_scorer
from stakes.metrics import make_cost_scorer, savings_score
from stakes.risk import conditional_value_at_risk
from stakes.tables import ClassData, prepare

INNER_FOLDS = 3
ONE_THREAD = 100_000  # rows up to which one thread trains
POLICY = "constant policy"  # key of the chosen settings where a policy replaced the learner


def fit_one(task, data, contestant, *, folds, tune, adversaries=()):
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
    start = time.monotonic()
    try:
        # one thread per fit: fits run in parallel, and sums must not depend on the thread count
        with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            decided, probability, facts = fit_and_decide(
                contestant, train, test, task.seed, tune, adversaries
            )
    except Exception as error:  # a failed learner is reported in the table; the run continues
        row["error"] = f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"
        return row, {"test_rows": test_rows}
    messages = [f"{w.category.__name__}: {str(w.message).splitlines()[0][:200]}" for w in caught]
    row |= facts | priced(test, decided) | {"warnings": sorted(set(messages))}
    row["seconds"] = time.monotonic() - start  # of everything, also of inner folds
    return row, {"test_rows": test_rows, "decided": decided, "probability": probability}


def fit_on_all(name, data, *, random_state=0, tune=True, time_budget=None):
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
    time_budget : float, default=None
        Seconds of the timed blend; None: 60. Others take the time that they need.

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
    contestant = trainable(name, data, time_budget)
    try:
        # on small tables several threads mostly wait for each other, and keep the cores busy
        with threadpool_limits(1 if len(data) <= ONE_THREAD else None):
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


def trainable(name, data, time_budget=None):
    """The contestant of a name, if it can be trained on these rows.

    Parameters
    ----------
    name : str
        Name of the contestant.
    data : PricedData
        Training data.
    time_budget : float, default=None
        Seconds of the timed blend; None: 60.
    """
    check_can_train(name)
    if name == TIMED:
        if isinstance(data, ClassData):
            raise InputError("The timed blend is for two classes; name another learner.")
        from stakes.compare._timed_models import timed_contestant  # it loads the boosters

        threads = 1 if len(data) <= ONE_THREAD else joblib.cpu_count()
        return timed_contestant(time_budget or 60.0, threads)
    if isinstance(data, ClassData):
        contestant = find_class_contestant(name, data)
    else:
        contestant = find_contestant(name, **({"error_bars": True} if data.errors else {}))
    if contestant.family == "constant":
        raise InputError(f"{name!r} is a constant policy and needs no model; name a learner.")
    if contestant.max_rows is not None and len(data) > contestant.max_rows:
        raise InputError(
            f"{contestant.name} takes at most {contestant.max_rows:,} rows and {data.name} has "
            f"{len(data):,}; choose another learner or fewer rows."
        )
    return contestant


def fit_and_decide(contestant, train, test, seed, tune, adversaries=()):
    """Fit on the training rows and decide for the test rows, at the costs of the test rows.

    With adversaries, the decisions are those after the best moves against the fitted model.
    """
    model, chosen, fit_seconds = fit_contestant(contestant, train, seed, tune, adversaries)
    if POLICY in chosen:
        warnings.warn(
            f"{contestant.name} lost to a constant policy on held-out training rows; the policy "
            "decides instead.",
            BelowTrivialWarning,
            stacklevel=2,
        )
    start = time.perf_counter()
    if isinstance(test, ClassData):
        decided, probability = decide_classes(contestant, model, test)
    else:
        decided, probability = decide_with_costs(model, test.X, **test.costs)
        decided = np.asarray(decided) == 1
    moved = {}
    if adversaries:
        decided, probability, moved = after_moves(model, test, adversaries)
    if probability is None:
        probability = np.full(len(test), np.nan)
    predict_seconds = time.perf_counter() - start
    facts = dict(
        n_train=len(train),
        n_test=len(test),
        params={key: _plain(value) for key, value in chosen.items()},
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        **moved,
    )
    return decided, probability, facts


def fit_contestant(contestant, train, seed, tune, adversaries=()):
    """Fit a contestant, tuned on cost if it has a grid.

    A learner of the library whose best setting loses to a constant policy on held-out training
    rows is not deployed: the policy is returned in its place, under the key `POLICY`.

    Returns
    -------
    (model, dict, float)
        The model, what was chosen, and the fit time in seconds, including the search of a grid.
    """
    if train.origin is None and reads_in_order(contestant.estimator):
        # without times the order means nothing: sorted by label, it would be a stream that changes
        train = train.take(np.random.default_rng(seed).permutation(len(train)))
    model = build(contestant, train, seed)
    inside = _encodes_inside(contestant, train)
    grid = {_nested(key, model, inside): values for key, values in contestant.grid.items()}
    X = train.X if train.origin is None else train.origin.attach(train.X)
    costs = as_arrays(train.costs, len(train))
    start = time.perf_counter()
    with sklearn.config_context(enable_metadata_routing=True):
        if not (tune and contestant.needs_inner_folds and _enough(train.y)):
            given = costs if takes_costs(model, "fit") and not isinstance(train, ClassData) else {}
            model.fit(X, train.y, **given)
            model = defended(contestant, model, train, adversaries)
            return model, {}, time.perf_counter() - start
        scorer = make_cost_scorer()
        if adversaries:
            scorer = make_attack_scorer(list(adversaries), case_seconds=CASE_SECONDS)
        inner = dict(
            scoring=scorer,
            cv=_inner_folds(train, X, seed),
            error_score="raise",
        )
        search = GridSearchCV(model, grid, **inner).fit(X, train.y, **costs)
        # without a grid the search only measures: the learner's own time is that of the refit
        seconds = time.perf_counter() - start if grid else search.refit_time_
        # the decision of least expected cost among many actions needs no such check
        if contestant.guarded and not isinstance(train, ClassData):
            policy, score = best_policy(train.y, costs, inner)
            if score > search.best_score_:
                return policy.fit(X, train.y), {POLICY: policy.constant}, seconds
    chosen = {key: search.best_params_[_nested(key, model, inside)] for key in contestant.grid}
    return defended(contestant, search.best_estimator_, train, adversaries), chosen, seconds


def reads_in_order(estimator):
    """Whether the order of the training rows matters: a stream learner, or one inside a wrapper.

    Examples
    --------
    >>> from stakes.online import ProbitClassifier
    >>> reads_in_order(ProbitClassifier()), reads_in_order(DummyClassifier())
    (True, False)
    """
    parts = (estimator, getattr(estimator, "estimator", None))
    return any(hasattr(part, "learn_one") for part in parts)


def best_policy(y, costs, inner):
    """The better constant policy, unfitted, and its mean score in the same inner folds."""
    policies = [DummyClassifier(strategy="constant", constant=decision) for decision in (0, 1)]
    X = np.zeros((len(y), 1))
    inner = inner | {"scoring": make_cost_scorer()}  # nobody can move past a constant policy
    scores = [cross_val_score(policy, X, y, params=costs, **inner).mean() for policy in policies]
    return policies[int(np.argmax(scores))], max(scores)


def build(contestant, data, seed):
    """The pipeline of a contestant for a table, with every random state set to the seed."""
    learner = clone(contestant.estimator)
    errors = data.errors if contestant.error_bars else None
    encoded = dict(scale=contestant.scale, one_hot=contestant.one_hot, errors=errors)
    encoded["error_correlation"] = data.error_correlation if errors else None
    if contestant.as_is:
        model = Pipeline([("learner", learner)])
    elif _encodes_inside(contestant, data):
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
        spread = "cov" if data.error_correlation else "std"
        values["error_form"] = "interval" if intervals else spread
    given = {name: name.split("__")[-1] for name in model.get_params()}
    return model.set_params(**{n: values[last] for n, last in given.items() if last in values})


def _fold_settings(model):
    """Names of the parameters for inner folds of calibrations and blends."""
    wrappers = BayesDecisionClassifier | BlendClassifier
    parts = model.get_params().items()
    return [f"{name}__cv" for name, part in parts if isinstance(part, wrappers)]


def _encodes_inside(contestant, data):
    """Whether the table is encoded inside a calibration, whose folds read times and groups."""
    learner = contestant.estimator  # those that calibrate themselves have no folds to encode for
    calibrated = isinstance(learner, BayesDecisionClassifier) and learner.calibration is not None
    return data.origin is not None and calibrated and not contestant.as_is


def _nested(key, model, inside):
    """Name in the pipeline of a parameter of the contestant's estimator."""
    key = f"{model.steps[-1][0]}__{key}"
    inner = "learner__estimator__"
    return key.replace(inner, f"{inner}learner__", 1) if inside else key


def _inner_folds(train, X, seed):
    if train.origin is None:
        return StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    return list(train.origin.inner_splitter(seed).split(X, train.y))


def priced(test, decided):
    """What the decisions cost, as columns of the results."""
    paid = test.as_costs().paid(test.truth, decided)
    facts = dict(
        cost=float(paid.sum()),
        cost_per_1000=float(1000 * paid.mean()),
        tail_cost=float(conditional_value_at_risk(paid, 0.05)),
    )
    if isinstance(test, ClassData):
        k, m = range(len(test.classes)), range(len(test.actions))
        savings = savings_score(test.y, decided, **test.costs, labels=k, actions=m)
        return facts | dict(savings=savings)
    savings = savings_score(test.y, decided.astype(int), **test.costs)
    return facts | dict(savings=savings, alerts=int(decided.sum()))


def as_arrays(costs, n):
    """Costs as arrays, because cross-validation splits only arrays together with the rows."""
    arrays = {name: np.asarray(cost, float) for name, cost in costs.items()}
    return {name: cost if cost.ndim else np.full(n, cost) for name, cost in arrays.items()}


def _stratified(y, rows, seed):
    """Indices of a random sample that keeps the class shares, in order."""
    cut = StratifiedShuffleSplit(1, train_size=rows, random_state=seed)
    return np.sort(next(cut.split(y, y))[0])


def _enough(y):
    return np.unique(y, return_counts=True)[1].min() >= INNER_FOLDS


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
