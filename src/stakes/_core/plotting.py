"""Helpers shared by the displays: axes to draw on, scores of an estimator."""

import numpy as np

from stakes._core.deciding import final_step
from stakes._core.words import shown

MUTED = dict(color="0.55", linewidth=1.0, zorder=1)


class ScoreDisplay:
    """Base class of displays drawn from labels and scores."""

    _needs_probability = False

    @classmethod
    def from_estimator(cls, estimator, X, y, *, name=None, pos_label=None, **options):
        """Draw for a fitted classifier; other arguments as in `from_predictions`."""
        scores = scores_of(estimator, X, pos_label, probability=cls._needs_probability)
        name = name or name_of(estimator)
        return cls.from_predictions(y, scores, name=name, pos_label=pos_label, **options)


def open_axes(ax=None):
    """Figure and axes; new ones if none are given."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    return ax.figure, ax


def once(ax, label):
    """The label, or None if the axes already have it, since displays may share axes."""
    return None if label in ax.get_legend_handles_labels()[1] else label


def scores_of(estimator, X, pos_label=None, *, probability=False):
    """Probability of the positive class if available, else the decision function."""
    if hasattr(estimator, "predict_proba") or probability:
        return probability_of(estimator, X)[:, column_of(estimator, pos_label)]
    scores = estimator.decision_function(X)
    return scores if column_of(estimator, pos_label) == 1 else -scores


def probability_of(estimator, X):
    """All columns of `predict_proba`; an error says how to get them if there are none."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{name_of(estimator)} has no predict_proba; wrap it in "
            "BayesDecisionClassifier(..., calibration='sigmoid')."
        )
    return estimator.predict_proba(X)


def column_of(estimator, pos_label=None):
    """Index of the positive class among the estimator's classes; by default 1."""
    classes = np.asarray(estimator.classes_).tolist()
    if pos_label is None:
        return 1
    if pos_label not in classes:
        raise ValueError(f"pos_label={shown(pos_label)} is not one of the classes {classes}.")
    return classes.index(pos_label)


def name_of(estimator):
    """Name of an estimator in a legend: that of its final step."""
    return type(final_step(estimator)[0]).__name__
