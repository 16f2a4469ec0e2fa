"""One task: prepare the table, tune on cost inside the training rows, fit, decide, pay."""

import time
import warnings

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from stakes._core.deciding import final_step, predict_with_costs, takes_costs
from stakes.compare._plan import split
from stakes.compare._trivial_guard import POLICY, policy_in_place
from stakes.costs import Costs
from stakes.errors import BelowTrivialWarning
from stakes.metrics import make_cost_scorer, savings_score
from stakes.risk import conditional_value_at_risk
from stakes.tables import prepare

INNER_FOLDS = 3


def fit_one(task, data, contestant, *, folds, tune):
    """Run one task.

    Returns
    -------
    (dict, dict)
        The row of the results file, and the arrays that go beside it.
    """
    row = dict(data=task.data, learner=task.learner, repeat=task.repeat, fold=task.fold)
    row |= dict(seed=task.seed, family=contestant.family, settings=contestant.settings)
    train_rows, test_rows = split(data, task.seed, task.fold, folds)
    train, test = data.take(train_rows), data.take(test_rows)
    if contestant.train_rows is not None and len(train) > contestant.train_rows:
        train = train.take(_drawn(train.y, contestant.train_rows, task.seed))
    try:
        # one thread a fit: fits run side by side, and sums do not change with the thread count
        with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            decided, probability, facts = fit_and_decide(contestant, train, test, task.seed, tune)
    except Exception as error:  # a learner that fails is told in the table, and the run goes on
        row["error"] = f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"
        return row, {"test_rows": test_rows}
    messages = [f"{w.category.__name__}: {str(w.message).splitlines()[0][:200]}" for w in caught]
    row |= facts | money(test, decided) | {"warnings": sorted(set(messages))}
    return row, {"test_rows": test_rows, "decided": decided, "probability": probability}


def fit_and_decide(contestant, train, test, seed, tune):
    """Fit on the training rows and decide for the test rows, whose costs are known by then."""
    model, chosen, fit_seconds = fit_contestant(contestant, train, seed, tune)
    if POLICY in chosen:
        warnings.warn(
            f"{contestant.name} lost to a trivial policy on training rows it had not seen; the "
            "policy decides in its place.",
            BelowTrivialWarning,
            stacklevel=2,
        )
    start = time.perf_counter()
    decided = np.asarray(predict_with_costs(model, test.X, **test.costs)) == 1
    predict_seconds = time.perf_counter() - start
    facts = dict(
        n_train=len(train),
        n_test=len(test),
        params={key: _plain(value) for key, value in chosen.items()},
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
    )
    return decided, probability_of(model, test.X), facts


def fit_contestant(contestant, train, seed, tune):
    """Fit a contestant, tuned on cost if it has a grid.

    A learner of the library that loses to a trivial policy, in every setting, on training rows
    that it was not fitted on, is not deployed: the policy comes back in its place, named `POLICY`.

    Returns
    -------
    (model, dict, float)
        The model, what was chosen, and the seconds of the fit, with the search if there is a grid.
    """
    model = build(contestant, train, seed)
    last = model.steps[-1][0]
    grid = {f"{last}__{key}": values for key, values in contestant.grid.items()}
    start = time.perf_counter()
    with sklearn.config_context(enable_metadata_routing=True):
        if not (tune and contestant.needs_inner_folds and _enough(train.y)):
            model.fit(train.X, train.y, **costs_for(model, train.costs, len(train)))
            return model, {}, time.perf_counter() - start
        inner = dict(
            scoring=make_cost_scorer(),
            cv=StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed),
            error_score="raise",
        )
        costs = as_arrays(train.costs, len(train))
        search = GridSearchCV(model, grid, **inner).fit(train.X, train.y, **costs)
        seconds = time.perf_counter() - start if grid else search.refit_time_
        if contestant.guarded:
            policy = policy_in_place(train, costs, inner, search.best_score_)
            if policy is not None:
                return policy.fit(train.X, train.y), {POLICY: policy.constant}, seconds
    chosen = {key.removeprefix(f"{last}__"): value for key, value in search.best_params_.items()}
    return search.best_estimator_, chosen, seconds


def build(contestant, data, seed):
    """The pipeline of a contestant for a table, every random state set to the seed."""
    learner = clone(contestant.estimator)
    if contestant.as_is:
        model = Pipeline([("learner", learner)])
    else:
        model = prepare(learner, data, scale=contestant.scale, one_hot=contestant.one_hot)
    # kinds: those of the whole table, also where a learner prepares tables itself
    values = {"random_state": seed % 2**31, "kinds": data.kinds}
    given = {name: name.split("__")[-1] for name in model.get_params()}
    return model.set_params(**{n: values[last] for n, last in given.items() if last in values})


def probability_of(model, X):
    """The probability of the positive class where the model gives one, else NaN."""
    decider, _ = final_step(model)
    if not hasattr(decider, "predict_proba"):
        return np.full(X.shape[0], np.nan)
    return np.asarray(model.predict_proba(X))[:, 1]


def money(test, decided):
    """What the decisions cost: the figures of one row."""
    costs = Costs.of(len(test), **test.costs)
    paid = costs.paid(test.y == 1, decided)
    return dict(
        cost=float(paid.sum()),
        cost_per_1000=float(1000 * paid.mean()),
        savings=savings_score(test.y, decided.astype(int), **test.costs),
        tail_cost=float(conditional_value_at_risk(paid, 0.05)),
        alerts=int(decided.sum()),
    )


def costs_for(model, costs, n):
    """The costs if the model's deciding step learns from them, else nothing."""
    return as_arrays(costs, n) if takes_costs(model, "fit") else {}


def as_arrays(costs, n):
    """Costs as arrays: only arrays are cut into folds with the rows."""
    return {name: np.broadcast_to(np.asarray(cost, float), (n,)) for name, cost in costs.items()}


def _drawn(y, rows, seed):
    """So many rows at random, the classes in their shares."""
    cut = StratifiedShuffleSplit(1, train_size=rows, random_state=seed)
    return np.sort(next(cut.split(y, y))[0])


def _enough(y):
    return min((y == 1).sum(), (y == 0).sum()) >= INNER_FOLDS


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
