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
)

PRICES = (1.0, 10.0, 100.0, 1000.0)
ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1)


def spam_tables(streams, progress):
    """Errors and differences for each stream, Friedman's test over all periods, and the claims."""
    tables, changes = [], {}
    for stream in streams:
        wrong = _errors(stream)
        own = pair_changes(wrong)
        changes[stream.name] = own
        tables += [_table(stream, wrong), change_table(stream, own)]
        progress(f"{stream.name}: errors of {len(wrong)} learners by {stream.kind}")
    test, claims = friedman_on_periods(changes)
    return [*tables, test], claims


def _learners(X, y, period):
    """The thesis's settings, and penalties tuned on the last training rows."""
    split = int(0.7 * len(y))
    tuned = {}
    for loss, short in (("hinge", "SVM"), ("logistic", "LogReg")):
        plain = min(
            (_model(loss, alpha, np.inf) for alpha in ALPHAS),
            key=lambda model: _error(model, X, y, split),
        )
        moved = min(
            (_model(loss, plain.alpha, price) for price in PRICES),
            key=lambda model: _error(model, X, y, split),
        )
        tuned[f"{short}"] = _model(loss, 0.5, np.inf)
        tuned[f"{short}eq"] = _model(loss, 0.5, 1.0)
        # Algorithm 8 need not end in an equilibrium
        tuned[f"{short}eq, Algorithm 8"] = _model(loss, 0.5, 1.0).set_params(
            solver="play", tol=10.0
        )
        tuned[f"{short} tuned"] = plain
        tuned[f"{short}eq tuned"] = moved
        tuned[f"{short}eq, new position each {period}"] = clone(moved)
    return tuned


def _model(loss, alpha, price):
    return StackelbergClassifier(loss=loss, alpha=alpha, movement_price=price)


def _error(model, X, y, split):
    fitted = _quiet(clone(model).fit, X[:split], y[:split])
    return float(np.mean(fitted.predict(X[split:]) != y[split:]))


def _errors(stream):
    """Mistakes of each learner in each later period, as 0/1 arrays."""
    X, y, period = stream.first()
    wrong = {}
    for name, model in _learners(X, y, period).items():
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


def _table(stream, wrong):
    """Errors by period, of the learners and of the constant policies."""
    cells = []
    for name, by_period in (*wrong.items(), *_constant(stream).items()):
        for when, mistakes in by_period.items():
            column = f"{stream.kind} {when} (n = {len(mistakes)})"
            cells.append(Cell(name, column, float(mistakes.mean()), standard_error(mistakes)))
    return Table(
        f"Table 7.2, {stream.name}", cells, f"{stream.note} Errors with their standard error."
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
