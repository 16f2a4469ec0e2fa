"""Table 7.2 of the thesis: errors of plain and equilibrium classifiers in later months."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from stakes.game import StackelbergClassifier
from stakes.reproduce._result import Cell, Table
from stakes.reproduce.games._claims import (
    change_table,
    friedman_on_periods,
    pair_changes,
    standard_error,
    with_half,
)

PRICES = (1.0, 10.0, 100.0, 1000.0)
ALPHAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)


def spam_tables(streams, full, progress):
    """Errors and differences for each stream, Friedman's test over all periods, and the claims.

    `full` has the same streams with all words.
    """
    tables, changes, leads = [], {}, {}
    for stream, rich in zip(streams, full, strict=True):
        X, y, period = stream.first()
        wrong = _errors(stream, _learners(X, y, period))
        wrong |= _errors(rich, _rich_learners(*rich.first()))
        own = pair_changes(wrong)
        changes[stream.name] = own
        leads[stream.name] = _over_constants(stream, wrong)
        tables += [
            _table(stream, wrong, rich.note),
            change_table(stream, own),
            _lead_table(stream, leads[stream.name]),
        ]
        progress(f"{stream.name}: errors of {len(wrong)} learners by {stream.kind}")
    test, claims = friedman_on_periods(changes, leads)
    return [*tables, test], claims


def _learners(X, y, period):
    """The thesis's settings, and penalties tuned on the last training rows."""
    found = {}
    for loss, short in (("hinge", "SVM"), ("logistic", "LogReg")):
        found[f"{short}"] = _model(loss, 0.5, np.inf)
        found[f"{short}eq"] = _model(loss, 0.5, 1.0)
        # Algorithm 8 need not end in an equilibrium
        found[f"{short}eq, Algorithm 8"] = _model(loss, 0.5, 1.0).set_params(
            solver="play", tol=10.0
        )
        plain, moved = _tuned(loss, X, y)
        found[f"{short} tuned"] = plain
        found[f"{short}eq tuned"] = moved
        found[f"{short}eq, new position each {period}"] = clone(moved)
    return found


def _rich_learners(X, y, _):
    """Tuned learners of all words; the hinge loss takes minutes a fit there."""
    plain, moved = _tuned("logistic", X, y)
    return {"LogReg tuned, all words": plain, "LogRegeq tuned, all words": moved}


def _tuned(loss, X, y):
    """The plain and the equilibrium learner with the fewest mistakes on the last training rows."""
    split = int(0.7 * len(y))
    plain = min(
        (_model(loss, alpha, np.inf) for alpha in ALPHAS),
        key=lambda model: _error(model, X, y, split),
    )
    moved = min(
        (_model(loss, plain.alpha, price) for price in PRICES),
        key=lambda model: _error(model, X, y, split),
    )
    return plain, moved


def _model(loss, alpha, price):
    return StackelbergClassifier(loss=loss, alpha=alpha, movement_price=price)


def _error(model, X, y, split):
    fitted = _quiet(clone(model).fit, X[:split], y[:split])
    return float(np.mean(fitted.predict(X[split:]) != y[split:]))


def _errors(stream, learners):
    """Mistakes of each learner in each later period, as 0/1 arrays."""
    X, y, _ = stream.first()
    wrong = {}
    for name, model in learners.items():
        if "new position" in name:
            _quiet(model.partial_fit, X, y)
        else:
            _quiet(model.fit, X, y)
        wrong[name] = {}
        for when, X_later, y_later in stream.later():
            wrong[name][when] = (model.predict(X_later) != y_later).astype(float)
            if "new position" in name:
                _quiet(model.partial_fit, X_later, y_later)
    return wrong


def _over_constants(stream, wrong):
    """Change of the error of each tuned learner from the better constant policy of the period."""
    constant = _constant(stream)
    best = {
        when: min((policy[when] for policy in constant.values()), key=np.mean)
        for when, _, _ in stream.later()
    }
    return {
        name: {when: with_half(by_period[when] - best[when]) for when in best}
        for name, by_period in wrong.items()
        if "tuned" in name
    }


def _lead_table(stream, leads):
    """Tuned learners against the better constant policy, with their confidence intervals."""
    cells = [
        Cell(name, f"{stream.kind} {when}", change, half)
        for name, by_period in leads.items()
        for when, (change, half) in by_period.items()
    ]
    note = (
        "Error minus that of the better of both constant policies in the period, with half of its "
        "95 % confidence interval; below zero the learner is of use."
    )
    return Table(f"Table 7.2, {stream.name}: tuned minus constant", cells, note)


def _table(stream, wrong, rich_note):
    """Errors by period, of the learners and of the constant policies."""
    cells = []
    for name, by_period in (*wrong.items(), *_constant(stream).items()):
        for when, mistakes in by_period.items():
            column = f"{stream.kind} {when} (n = {len(mistakes)})"
            cells.append(Cell(name, column, float(mistakes.mean()), standard_error(mistakes)))
    return Table(
        f"Table 7.2, {stream.name}",
        cells,
        f"{stream.note} Errors with their standard error. 'All words': {rich_note}",
    )


def _constant(stream):
    policies = {"always 'no spam'": {}, "always 'spam'": {}}
    for when, _, y in stream.later():
        for guess, policy in enumerate(policies.values()):
            policy[when] = (y != guess).astype(float)
    return policies


def _quiet(call, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return call(*args)
