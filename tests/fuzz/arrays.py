"""The API matrix: every estimator with odd, huge, tiny, damaged and wrongly shaped input.

A case ends with an error that says what is wrong, or with an answer: finite, one per row, and the
same for the same numbers in another form.
"""

import os
import traceback
import warnings
from functools import cache

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import clone

import stakes
from checks import accepted, problem
from fuzz import together
from fuzz.children import ACCIDENTS, GOOD, unexpected
from instances import instances, samplers

HOMES = tuple(os.path.dirname(package.__file__) for package in (stakes, sklearn, sparse))
SAME, OTHER = "same numbers", "other numbers"
# as many examples of each class: the gradient of an intercept is zero, and that of the features is
# as small as they are
EVEN = {f"even classes, {scale}": scale for scale in (1e-320, 1e-250, 1e-155, 1e-100)}


@cache
def base():
    """A small problem with numbers that all forms can hold."""
    X, y, fp, fn = problem(n=60)
    return np.round(X * 4), y, fp, fn


@cache
def forms():
    """Name -> (kind, function of X that gives the other form)."""
    same = {
        "float32": lambda X: X.astype(np.float32),
        "float16": lambda X: X.astype(np.float16),
        "int64": lambda X: X.astype(np.int64),
        "int8": lambda X: X.astype(np.int8),
        "object": lambda X: X.astype(object),
        "big endian": lambda X: X.astype(">f8"),
        "Fortran": np.asfortranarray,
        "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        "backwards": lambda X: X[::-1].copy()[::-1],
        "read-only": _read_only,
        **{
            form: lambda X, form=form: sparse.csr_array(X).asformat(form)
            for form in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
        },
        "csr with int64 indices": _wide,
        "csr with unsorted indices": _unsorted,
        "csr with double entries": _doubled,
        "csr matrix": sparse.csr_matrix,
    }
    other = {
        "bool": lambda X: X > 0,
        "uint8": lambda X: np.abs(X).astype(np.uint8),
        "csr without rows": lambda X: sparse.csr_array(X[:0]),
        "csr without entries": lambda X: sparse.csr_array(X.shape),
        "no rows": lambda X: X[:0],
        "one row": lambda X: X[:1],
        "two rows": lambda X: X[:2],
        "one column": lambda X: X[:, :1],
        "no columns": lambda X: X[:, :0],
        "constant": np.zeros_like,
        "all ones": np.ones_like,
        "duplicates": lambda X: np.repeat(X[:3], 20, axis=0),
        "subnormal": lambda X: X * 5e-324,
        "tiny": lambda X: X * 1e-160,
        "1e100": lambda X: X * 1e100,
        "1e155": lambda X: X * 1e155,
        "1e300": lambda X: X * 1e300,
        "largest": lambda X: np.sign(X) * np.finfo(float).max,
        "one column at 1e150": lambda X: X * np.array([1e150, 1, 1, 1]),
        "one row at 1e200": lambda X: np.where(np.arange(len(X))[:, None] == 7, X * 1e200, X),
        "NaN": lambda X: np.where(X > 3, np.nan, X),
        "infinite": lambda X: np.where(X > 3, np.inf, X),
        "one dimension": lambda X: X[:, 0],
        "three dimensions": lambda X: X[:, :, None],
        "huge csr": lambda X: sparse.csr_array(X * 1e200),
        "wide csr": _many_columns,
        **{f"damaged {name}": damage for name, damage in _damages().items()},
    }
    found = {name: (SAME, form) for name, form in same.items()}
    return found | {name: (OTHER, form) for name, form in other.items()}


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _wide(X):
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _many_columns(X):
    """So many that learners look at the entries while they learn."""
    return sparse.csr_array(np.hstack([X, np.zeros((len(X), 1200))]))


def _unsorted(X):
    X = sparse.csr_array(X)
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        X.indices[part], X.data[part] = X.indices[part][::-1].copy(), X.data[part][::-1].copy()
    X.has_sorted_indices = False
    return X


def _doubled(X):
    """Every entry as two halves of it in the same place."""
    X = sparse.csr_array(X)
    halves = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr
    return sparse.csr_array(halves, shape=X.shape)


def _damages():
    def index(value, whole=sparse.csr_array):
        def damage(X):
            X = whole(X)
            X.indices[3] = value
            return X

        return damage

    def pointer(at, value):
        def damage(X):
            X = sparse.csr_array(X)
            X.indptr[at] = value
            return X

        return damage

    def csc(X):
        X = sparse.csc_array(X)
        X.indices[3] = 10**8
        return X

    def coo(X):
        X = sparse.coo_array(X)
        X.coords[1][3] = 10**8
        return X

    return {
        "index 2**30": index(2**30),
        "negative index": index(-(2**30)),
        "wide csr": index(2**30, _many_columns),
        "wide csr, negative index": index(-1, _many_columns),
        "indptr": pointer(5, 2**30),
        "negative indptr": pointer(5, -(2**30)),
        "last indptr": pointer(-1, 2**30),
        "csc": csc,
        "coo": coo,
    }


@cache
def prices():
    """Name -> arguments of fit."""
    n = len(base()[1])
    ramp = np.linspace(1, 2, n)
    return {
        "cost 1e308": dict(fp_cost=1e308, fn_cost=1e308),
        "costs 1e308": dict(fp_cost=1e308 * (ramp / 2), fn_cost=1e308 * (ramp / 2)),
        "cost 1e-320": dict(fp_cost=1e-320, fn_cost=1e-320),
        "costs 1e-320 to 1e308": dict(fp_cost=np.geomspace(1e-320, 1e308, n), fn_cost=1.0),
        "fp_cost 1e-320": dict(fp_cost=1e-320, fn_cost=1.0),
        "fn_cost 1e-320": dict(fp_cost=1.0, fn_cost=1e-320),
        "costs 1e-99 and 1e99": dict(fp_cost=1e-99, fn_cost=1e99),
        "costs 1e-320 to 1e99": dict(
            fp_cost=np.geomspace(1e-320, 1e99, n), fn_cost=np.geomspace(1e99, 1e-320, n)
        ),
        "free false alarms": dict(fp_cost=0.0, fn_cost=1e99),
        "no costs": dict(fp_cost=0.0, fn_cost=0.0),
        "one cost 1e300": dict(fn_cost=np.where(np.arange(n) == 5, 1e300, 1.0)),
        "weights 1e308": dict(sample_weight=1e308 * (ramp / 2)),
        "weights 1e-320": dict(sample_weight=1e-320 * ramp),
        "weights 1e-320 to 1e99": dict(sample_weight=np.geomspace(1e-320, 1e99, n)),
        "costs and weights 1e99": dict(fp_cost=1e99, fn_cost=1e99, sample_weight=1e99 * ramp / 2),
        "costs and weights 1e-99": dict(fp_cost=1e-99, fn_cost=1e-99, sample_weight=1e-99 * ramp),
        "weights of zero": dict(sample_weight=0 * ramp),
        "costs too short": dict(fp_cost=ramp[:-1]),
        "weights too long": dict(sample_weight=np.append(ramp, 1.0)),
        "negative weights": dict(sample_weight=-ramp),
        "NaN cost": dict(fn_cost=np.nan),
    }


@cache
def one_by_one():
    """Name -> (row, arguments of learn_one)."""
    row, far = np.ones(4), sparse.csr_array(np.ones((1, 4)))
    far.indices[2] = 10**8
    rows = {
        "NaN": np.where(row > 0, np.nan, row),
        "infinite": row * np.inf,
        "1e101": row * 1e101,
        "1e308": row * 1e308,
        "subnormal": row * 5e-324,
        "too short": row[:2],
        "empty": row[:0],
        "two rows": np.ones((2, 4)),
        "text": ["a"] * 4,
        "whole numbers": [1, 2, 3, 4],
        "damaged csr": far,
        "dict": {"a": 1.0, "b": 2.0},
        "dict of NaN": {"a": np.nan},
        "dict of 1e200": {"a": 1e200},
        "empty dict": {},
        "dict of text": {"a": "b"},
        "None": None,
    }
    found = {f"one row, {name}": (one, {}) for name, one in rows.items()}
    for price in (1e101, 1e308, 1e-320, np.nan, -1.0, "a", None):
        found[f"one row, cost {price}"] = row, dict(fn_cost=price)
    for weight in (1e308, -1.0, np.nan, 1e-320):
        found[f"one row, weight {weight}"] = row, dict(sample_weight=weight)
    return found


@cache
def names():
    """All cases as (number of the instance, what is odd)."""
    kinds = [*forms(), *prices(), "y too short", "one class", "three classes", "labels as text"]
    kinds += [*together.KINDS, *one_by_one(), *EVEN, "one class of text"]
    return [(i, kind) for i in range(len(everything())) for kind in kinds]


def everything():
    """All estimators and samplers."""
    return [*instances(), *samplers()]


def warm():
    """Use all estimators, with dense and sparse rows."""
    for model in everything():
        for kind in ("float32", "csr", "threads predicting", "threads predicting, sparse rows"):
            _case(clone(model), kind)


def case(number):
    """One cell of the matrix."""
    i, kind = names()[number]
    model = clone(everything()[i])
    words = _case(model, kind)
    return words if words in GOOD else f"{type(model).__name__}, {kind}: {words}"


def _case(model, kind):
    X, y, fp, fn = base()
    given = accepted(together.learn(model), fp_cost=fp, fn_cost=fn)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if kind in one_by_one():
            return _one_at_a_time(model, kind, X, y)
        if kind in together.KINDS:
            return together.case(model, kind, X, y, dict(fp_cost=fp, fn_cost=fn))
        if kind in prices():
            given |= accepted(together.learn(model), **prices()[kind])
            return _fit_and_use(model, X, y, given, X)
        if kind == "y too short":
            return _fit_and_use(model, X, y[:-1], given, X)
        if kind == "one class":
            return _fit_and_use(model, X, np.zeros_like(y), given, X)
        if kind == "one class of text":
            return _fit_and_use(model, X, np.full(len(y), "yes"), given, X)
        if kind in EVEN:
            y = np.arange(len(y)) % 2
            words = _fit_and_use(clone(model), X * EVEN[kind], y, given, X * EVEN[kind])
            rows = sparse.csr_array(np.column_stack([X * EVEN[kind], y]))
            return words if words not in GOOD else _fit_and_use(model, rows, y, given, rows)
        if kind == "three classes":
            return _fit_and_use(model, X, np.arange(len(y)) % 3, given, X)
        if kind == "labels as text":
            return _fit_and_use(model, X, np.array(["no", "yes"])[y], given, X)
        sort, form = forms()[kind]
        n = 60 if "dimension" in kind else form(X).shape[0]
        given = {name: cost[:n] for name, cost in given.items()}
        words = _fit_and_use(model, form(X), y[:n], given, form(X))
        if words == "harmless" and kind.startswith("damaged"):
            return "a damaged matrix was accepted"
        if hasattr(model, "fit_resample"):
            same = sort != SAME or words != "harmless" or _same_sample(model, X, y, given, form(X))
            return words if same else "another sample than in float64"
        if words == "harmless" and sort == SAME and hasattr(model, "classes_"):
            words = _same_answers(model, X, y, given, form(X))
        if words in GOOD:  # fitted on a good table, used on an odd one
            whole = clone(model).fit(X, y, **accepted(model.fit, fp_cost=fp, fn_cost=fn))
            used = _use(whole, form(X), n)
            words = words if used == "harmless" else used
        return words


def _one_at_a_time(model, kind, X, y):
    """Learn one odd event, as the first of a stream and after others, and go on."""
    if not hasattr(model, "learn_one"):
        return "harmless"
    (row, given), refused = one_by_one()[kind], 0
    for before in (0, 30):
        model = clone(model)
        given = accepted(model.learn_one, **given)
        for x, label in zip(X[:before], y, strict=False):
            model.learn_one(x, label)
        for _ in range(2):
            try:
                model.learn_one(row, 1, **given)
            except Exception as error:
                refused += 1
                if not is_clear(error):
                    return unexpected(error)
        for x, label in zip(X[:before], y, strict=False):
            model.learn_one(x, label)
            for method in ("predict_proba_one", "decision_function_one", "predict_one"):
                if hasattr(model, method):
                    found = getattr(model, method)(x)
                    found = list(found.values()) if isinstance(found, dict) else found
                    if not np.isfinite(found).all():
                        return f"{method} is not finite afterwards"
    return "refused" if refused == 4 else "harmless"


def is_clear(error):
    """Whether an error is one that checks of stakes, scikit-learn or scipy raise."""
    if not isinstance(error, ValueError | TypeError) or not str(error).strip():
        return False
    raised = traceback.extract_tb(error.__traceback__)[-1]
    accident = any(words in str(error) for words in ACCIDENTS)
    return raised.filename.startswith(HOMES) and not accident


def _fit_and_use(model, X, y, given, rows):
    try:
        found = together.learn(model)(X, y, **given)
    except Exception as error:
        return "refused" if is_clear(error) else unexpected(error)
    return _sound(*found, X) if isinstance(found, tuple) else _use(model, rows, len(y))


def _sound(X, y, given):
    """A sample is finite if the examples are, and has a label for each row."""
    if _is_finite(given) and not _is_finite(X):
        return "the sample is not finite"
    return "harmless" if X.shape[0] == len(y) else f"{X.shape[0]} rows for {len(y)} labels"


def _is_finite(X):
    values = X.data if sparse.issparse(X) and X.format == "csr" else X
    values = X.toarray() if sparse.issparse(values) else values
    return np.isfinite(np.asarray(values, dtype=float)).all()


def _same_sample(model, X, y, given, other):
    """The same labels; the same rows too, but for neighbours at equal distances."""
    one, two = (together.resampled(model, rows, y, given) for rows in (X, other))
    if sparse.issparse(other) and hasattr(model, "k_neighbors"):
        return one["X"].shape == two["X"].shape and np.array_equal(one["y"], two["y"])
    return together.same(one, two)


def _use(model, X, n):
    for method in ("predict_proba", "decision_function", "predict", "transform"):
        if not hasattr(model, method):
            continue
        try:
            found = getattr(model, method)(X)
        except Exception as error:
            if not is_clear(error):
                return f"{method}: {unexpected(error)}"
            return "refused"
        if method == "transform":
            continue
        found = np.asarray(found)
        if len(found) != n:
            return f"{method} has {len(found)} rows for {n}"
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            return f"{method} is not finite"
        if method == "predict_proba" and not np.allclose(found.sum(axis=1), 1):
            return "probabilities do not add up to one"
    return "harmless"


def _same_answers(model, X, y, given, other):
    plain = clone(model).fit(X, y, **given)
    for method in ("decision_function", "predict_proba"):
        if hasattr(plain, method):
            one, two = (np.asarray(getattr(m, method)(t)) for m, t in ((plain, X), (model, other)))
            if not np.allclose(one, two, rtol=1e-4, atol=1e-4 * (1 + np.abs(one).max())):
                return f"{method} differs from that of the same numbers in float64"
    return "harmless"
