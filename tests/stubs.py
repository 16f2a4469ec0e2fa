"""Types of the public names, from signatures and docstrings: `python tests/stubs.py` writes them.

One file `__init__.pyi` per public folder, which editors and type checkers read. A test compares
them with what would be written.
"""

import importlib
import inspect
import keyword
import re
import sys
from pathlib import Path

import stakes

SOURCE = Path(stakes.__file__).parent
HIDDEN = ("__version__", "cli")
HEAD = '''"""Written by tests/stubs.py from signatures and docstrings; do not edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
'''
# beginnings of what docstrings say -> type; the first that fits
WORDS = [
    (
        r"array-like|sparse|ragged|sequence of (float|int|number)|list of (float|int|number)",
        "ArrayLike",
    ),
    (r"ndarray|array|CSR|csr", "NDArray[Any]"),
    (r"data ?frame|polars|pandas|table", "Any"),
    (r"bool|flag", "bool"),
    (r"int|number of|whole number", "int"),
    (r"float|number|probability", "float"),
    (r"str|text", "str"),
    (r"[Pp]ath", "Path"),
    (r"RandomState", "RandomState"),
    (r"callable|function", "Callable[..., Any]"),
    (r"dict", "dict[str, Any]"),
    (r"sequence|list", "list[Any]"),
    (r"None", "None"),
]
_GENERIC = {"tuple": "tuple[Any, ...]", "dict": "dict[str, Any]", "list": "list[Any]"}
MIXINS = ("ClassifierMixin", "RegressorMixin", "TransformerMixin", "BaseEstimator")


def main():
    for path, text in stubs().items():
        path.write_text(text)


def stubs():
    """Path -> text of every stub."""
    found = {}
    for name in stakes.__all__:
        if name in HIDDEN:
            continue
        module = importlib.import_module(f"stakes.{name}")
        path = SOURCE / name / "__init__.pyi"
        found[path if path.parent.is_dir() else SOURCE / f"{name}.pyi"] = stub(module)
    return found


def stub(module):
    names = public(module)
    classes = {name for name in names if inspect.isclass(getattr(module, name))}
    parts = [_stub_of(name, getattr(module, name), classes) for name in sorted(names)]
    listed = "".join(f'    "{name}",\n' for name in sorted(names))
    return f"{HEAD}\n__all__ = [\n{listed}]\n\n" + "\n".join(parts)


def public(module):
    names = getattr(module, "__all__", None)
    if names is None:
        own = (
            n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__
        )
        names = [name for name in own if not name.startswith("_")]
    return list(names)


def _stub_of(name, value, classes):
    if inspect.isclass(value):
        return _class(name, value, classes)
    if callable(value):
        return _function(name, value, classes)
    kinds = {bool: "bool", int: "int", float: "float", str: "str"}
    return f"{name}: {kinds.get(type(value), 'Any')}"


def _class(name, cls, classes):
    bases = [one for one in MIXINS if one in {c.__name__ for c in cls.__mro__}]
    raised = [c.__name__ for c in cls.__mro__[1:] if c.__module__ == "builtins" and c is not object]
    bases = bases or [_GENERIC.get(one, one) for one in raised[:1]]
    lines, done = [], set()
    documented = _sections(cls)
    for member, value in _members(cls):
        if isinstance(value, property):
            kind = _returned(value.fget, classes)
            lines += ["@property", f"def {member}(self) -> {kind}: ..."]
        elif isinstance(value, classmethod | staticmethod):
            decorator = type(value).__name__
            lines += [f"@{decorator}", _function(member, value.__func__, classes)]
        else:
            lines.append(_function(member, value, classes))
        done.add(member)
    attributes = {
        attribute: kind
        for where in ("Parameters", "Attributes")
        for attribute, kind in documented.get(where, {}).items()
        if attribute.isidentifier() and attribute not in done
    }
    first = [f"{attribute}: {_type(kind, classes)}" for attribute, kind in attributes.items()]
    init = _init(cls, classes, documented.get("Parameters", {}))
    body = "\n".join(f"    {line}" for line in [*first, *init, *lines]) or "    ..."
    return f"class {name}({', '.join(bases)}):\n{body}\n" if bases else f"class {name}:\n{body}\n"


def _members(cls):
    """Public methods and properties, also of our base classes."""
    found = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("stakes"):
            continue
        for name, value in vars(base).items():
            is_ours = inspect.isfunction(value) or isinstance(
                value, property | classmethod | staticmethod
            )
            if not is_ours and hasattr(value, "fn") and callable(getattr(value, "fn", None)):
                value, is_ours = value.fn, True  # available_if
            if not name.startswith("_") and is_ours and not keyword.iskeyword(name):
                found[name] = value
    return sorted(found.items())


def _init(cls, classes, documented):
    if "__init__" not in {name for c in cls.__mro__ if c is not object for name in vars(c)}:
        return []
    if issubclass(cls, BaseException):
        return []
    try:
        signature = inspect.signature(cls.__init__)
    except (ValueError, TypeError):
        return []
    arguments = _arguments(signature, documented, classes)
    return [f"def __init__({arguments}) -> None: ..."]


def _function(name, function, classes):
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."
    documented = _sections(function).get("Parameters", {})
    returned = _returned(function, classes)
    return f"def {name}({_arguments(signature, documented, classes)}) -> {returned}: ..."


def _arguments(signature, documented, classes):
    parts, star = [], False
    for parameter in signature.parameters.values():
        kind, name = parameter.kind, parameter.name
        if kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if name in ("self", "cls"):
            parts.append(name)
            continue
        if kind is parameter.VAR_POSITIONAL:
            parts.append(f"*{name}: Any")
            star = True
            continue
        if kind is parameter.VAR_KEYWORD:
            parts.append(f"**{name}: Any")
            continue
        said = documented.get(name)
        found = _type(said, classes) if said else "Any"
        if name in COST_ARGUMENTS and parameter.default is None:
            found = COSTS
        if parameter.default is None and found != "Any" and "None" not in found.split(" | "):
            found += " | None"
        parts.append(
            f"{name}: {found}" + ("" if parameter.default is parameter.empty else " = ...")
        )
    return ", ".join(parts)


COST_ARGUMENTS = ("fp_cost", "fn_cost", "tp_cost", "tn_cost")
COSTS = "ArrayLike | None"


def _returned(function, classes):
    said = _sections(function).get("Returns", {})
    if not said:
        return "Any"
    text = next(iter(said.values()))
    return "Any" if len(said) > 1 else _type(text, classes)


def _sections(thing):
    """Section -> name -> what is said about its type."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    found, section = {}, None
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if re.fullmatch(r"-{3,}", following.strip()) and line.strip():
            section = found.setdefault(line.strip(), {})
        elif section is not None and line and not line.startswith((" ", "-")):
            name, _, said = line.partition(" : ")
            if section is found.get("Returns"):
                section[name] = said or name
                continue
            for one in name.split(","):
                section[one.strip().lstrip("*")] = said or name
    return found


def _type(said, classes):
    """The type that a docstring means."""
    if said is None:
        return "Any"
    if "default=None" in said and "None" not in said.split(", default")[0]:
        found = _type(said.split(", default")[0], classes)
        return found if found == "Any" else f"{found} | None"
    said = re.split(r", default\b| of shape|, shape", said)[0].strip()
    if said == "self":
        return "Self"
    if "data frame" in said or "sparse" in said:  # numpy's ArrayLike has neither
        return "Any"
    choices = re.match(r"\{(.*)\}(.*)", said)
    if choices and '"' in choices[1]:
        values = re.findall(r'"[^"]*"', choices[1])
        rest = choices[2].replace(" or ", "").strip(", ")
        more = [_type(part, classes) for part in re.split(r",| or ", rest) if part.strip()]
        return " | ".join(dict.fromkeys([f"Literal[{', '.join(values)}]", *more]))
    if choices:
        return "ArrayLike" if "array-like" in said else "Any"
    parts = [part.strip() for part in re.split(r",\s*| or (?=\w)", said) if part.strip()]
    found = [_one(part, classes) for part in parts]
    return "Any" if not found or "Any" in found else " | ".join(dict.fromkeys(found))


def _one(part, classes):
    part = part.removeprefix("or ").strip("`~.: ")
    if part.split(".")[-1] in classes:
        return part.split(".")[-1]
    if re.fullmatch(r'"[^"]*"', part):
        return f"Literal[{part}]"
    return next((kind for pattern, kind in WORDS if re.match(rf"(?:{pattern})\b", part)), "Any")


if __name__ == "__main__":
    sys.path.insert(0, str(SOURCE.parents[0]))
    main()
