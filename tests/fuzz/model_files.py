"""Damaged model files: saved models with one to three values changed, removed or swapped."""

import contextlib
import io
import json
import os
import random
import re
import tempfile
import traceback
import warnings
import zipfile
from functools import cache
from pathlib import Path

import joblib
import numpy as np
import polars as pl
from sklearn.exceptions import NotFittedError

import stakes
from fuzz.children import ACCIDENTS, unexpected
from fuzz.models import models
from fuzz.watch import watched
from stakes.compare import load_decider
from stakes.errors import InputError
from stakes.model_file import load_model
from stakes.stream import DecisionStream

_OTHER_TABLE = r"X has \d+ features, but \w+ is expecting \d+ features as input\."
_OTHER_TABLE += r"|Found unknown categories .* in column \d+ during transform"
METHODS = ("predict_proba", "decision_function", "predict", "log_density")
OURS = os.path.dirname(stakes.__file__)
WORDS = ["", "nan", "0", "-1", "1e308", "4294967296", "999999999999", "a", "[]", "null", "NaN"]
WORDS += ["1e149", "1e99", "-1e-150", "2147483647", "1e-150", "3"]
WORDS += ["true", "1e-320", "0.5", "/etc/hostname", "file:///etc/hostname", "builtins", "2"]


@cache
def warm(name):
    """Use the model as it was, so that all that it needs is imported and compiled."""
    kind, data, rows = models()[name]
    joblib.cpu_count(only_physical_cores=True)  # LightGBM asks, and joblib runs lscpu once
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (Path(folder) / "m").write_bytes(data)
        assert USES[kind](Path(folder) / "m", rows) == "harmless", name


def warm_all():
    """Use all models."""
    for name in models():
        warm(name)


def case(seed):
    """Load and use one damaged model file."""
    rng = random.Random(seed)
    name = rng.choice(sorted(models()))
    kind, data, rows = models()[name]
    warm(name)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "m"
        path.write_bytes(mutated(data, rng))
        with watched(folder) as opened:
            try:
                words = USES[kind](path, rows)
            except Exception as error:
                words = unexpected(error)
    if opened:
        words = f"opened {opened[0]}"
    return words if words in ("refused", "harmless") else f"{name}: {words}"


def _use_estimator(path, rows):
    """Load a model, and ask it for scores, probabilities and decisions."""
    try:
        model = load_model(path).model
    except InputError:
        return "refused"
    X = pl.DataFrame(rows) if isinstance(rows, dict) else rows
    for method in METHODS:
        if not hasattr(model, method):
            continue
        try:
            values = np.asarray(getattr(model, method)(X))
        except Exception as error:
            if is_sentence(error):
                return "refused"
            raise
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            return f"{method} is not finite"
        if len(values) != len(X):
            return f"{method} has {len(values)} rows"
    return "harmless"


def _use_trained(path, rows):
    """Decide about new rows as `stakes predict` does."""
    try:
        decided = load_decider(path).decide(pl.DataFrame(rows).cast(pl.String))
    except Exception as error:
        if is_sentence(error):
            return "refused"
        raise
    numbers = decided.select(pl.selectors.float()).to_numpy()
    return "harmless" if np.isfinite(numbers).all() else "decisions are not finite"


def _use_stream(path, rows):
    """Resume a saved stream: labels for pending events, new events, and saving again."""
    try:
        stream = DecisionStream.load(path)
        for id in ("e6", "e9", "e30"):
            stream.label(id, 1)
        found = [stream.learn(dict(row), row.get("y", 0)) for row in rows[:6]]
        stream.save(path)
    except Exception as error:
        if is_sentence(error):
            return "refused"
        raise
    values = [np.ravel(x) for one in found for x in one[2:] if x is not None]
    return "harmless" if np.isfinite(np.concatenate(values)).all() else "decisions are not finite"


USES = {"estimator": _use_estimator, "trained": _use_trained, "stream": _use_stream}


def is_sentence(error):
    """Whether an error says what is wrong: ours, or that the table is not one for the model."""
    if not str(error).strip():
        return False
    if isinstance(error, InputError | NotFittedError):
        return True
    if isinstance(error, ValueError) and re.fullmatch(_OTHER_TABLE, str(error)):
        return True
    if any(words in str(error) for words in ACCIDENTS):
        return False
    raised = traceback.extract_tb(error.__traceback__)[-1]
    return isinstance(error, ValueError) and raised.filename.startswith(OURS)


@cache
def _members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def mutated(data, rng):
    """The bytes of a damaged copy."""
    members = dict(_members(data))
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
            [np.nan, np.inf, -np.inf, 1e308, 1e149, -1e149, 1e99, -1.0, 0, 1e-150, 1e-320]
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
