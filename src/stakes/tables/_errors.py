"""Columns of error bars: which column holds the error of which measurement."""

import re

import numpy as np
import polars as pl

from stakes.errors import InputError, near_matches

SUFFIXES = ("_se", "_std", "_sd", "_err", "_error", "_sigma", "_unc")  # that name an error bar


def read_errors(specs, columns):
    """Which columns hold error bars.

    Parameters
    ----------
    specs : sequence of str
        "mass=mass_se" for a column of standard errors, "mass=mass_lo..mass_hi" for an interval;
        ``*=*_se`` for every column that has one by that name.
    columns : sequence of str
        Columns of the table.

    Returns
    -------
    dict of str -> list of str
        Measurement -> [column of standard errors] or [lower, upper].

    Examples
    --------
    >>> read_errors(["*=*_se"], ["mass", "mass_se", "length", "color"])
    {'mass': ['mass_se']}
    """
    found = {}
    for spec in specs:
        left, equals, right = (part.strip() for part in spec.partition("="))
        parts = [part.strip() for part in right.split("..")]
        if not (left and equals and all(parts)) or len(parts) > 2:
            raise InputError(
                f"{spec!r} does not name error bars; write COLUMN=ERROR_COLUMN, or "
                "COLUMN=LOWER..UPPER for an interval: {parameter}.",
                "error",
            )
        found |= _of_pattern(spec, left, parts, columns) if "*" in left else {left: parts}
    for name, parts in found.items():
        for one in (name, *parts):
            if one not in columns:
                raise InputError(
                    f"The column {one!r} of {{parameter}} is not in the table: "
                    + near_matches(one, columns),
                    "error",
                )
    if len({len(parts) for parts in found.values()}) > 1:
        raise InputError(
            "Some error bars are standard errors and some are intervals; give all in one form.",
            "error",
        )
    taken = {one for parts in found.values() for one in parts}
    for name in taken & found.keys():
        raise InputError(f"The column {name!r} has an error bar and is one as well.", "error")
    return found


def guess_errors(columns):
    """The options that name the error bars of a table by its column names, "" if none do.

    Examples
    --------
    >>> guess_errors(["mass", "mass_se"]), guess_errors(["mass", "length"])
    ('*=*_se', '')
    """
    names = set(columns)
    for suffix in SUFFIXES:
        if any(name + suffix in names for name in columns):
            return f"*=*{suffix}"
    return ""


def check_errors(frame, errors):
    """Refuse error bars that are no numbers, negative, or in the wrong order."""
    for name, parts in errors.items():
        for one in (name, *parts):
            if not frame.schema[one].is_numeric():
                raise InputError(f"The column {one!r} must contain numbers to have error bars.")
        if len(parts) == 1:
            wrong, what = frame[parts[0]] < 0, "negative"
        else:
            wrong, what = frame[parts[0]] > frame[parts[1]], f"above {parts[1]!r}"
        row = wrong.fill_null(False).arg_max() if wrong.any() else None
        if row is not None:
            raise InputError(f"The error bar {parts[0]!r} is {what} in row {row + 1}.")


def join_replicates(frame, column, target=None, pooled=None):
    r"""One row per value of a column, with the mean of its replicates and its standard error.

    A number that varies within an example gets a column of standard errors, from the variance of
    its own r replicates and the pooled one of all examples:
    :math:`se^2 = ((r - 1)s^2 + 2\bar s^2)/(r(r + 1))`. All else must be the same in all rows of an
    example, and the first one is kept.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per replicate.
    column : str
        Id of the example.
    target : str, default=None
        Label column, which must be the same in all rows of an example.
    pooled : dict of str -> float, default=None
        Standard deviation of the replicates of each measurement, learned before; None: from this
        table.

    Returns
    -------
    (polars.DataFrame, dict, dict)
        The table, its error columns as from :func:`read_errors`, and `pooled`.

    Examples
    --------
    >>> table = pl.DataFrame({"id": [1, 1, 2, 2], "mass": [1.0, 3.0, 5.0, 5.0]})
    >>> joined, errors, pooled = join_replicates(table, "id")
    >>> joined.rows(), errors, round(pooled["mass"], 3)
    ([(1, 2.0, 0.816...), (2, 5.0, 0.577...)], {'mass': ['mass (standard error)']}, 1.0)
    """
    if column not in frame.columns:
        raise InputError(
            f"The column {column!r} of {{parameter}} is not in the table: "
            + near_matches(column, frame.columns),
            "replicates",
        )
    groups = frame.group_by(column, maintain_order=True)
    if target is not None:
        mixed = groups.agg(pl.col(target).n_unique() > 1).filter(pl.col(target))
        if mixed.height:
            raise InputError(
                f"The replicates of {column} {str(mixed[column][0]).removesuffix('.0')!r} have "
                "different labels.",
                "replicates",
            )
    numbers = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_numeric() and name not in (column, target)
    ]
    if pooled is None:
        pooled = _pooled(groups, numbers)
    elif missing := pooled.keys() - set(numbers):
        raise InputError(f"The column {sorted(missing)[0]!r} of the replicates is not a number.")
    parts, errors = [], {}
    for name in frame.columns:
        if name == column:
            continue
        parts.append(pl.col(name).mean() if name in numbers else pl.col(name).first())
        if name in pooled:
            r, var = pl.col(name).count(), pl.col(name).var().fill_null(0.0)
            total = (r - 1) * var + 2 * pooled[name] ** 2
            error = pl.when(r > 0).then((total / (r * (r + 1))).sqrt())
            errors[name] = [f"{name} (standard error)"]
            parts.append(error.alias(errors[name][0]))
    return groups.agg(parts), errors, pooled


def replicate_correlation(frame, column, names):
    r"""Correlation between the errors of different measurements, within all examples together.

    Entries off the diagonal are shrunk by :math:`N/(N + d)`, where N is the number of replicates
    less that of examples, and d that of measurements.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per replicate.
    column : str
        Id of the example.
    names : sequence of str
        Measurements, numbers that vary within examples.

    Returns
    -------
    dict of str -> list of float
        One row of the matrix for each measurement, in the order of `names`.

    Examples
    --------
    >>> table = pl.DataFrame({"id": [1, 1, 2, 2], "a": [1.0, 3.0, 5.0, 5.5], "b": [0, 4, 2, 3]})
    >>> np.round(list(replicate_correlation(table, "id", ["a", "b"]).values()), 3)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    away = frame.select((pl.col(name) - pl.col(name).mean().over(column)) for name in names)
    away = away.fill_null(0.0).fill_nan(0.0).to_numpy().astype(np.float64)
    away /= np.linalg.norm(away, axis=0)
    freedom = max(frame.height - frame[column].n_unique(), 1)
    matrix = away.T @ away * freedom / (freedom + len(names))
    np.fill_diagonal(matrix, 1.0)
    return dict(zip(names, matrix.tolist(), strict=True))


def _pooled(groups, numbers):
    """Standard deviations within the examples, of the numbers that vary there."""
    parts = []
    for name in numbers:
        freedom = pl.col(name).count() - 1
        parts += [
            (freedom * pl.col(name).var()).alias(f"{name} squares"),
            freedom.clip(0).alias(f"{name} freedom"),
        ]
    sums = groups.agg(parts).select(pl.col("^.* (squares|freedom)$").sum()) if parts else None
    found = {}
    for name in numbers:
        squares, freedom = sums[f"{name} squares"][0], sums[f"{name} freedom"][0]
        if freedom > 0 and squares > 0:
            found[name] = float(np.sqrt(squares / freedom))
    if not found:
        raise InputError(
            "No number varies between rows of the same example, so there are no replicates.",
            "replicates",
        )
    return found


def _of_pattern(spec, left, parts, columns):
    """Every column that matches a pattern and whose error columns exist."""
    if left != "*" or not all(part.count("*") == 1 for part in parts):
        raise InputError(
            f"{spec!r} must have the form *=*_se: a star on the left, and one in each name on the "
            "right.",
            "error",
        )
    found = {}
    for name in columns:
        names = [part.replace("*", name) for part in parts]
        if all(one in columns for one in names):
            found[name] = names
    if not found:
        shown = re.sub(r"\*", "COLUMN", parts[0])
        raise InputError(
            f"No column of the table has an error bar named like {shown!r}: {{parameter}}.", "error"
        )
    return found
