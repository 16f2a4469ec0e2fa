"""From any table to any learner: one pipeline, fitted on training rows only."""

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from stakes.tables._column_facts import find_kinds
from stakes.tables._error_matrix import ErrorMatrix
from stakes.tables._model_matrix import ModelMatrix
from stakes.tables._priced import PricedData
from stakes.tables._table_encoder import TableEncoder, is_matrix


def prepare(learner, table=None, *, scale=None, one_hot=None, errors=None, error_correlation=None):
    """Make a pipeline that encodes a table for a learner, then fits the learner.

    Parameters
    ----------
    learner : estimator
        Classifier with the scikit-learn interface.
    table : PricedData, data frame, array, sparse matrix or TableEncoder, default=None
        Table that determines the columns and their kinds, so that every fold has the same columns
        and HistGradientBoosting knows which ones are categories. Only kinds are used, not values.
        None: each `fit` finds the kinds of its own table.
    scale : bool, default=None
        Whether numbers are scaled to mean zero and standard deviation one; None: unless the learner
        accepts missing values, as tree learners do.
    one_hot : bool, default=None
        Whether categories become columns of 0 and 1, else codes; None: as for `scale`.
    errors : dict of str -> list of str, default=None
        Columns of error bars, for a learner that takes an :class:`~stakes.tables.ErrorMatrix`.
    error_correlation : dict of str -> list of float, default=None
        Correlation of the errors, as in :class:`~stakes.tables.ErrorMatrix`.

    Returns
    -------
    Pipeline
        With the steps "table" and "learner". For a learner that does not accept NaN, missing
        numbers are imputed in any case.

    Examples
    --------
    >>> import polars as pl
    >>> from sklearn.linear_model import LogisticRegression
    >>> table = pl.DataFrame({"kind": ["b", "a", "b", "a"], "amount": [1.0, None, 3.0, 2.0]})
    >>> model = prepare(LogisticRegression(), table)
    >>> model.fit(table, [1, 0, 1, 0]).predict(table).tolist()
    [1, 0, 1, 0]
    """
    encoder = _encoder_for(table)
    takes_nan = get_tags(learner).input_tags.allow_nan
    scale = not takes_nan if scale is None else scale
    one_hot = not takes_nan if one_hot is None else one_hot
    if errors:
        values = ModelMatrix(encoder, one_hot=one_hot, scale=scale)
        first = ErrorMatrix(values, errors=errors, error_correlation=error_correlation)
    elif scale or one_hot or not takes_nan:
        first = ModelMatrix(encoder, one_hot=one_hot, scale=scale)
    else:
        first, learner = encoder, _with_categories(learner, encoder)
    return Pipeline([("table", first), ("learner", learner)])


def _encoder_for(table):
    if isinstance(table, TableEncoder):
        return table
    if isinstance(table, PricedData):
        return TableEncoder(kinds=table.kinds)
    if table is None or is_matrix(table):
        return TableEncoder()
    return TableEncoder(kinds=find_kinds(table)[0])


def _with_categories(learner, encoder):
    """The learner, with `categorical_features` set in every HistGradientBoosting inside."""
    if not encoder.kinds or "text" not in encoder.kinds.values():
        return learner
    mask = encoder.mask_of(encoder.kinds).tolist()
    names = [n for n in learner.get_params() if n.split("__")[-1] == "categorical_features"]
    return clone(learner).set_params(**dict.fromkeys(names, mask)) if names else learner
