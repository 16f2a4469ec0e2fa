"""Checks of scikit-learn's encoders, and of which columns a ColumnTransformer reads."""

import numpy as np

from stakes._core.stored.plain import Damaged, Named, Record, Unknown
from stakes._core.stored.unbuilt import transforms

_FLOATS = {Named("numpy.float64"), Named("numpy.float32")}


def check_partial(state, scope):
    if state["func"] != Named("sklearn.utils.validation.check_array"):
        name = getattr(state["func"], "name", "value")
        raise Damaged(f"a partial calls {name}") if name == "value" else Unknown(name)
    if state["args"] or state["namespace"]:
        raise Damaged("a partial has unknown arguments")
    given = state["kwds"]
    if not isinstance(given, dict) or not {"dtype", "ensure_all_finite"} >= given.keys():
        raise Damaged("a partial has unknown arguments")
    kinds = given.get("dtype", [Named("numpy.float64")])
    if not isinstance(kinds, list) or not kinds or not set(kinds) <= _FLOATS:
        raise Damaged("a partial has unknown arguments")
    if given.get("ensure_all_finite", True) not in (True, False, "allow-nan"):
        raise Damaged("a partial has unknown arguments")


def check_categories(state, scope):
    """Each value has one code, and scikit-learn writes ones where these say, unchecked."""
    if "categories_" not in state:
        return
    found = state["categories_"]
    if not all(map(len, found)):
        raise Damaged("a column of an encoder has no categories")
    if not all(map(_are_distinct, found)):
        raise Damaged("the categories of an encoder are not distinct and sorted")
    if state["_infrequent_enabled"]:
        raise Damaged("an encoder groups rare categories")
    for column, code in _pairs(state.get("_missing_indices", {})):
        if not (_is_index(column, len(found)) and _is_index(code, len(found[column]))):
            raise Damaged("an encoder has a missing value outside its categories")
    dropped = state.get("_drop_idx_after_grouping")
    if dropped is None:
        dropped = [None] * len(found)
    elif not isinstance(dropped, np.ndarray) or dropped.shape != (len(found),):
        raise Damaged("an encoder drops categories of other columns")
    sizes = []
    for categories, code in zip(found, dropped, strict=True):
        if code is not None and not _is_index(code, len(categories)):
            raise Damaged("an encoder drops a category that does not exist")
        sizes.append(len(categories) - (code is not None))
    if list(state.get("_n_features_outs", sizes)) != sizes:
        raise Damaged("an encoder has another number of columns than of categories")


def _are_distinct(categories):
    if categories.dtype.kind in "OU":
        return len(set(categories.tolist())) == len(categories)
    if categories.dtype.kind == "f" and np.isnan(categories[-1]):  # missing values are the last
        categories = categories[:-1]
    return bool(np.all(categories[:-1] < categories[1:]) and np.all(categories == categories))


def _pairs(mapping):
    if not isinstance(mapping, dict):
        raise Damaged("an encoder has damaged missing values")
    return mapping.items()


def _is_index(value, size):
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and 0 <= value < size


def check_columns(state, scope):
    """Every transformer gets as many columns as it was fitted on."""
    state["n_jobs"] = None  # a few columns are not worth starting processes for
    for columns in (*state.get("_columns", ()), *(one[-1] for one in state["transformers"])):
        _column_count(columns, scope)
    if "transformers_" in state and "feature_names_in_" not in state:
        _check_unnamed(state)
    read = state.get("_transformer_to_input_indices", {})
    for name, transformer, columns in state.get("transformers_", ()):
        if isinstance(transformer, Record) and not transforms(transformer):
            raise Damaged(f"a {transformer.name} is where a transformer belongs")
        n = _column_count(columns, scope)
        given = read.get(name)  # what is read from a table with names
        if not isinstance(given, list | np.ndarray) or np.shape(given) != (n,):
            raise Damaged("a ColumnTransformer reads other columns than it says")
        if not all(_is_index(one, scope.sizes.get("d", 0)) for one in given):
            raise Damaged("a ColumnTransformer reads a column that does not exist")
        found = transformer.state if isinstance(transformer, Record) else {}
        if n and found.get("n_features_in_", n) != n:
            raise Damaged("a transformer gets another number of columns than it was fitted on")


def _check_unnamed(state):
    """The columns of an array have numbers and one type; text is not passed on as a number."""
    parts = state["transformers_"]
    given = [*state.get("_columns", ()), *(one[-1] for one in (*state["transformers"], *parts))]
    if any(isinstance(one, str) for columns in given for one in _listed(columns)):
        raise Damaged("a ColumnTransformer reads columns of an array by their names")
    encoders = [one.state for _, one, _ in parts if isinstance(one, Record) and one.state]
    kinds = {
        "text" if found.dtype.kind in "OU" else "numbers"
        for state in encoders
        for found in state.get("categories_", ())
    }
    others = any(one != "drop" and "categories_" not in _state(one) for _, one, _ in parts)
    fixed = any(
        found.dtype.kind == "U" for state in encoders for found in state.get("categories_", ())
    )
    if len(kinds) > 1 or (fixed and others):
        raise Damaged("a ColumnTransformer takes one array for both text and numbers")


def _state(transformer):
    return (transformer.state or {}) if isinstance(transformer, Record) else {}


def _listed(columns):
    return [columns] if isinstance(columns, str | int | slice) else columns


def _column_count(columns, scope):
    """How many columns of d are meant; names, numbers, a slice or a mask."""
    d = scope.sizes.get("d", 2**31)
    if isinstance(columns, slice):
        return len(range(*columns.indices(d)))
    if isinstance(columns, str | int):
        columns = [columns]
    elif isinstance(columns, np.ndarray) and columns.ndim == 1:
        columns = columns.tolist()
    if isinstance(columns, list) and columns and all(isinstance(one, bool) for one in columns):
        scope.bind("d", len(columns))
        return sum(columns)
    if not isinstance(columns, list) or len({type(one) for one in columns}) > 1:
        raise Damaged("a ColumnTransformer has damaged columns")
    if not all(isinstance(one, str) or (isinstance(one, int) and -d <= one < d) for one in columns):
        raise Damaged("a ColumnTransformer reads a column that does not exist")
    return len(columns)
