"""Damaged model files: saved models with one to three values changed, removed or swapped."""

import contextlib
import io
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from checks import accepted, problem
from stakes.errors import InputError
from stakes.model_file import load_model, save_model

WORDS = [
    "",
    "nan",
    "0",
    "-1",
    "1e308",
    "4294967296",
    "999999999999",
    "a",
    "[]",
    "null",
    "NaN",
    "true",
]


@cache
def models():
    """Name -> (bytes of a model file, a table to use the model on).

    They are made in another process: the threads of polars and OpenMP do not survive a fork.
    """
    with tempfile.TemporaryDirectory() as folder:
        program = f"from fuzz.model_files import make; make({folder!r})"
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [sys.executable, "-c", program], check=True, env=os.environ | {"PYTHONPATH": path}
        )
        with open(Path(folder) / "models", "rb") as file:
            return pickle.load(file)


def make(folder):
    """Write all models to a file."""
    with open(Path(folder) / "models", "wb") as file:
        pickle.dump(_models(), file)


def _models():
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC
    from xgboost import XGBClassifier

    from instances import instances
    from stakes.decision import BayesDecisionClassifier
    from stakes.tables import prepare

    X, y, fp, fn = problem(n=60)
    found = {}
    others = [
        LogisticRegression(),
        SVC(),
        HistGradientBoostingClassifier(max_iter=3),
        RandomForestClassifier(n_estimators=3, random_state=0),
        LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1),
        XGBClassifier(n_estimators=3, n_jobs=1),
        BayesDecisionClassifier(LogisticRegression(), calibration="isotonic"),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, model in enumerate([*others, *instances()]):
            if hasattr(model, "predict"):
                model.fit(X, y, **accepted(model.fit, fp_cost=fp, fn_cost=fn))
                found[f"{i} {type(model).__name__}"] = _saved(model), X
        rng = np.random.default_rng(0)
        table = pl.DataFrame({"k": rng.choice(["a", "b", "c"], 60), "n": rng.normal(size=60)})
        model = prepare(LogisticRegression(), table, scale=True, one_hot=True).fit(table, y)
        found["table"] = _saved(model), table.to_dict(as_series=False)
    return found


def _saved(model):
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "m")
        return (Path(folder) / "m").read_bytes()


def case(seed):
    """Load and use one damaged model file."""
    rng = random.Random(seed)
    name = rng.choice(sorted(models()))
    data, X = models()[name]
    X = pl.DataFrame(X) if isinstance(X, dict) else X
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "m"
        path.write_bytes(mutated(data, rng))
        try:
            model = load_model(path).model
        except InputError:
            return "refused"
        words = used(model, X)
        return words if words == "harmless" else f"{name}: {words}"


def used(model, X):
    """Use a model as a service would: scores, probabilities, decisions."""
    for method in ("predict_proba", "decision_function", "predict"):
        if hasattr(model, method):
            try:
                values = np.asarray(getattr(model, method)(X))
            except Exception as error:
                # LightGBM names a parameter that is out of its range
                if not isinstance(error, ValueError) and type(error).__name__ != "LightGBMError":
                    raise
                continue
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                return f"{method} is not finite"
            if len(values) != len(X):
                return f"{method} has {len(values)} rows"
    return "harmless"


def mutated(data, rng):
    """The bytes of a damaged copy."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = rng.choice(list(members)) if rng.random() < 0.6 else "schema.json"
        if name == "schema.json":
            members[name] = _mutated_schema(members[name], rng)
        elif name.endswith(".npy") and rng.random() < 0.9:
            members[name] = _mutated_array(members[name], rng)
        else:
            members[name] = _mutated_bytes(members[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    data = out.getvalue()
    return _mutated_bytes(data, rng) if rng.random() < 0.02 else data


def _mutated_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if not data:
            break
        at = rng.randrange(len(data))
        how = rng.randrange(4)
        if how == 0:
            data[at] = rng.randrange(256)
        elif how == 1:
            del data[at : at + rng.choice([1, 4, 8, 100])]
        elif how == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 4, 8])))
        else:
            data[at : at + 4] = rng.choice([b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff"])
    return bytes(data)


def _mutated_array(data, rng):
    with contextlib.suppress(Exception):
        array = np.load(io.BytesIO(data)).copy()
        array = _other_array(array, rng)
        out = io.BytesIO()
        np.save(out, array, allow_pickle=False)
        return out.getvalue()
    return _mutated_bytes(data, rng)


def _other_array(array, rng):
    how = rng.randrange(7)
    if how == 0:
        return array[: rng.randrange(len(array) + 1)]
    if how == 1:
        return np.concatenate([array] * rng.choice([2, 3, 100]))
    if how == 2:
        return array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1", ">f8", "U3", "c16", "f2"]))
    if how == 3:
        return array.reshape(rng.choice([(-1,), (-1, 1), (1, -1), (1, 1, -1)]))
    if how == 4 and array.size:
        return array[..., rng.randrange(array.shape[-1]) :]
    flat = array.reshape(-1)
    if array.dtype.names:
        name = rng.choice(array.dtype.names)
        flat[name][rng.randrange(len(flat))] = rng.choice([-1, 0, 1, 100, 2**31 - 1])
    elif array.dtype.kind == "f":
        flat[rng.randrange(len(flat))] = rng.choice(
            [np.nan, np.inf, -np.inf, 1e308, -1.0, 0, 1e-320]
        )
    else:
        flat[rng.randrange(len(flat))] = rng.choice([-1, 0, 1, 7, 2**31 - 1, 2**62])
    return array


def _mutated_schema(data, rng):
    if rng.random() < 0.05:
        return _mutated_bytes(data, rng)
    try:
        tree = json.loads(data)
    except ValueError:  # damaged before
        return _mutated_bytes(data, rng)
    places = []
    stack = [tree]
    while stack:
        node = stack.pop()
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            places.append((node, key))
            if isinstance(value, dict | list):
                stack.append(value)
    node, key = rng.choice(places)
    how = rng.randrange(6)
    value = node[key]
    if isinstance(value, str) and how < 4:
        node[key] = _other_text(value, rng)
    elif how == 4:
        del node[key]
    elif how == 5:
        other, at = rng.choice(places)
        with contextlib.suppress(Exception):
            node[key] = json.loads(json.dumps(other[at]))
    else:
        node[key] = rng.choice([None, 0, -1, 2**40, "", [], {}, True, 1e308])
    return json.dumps(tree).encode()


def _other_text(text, rng):
    """One number or word of the text replaced: model texts of LightGBM are one such value."""
    words = text.split(" ") if " " in text else [text]
    at = rng.randrange(len(words))
    parts = words[at].split("=")
    last = parts[-1].split("\\n")
    last[-1 if len(last) > 1 and rng.random() < 0.5 else 0] = rng.choice(
        [*WORDS, rng.choice(words), text[: rng.randrange(len(text) + 1)]]
    )
    parts[-1] = "\\n".join(last)
    words[at] = "=".join(parts)
    return " ".join(words)
