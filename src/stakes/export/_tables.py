"""Encoders of tables: from the columns of a table to the matrix that a learner reads."""

import numpy as np

from stakes.export._converters import converts

DAY = 86_400_000_000.0  # microseconds
LARGEST = 1e100  # beyond it, ModelMatrix refuses a table


class Columns:
    """The columns of a table as inputs of a graph.

    Numbers, true/false (0 and 1), dates (days since 1970), datetimes and durations (microseconds)
    and times of day (nanoseconds) are doubles, and NaN is missing; text is text, and empty text is
    missing.
    """

    def __init__(self, graph, kinds):
        self.graph, self.kinds = graph, kinds

    def __getitem__(self, name):
        return self.graph.input(name, self.kinds[name])

    def any_column(self):
        """A column of numbers, which says how many rows there are."""
        name, kind = next(iter(self.kinds.items()))
        column = self[name]
        return column if kind != "text" else column.equals("").cast()


@converts("stakes.tables._table_encoder.TableEncoder")
def _table_encoder(model, table):
    graph = table.graph
    if model.kinds_ is None:  # an array
        return table
    columns = []
    for name, kind in model.kinds_.items():
        if name in getattr(model, "empty_", ()):
            width = 1 if kind == "text" else len(_parts(kind, table.any_column()))
            zero = graph.where(table.any_column().is_missing(), 0.0, 0.0)
            columns += [zero] * width
        elif kind == "text":
            columns.append(_codes(model, name, table[name]))
        else:
            columns += [_finite(part) for part in _parts(kind, table[name])]
    return graph.join(columns)


def _finite(value):
    return value.graph.where(value.op("IsInf"), np.nan, value)


def _codes(model, name, text):
    from onnx import TensorProto, helper, numpy_helper

    known = model.categories_[name]
    other = float(len(known)) if model.has_other_[name] else np.nan
    if not known:
        return text.graph.where(text.equals(""), np.nan, other)
    keys = helper.make_tensor("keys", TensorProto.STRING, [len(known)], [k.encode() for k in known])
    code = text.op(
        "LabelEncoder",
        domain="ai.onnx.ml",
        keys_tensor=keys,
        values_tensor=numpy_helper.from_array(np.arange(len(known), dtype=np.float64)),
        default_tensor=numpy_helper.from_array(np.array([other])),
    )
    return code if "" in known else text.graph.where(text.equals(""), np.nan, code)


def _parts(kind, value):
    """What the encoder makes of a column of this kind."""
    if kind == "time":
        return [value / 3.6e12]
    if kind == "duration":
        return [value / DAY]
    if kind == "date":
        return [value, *_calendar(value)]
    if kind == "datetime":
        days = (value / DAY).op("Floor")
        hour = ((value - days * DAY) / (DAY / 24)).op("Floor")
        return [value / DAY, *_calendar(days), hour]
    return [value]


def _calendar(days):
    """Month (1 to 12) and weekday (Monday is 1) of days since 1970, in whole numbers.

    The year begins in March here, so that the day that is added in leap years is its last.
    """
    z = days + 719468.0
    era = (z / 146097.0).op("Floor")
    of_era = z - era * 146097.0

    def whole(numerator, denominator):
        return (numerator / denominator).op("Floor")

    years = whole(
        of_era - whole(of_era, 1460.0) + whole(of_era, 36524.0) - whole(of_era, 146096.0), 365.0
    )
    of_year = of_era - (365.0 * years + whole(years, 4.0) - whole(years, 100.0))
    from_march = whole(5.0 * of_year + 2.0, 153.0)
    month = days.graph.where(from_march < 10.0, from_march + 3.0, from_march - 9.0)
    shifted = days + 3.0
    weekday = shifted - whole(shifted, 7.0) * 7.0 + 1.0
    missing = days.is_missing()
    return [days.graph.where(missing, np.nan, part) for part in (month, weekday)]


@converts("stakes.tables._model_matrix.ModelMatrix")
def _model_matrix(model, table):
    Z = _table_encoder(model.encoder_, table)
    graph = Z.graph
    too_large = (Z.op("Abs").filled(0.0) > LARGEST).cast(np.int64)
    graph.refused.append(too_large.op("ReduceMax", graph.vector([1]), keepdims=1).cast(np.bool_))
    blocks = []
    if len(model.numbers_):
        numbers = Z.take(model.numbers_).filled(model.center_[None, :])
        if model.scale:
            numbers = (numbers - model.center_[None, :]) / model.scale_[None, :]
        blocks.append(numbers)
    if len(model.gaps_):
        blocks.append(Z.take(model.gaps_).is_missing().cast())
    for j, columns in zip(model.codes_, model.column_of_code_, strict=True):
        width = max(int(columns.max()), -1) + 1
        if width:
            rows = np.zeros((len(columns), width))
            there = np.flatnonzero(columns >= 0)
            rows[there, columns[there]] = 1.0
            n_codes = float(len(columns) - 2)
            code = Z.take([j]).filled(n_codes + 1.0)  # the last row: missing
            known = Z.take([j]).op("Min", n_codes)
            code = graph.where(Z.take([j]).is_missing(), code, known).cast(np.int64)
            one_hot = graph.constant(rows).op("Gather", code, axis=0)
            blocks.append(one_hot.op("Squeeze", graph.vector([1])))
    return graph.join(blocks)


@converts("stakes.tables._splines.HingeSplines")
def _splines(model, X):
    if not len(model.columns_):
        return X
    return X.graph.join([X, (X.take(model.columns_) - model.knots_[None, :]).op("Max", 0.0)])
