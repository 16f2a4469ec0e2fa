"""The API matrix: every estimator with odd, huge, tiny, damaged and wrongly shaped input.

A case ends with an error that says what is wrong, or with an answer: finite, one per row, and the
same for the same numbers in another form.
"""

import warnings
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.base import clone

from checks import accepted, problem
from fuzz import together
from instances import instances

# An error of scikit-learn, scipy or stakes that names the problem; other kinds are accidents
SENTENCES = (ValueError, TypeError)
SAME, OTHER = "same numbers", "other numbers"


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
        "int64": lambda X: X.astype(np.int64),
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
    }
    other = {
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


def _unsorted(X):
    X = sparse.csr_array(X)
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        X.indices[part], X.data[part] = X.indices[part][::-1].copy(), X.data[part][::-1].copy()
    X.has_sorted_indices = False
    return X


def _damages():
    def index(value):
        def damage(X):
            X = sparse.csr_array(X)
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
        "one cost 1e300": dict(fn_cost=np.where(np.arange(n) == 5, 1e300, 1.0)),
        "weights 1e308": dict(sample_weight=1e308 * (ramp / 2)),
        "weights 1e-320": dict(sample_weight=1e-320 * ramp),
        "costs too short": dict(fp_cost=ramp[:-1]),
        "weights too long": dict(sample_weight=np.append(ramp, 1.0)),
        "negative weights": dict(sample_weight=-ramp),
        "NaN cost": dict(fn_cost=np.nan),
    }


@cache
def names():
    """All cases as (number of the instance, what is odd)."""
    kinds = [*forms(), *prices(), "y too short", "one class", "three classes", "labels as text"]
    kinds += together.KINDS
    return [(i, kind) for i in range(len(instances())) for kind in kinds]


def case(number):
    """One cell of the matrix."""
    i, kind = names()[number]
    model = clone(instances()[i])
    words = _case(model, kind)
    return words if words == "harmless" else f"{type(model).__name__}, {kind}: {words}"


def _case(model, kind):
    X, y, fp, fn = base()
    given = accepted(model.fit, fp_cost=fp, fn_cost=fn)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if kind in together.KINDS:
            return together.case(model, kind, X, y, dict(fp_cost=fp, fn_cost=fn))
        if kind in prices():
            given |= accepted(model.fit, **prices()[kind])
            return _fit_and_use(model, X, y, given, X)
        if kind == "y too short":
            return _fit_and_use(model, X, y[:-1], given, X)
        if kind == "one class":
            return _fit_and_use(model, X, np.zeros_like(y), given, X)
        if kind == "three classes":
            return _fit_and_use(model, X, np.arange(len(y)) % 3, given, X)
        if kind == "labels as text":
            return _fit_and_use(model, X, np.array(["no", "yes"])[y], given, X)
        sort, form = forms()[kind]
        n = 60 if "dimension" in kind else form(X).shape[0]
        given = {name: cost[:n] for name, cost in given.items()}
        words = _fit_and_use(model, form(X), y[:n], given, form(X))
        if words != "harmless" or not kind.startswith("damaged"):
            if sort == SAME and words == "harmless" and hasattr(model, "classes_"):
                words = _same_answers(model, X, y, given, form(X))
        if words == "harmless":  # fitted on a good table, used on an odd one
            whole = clone(model).fit(X, y, **accepted(model.fit, fp_cost=fp, fn_cost=fn))
            words = _use(whole, form(X), n)
        return words


def _fit_and_use(model, X, y, given, rows):
    try:
        model.fit(X, y, **given)
    except SENTENCES as error:
        return "harmless" if str(error).strip() else f"{type(error).__name__} without a message"
    return _use(model, rows, len(y))


def _use(model, X, n):
    for method in ("predict_proba", "decision_function", "predict", "transform"):
        if not hasattr(model, method):
            continue
        try:
            found = getattr(model, method)(X)
        except SENTENCES as error:
            if not str(error).strip():
                return f"{type(error).__name__} without a message in {method}"
            continue
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
