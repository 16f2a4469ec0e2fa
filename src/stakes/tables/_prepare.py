"""From any table to any learner: one pipeline, fitted on training rows only."""

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from stakes.tables._model_matrix import ModelMatrix
from stakes.tables._table_encoder import TableEncoder, find_kinds, is_matrix

__all__ = ["ModelMatrix", "TableEncoder", "prepare"]


def prepare(learner, table=None, *, scale, one_hot):
    """A pipeline that turns a table into what the learner takes, then learns.

    Parameters
    ----------
    learner : estimator
        Scikit-learn classifier of any library.
    table : data frame, array, sparse matrix or TableEncoder, default=None
        A table whose columns stand for those of all later ones, so that every fold has the same
        columns, and HistGradientBoosting is told which are categories. Only kinds are read from
        it, never values. None: each `fit` looks for itself.
    scale : bool
        Whether numbers should have mean zero and standard deviation one.
    one_hot : bool
        Whether categories should become columns of 0 and 1; else they are codes.

    Returns
    -------
    Pipeline
        With the steps "table" and "learner". A learner that takes no NaN gets missing numbers
        filled in, whatever is asked.

    Examples
    --------
    >>> import polars as pl
    >>> from sklearn.linear_model import LogisticRegression
    >>> table = pl.DataFrame({"kind": ["b", "a", "b", "a"], "amount": [1.0, None, 3.0, 2.0]})
    >>> model = prepare(LogisticRegression(), table, scale=True, one_hot=True)
    >>> model.fit(table, [1, 0, 1, 0]).predict(table).tolist()
    [1, 0, 1, 0]
    """
    encoder = _encoder_for(table)
    if scale or one_hot or not get_tags(learner).input_tags.allow_nan:
        first = ModelMatrix(encoder, one_hot=one_hot, scale=scale)
    else:
        first, learner = encoder, _told_categories(learner, encoder)
    return Pipeline([("table", first), ("learner", learner)])


def _encoder_for(table):
    if isinstance(table, TableEncoder):
        return table
    if table is None or is_matrix(table):
        return TableEncoder()
    kinds, _ = find_kinds(table)
    return TableEncoder(kinds=kinds)


def _told_categories(learner, encoder):
    """The learner, or a copy with `categorical_features` of every HistGradientBoosting in it."""
    if not encoder.kinds or "text" not in encoder.kinds.values():
        return learner
    mask = encoder.mask_of(encoder.kinds).tolist()
    told = [name for name in learner.get_params() if name.split("__")[-1] == "categorical_features"]
    return clone(learner).set_params(**dict.fromkeys(told, mask)) if told else learner
