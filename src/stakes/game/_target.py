"""A classifier as an adversary sees it: its decisions, its scores, and where they change."""

import warnings

import numpy as np
from scipy.special import expit, logit

from stakes._core.deciding import final_step, predict_with_costs, takes_costs
from stakes._core.labels import code_labels
from stakes._core.plotting import column_of
from stakes._core.words import shown
from stakes.costs import COST_NAMES, Costs

_SURE = 1e-12  # distance from 0 and 1 at which a probability has lost its digits


class Target:
    """A fitted classifier under attack.

    Parameters
    ----------
    model : fitted classifier
        The classifier.
    pos_label : label
        Class of the adversary.
    priced : bool
        Whether the costs of the rows reach `predict`.
    """

    def __init__(self, model, pos_label, priced):
        self.model, self.pos_label, self.priced = model, pos_label, priced
        self._last = None  # a table and its probabilities, which are asked for more than once
        self.side = 1.0 if column_of(model, pos_label) == 1 else -1.0

    def decide(self, table, costs):
        """Whether each row is called positive, by the model's own rule."""
        given = costs.keywords() if self.priced else {}
        answer = predict_with_costs(self.model, table, pos_label=self.pos_label, **given)
        return np.asarray(answer) == self.pos_label

    def probability(self, table):
        """Probability of the adversary's class; None if the model has none."""
        if not hasattr(self.model, "predict_proba"):
            return None
        if self._last is None or self._last[0] is not table:
            p = np.asarray(self.model.predict_proba(table), dtype=np.float64)
            self._last = table, p[:, column_of(self.model, self.pos_label)]
        return self._last[1]

    def scores(self, table):
        """Scores that grow with the probability: those of the model, or the log-odds.

        Returns
        -------
        (ndarray of shape (n,), bool)
            Scores, and whether they are log-odds of the probability.
        """
        p = self.probability(table)
        f = _inner_scores(self.model, table)
        if f is not None:
            f = np.asarray(f, dtype=np.float64)
            if f.ndim == 1:
                f = self.side * f
                if p is None:
                    return f, False
                if np.allclose(expit(f), p, rtol=0, atol=1e-9):
                    return f, True
        if p is None:
            raise ValueError(
                f"{type(self.model).__name__} has neither predict_proba nor decision_function, so "
                "its decisions cannot be followed."
            )
        return logit(np.clip(p, _SURE, 1.0 - _SURE)), True

    def limits(self, table, costs, decided):
        """Probability of each row above which it is called positive; None if no rule fits.

        Without probabilities, the score zero.
        """
        p, n = self.probability(table), len(decided)
        if p is None:
            f, _ = self.scores(table)
            return np.zeros(n) if np.array_equal(f > 0, decided) else None
        for limit in self._rules(costs, n):
            if np.array_equal(p > limit, decided):
                return limit
            if np.array_equal(p >= limit, decided):
                return np.nextafter(limit, -1.0)
        return None

    def _rules(self, costs, n):
        if self.priced and takes_costs(self.model):
            yield costs.break_even
        yield np.full(n, 0.5)
        decider, _ = final_step(self.model)
        if all(hasattr(decider, name) for name in COST_NAMES):
            own = Costs.of(n, **{name: getattr(decider, name) for name in COST_NAMES})
            yield own.break_even if self.side > 0 else 1.0 - own.break_even
        for name in ("threshold_", "best_threshold_", "threshold"):
            value = getattr(decider, name, None)
            if isinstance(value, float | int):
                yield np.full(n, float(value))


def _inner_scores(model, table):
    """Scores of the estimator inside wrappers and pipelines: they keep their digits far out."""
    while not hasattr(model, "decision_function"):
        decider, before = final_step(model)
        for step in before:
            table = step.transform(table)
        if decider is model and not hasattr(decider, "estimator_"):
            return None
        model = decider if decider is not model else decider.estimator_
    return model.decision_function(table)


def coded_labels(y, pos_label):
    """Both labels, that of the adversary last, and the signs: +1 for the adversary."""
    classes, signs = code_labels(y)
    labels = classes.tolist()
    if pos_label is None and classes.dtype.kind not in "biuf":
        raise ValueError(
            f"y has the labels {shown(labels[0])} and {shown(labels[1])}: pass pos_label, the "
            "class of the adversary."
        )
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label={shown(pos_label)} is not one of the classes {labels}.")
    first = pos_label is not None and labels[0] == pos_label
    return (classes[::-1], -signs) if first else (classes, signs)


def warn_of_words(classes, pos_label):
    """Warn if the labels are words, of which the larger says nothing about the adversary."""
    if pos_label is None and classes.dtype.kind not in "biuf":
        no, yes = classes.tolist()
        warnings.warn(
            f"The labels are {shown(no)} and {shown(yes)}, and {shown(yes)}, the last in the "
            "alphabet, is taken "
            "to be the class of the adversaries; pass pos_label to say which it is.",
            UserWarning,
            stacklevel=4,
        )
