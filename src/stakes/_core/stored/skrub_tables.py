"""What skrub's TableVectorizer may hold in a model file, with the encoders that it uses by default.

Every column goes through a chain of transformers. Selectors say to which columns one applies; they
are only read when fitting. What could open a file, start processes or search without end is fixed:
the input and the pattern of a vectorizer, the number of jobs.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from stakes._core.stored.names import PREDICATES, known_class
from stakes._core.stored.plain import Damaged, Named, Record, Unknown
from stakes._core.stored.spec import (
    COUNT,
    Anything,
    Array,
    Count,
    Dtype,
    Either,
    Flag,
    Listed,
    Mapping,
    Maybe,
    Number,
    Parameter,
    Part,
    Plain,
    Sometimes,
    Spec,
    Text,
)
from stakes._core.stored.state import estimator, thing

_COLUMN = {"all_outputs_": Listed(Text())}
_NAMES = {"feature_names_in_": Listed(Text(), "d"), "n_features_in_": Count("d", 1)}
_JOBS = {"n_jobs": Maybe(Number(-1, 64, whole=True))}
_PATTERN = TfidfVectorizer().token_pattern
_UNITS = ("year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond")


@dataclass(frozen=True)
class Moments(Spec):
    """The type of a column of times: numpy's or polars'."""

    def check(self, value, scope):
        if not isinstance(value, np.dtype):
            Part((_POLARS_TIME,)).check(value, scope)
        elif value.kind != "M":
            raise Damaged(f"has the type {value}")


@dataclass(frozen=True)
class Predicate(Spec):
    """One of the questions about a column that selectors ask."""

    def check(self, value, scope):
        if not isinstance(value, Named):
            raise Damaged("is not a function")
        if value.name not in PREDICATES:
            raise Unknown(value.name)


def _check_columns(state, scope):
    """The outputs are those of the transformed columns and the names of the others, in order."""
    state["n_jobs"] = None  # a few columns are not worth starting processes for
    if "all_inputs_" not in state:
        return
    made, transformers = state["input_to_outputs_"], state["transformers_"]
    kept = [state["keep_original"] or name not in made for name in state["all_inputs_"]]
    outputs = []
    for name, stays in zip(state["all_inputs_"], kept, strict=True):
        outputs += [name] * bool(stays) + list(made.get(name, ()))
    if made.keys() != transformers.keys() or not made.keys() <= set(state["all_inputs_"]):
        raise Damaged("columns are transformed that do not exist")
    if outputs != list(state["all_outputs_"]) or len(set(outputs)) != len(outputs):
        raise Damaged("the columns that a transformer makes do not add up")
    for name, one in transformers.items():
        if not hasattr(known_class(one.name), "transform"):
            raise Damaged(f"a {one.name} is where a transformer belongs")
        n_made = _width(one)
        if n_made is not None and n_made != len(made[name]):
            raise Damaged("a transformer makes another number of columns than it says")


def _width(transformer):
    """How many columns a transformer makes of one, where its state says so."""
    state = transformer.state or {}
    if transformer.name.endswith(".OneHotEncoder"):
        counts = state.get("_n_features_outs")
        return None if counts is None else int(sum(counts))
    if state.get("drop_", False):
        return 0
    return len(state["all_outputs_"]) if "all_outputs_" in state else 1


def _check_table(state, scope):
    """The steps are linked: what one makes the next one takes."""
    state["n_jobs"] = None
    if "_pipeline" not in state:
        return
    names = list(state["feature_names_in_"])
    for number, (_, step) in enumerate(state["_pipeline"].state["steps"]):
        kind = _ENTRY if number == 0 else _EACH
        if not isinstance(step, Record) or step.name != kind or not step.state.get(_TAKES[kind]):
            raise Damaged("the steps of a TableVectorizer are not its own, or not fitted")
        if list(step.state[_TAKES[kind]]) != names:
            raise Damaged("a step of a TableVectorizer takes other columns than it gets")
        names = list(step.state["feature_names_out_" if number == 0 else "all_outputs_"])
    if names != list(state["all_outputs_"]):
        raise Damaged("a TableVectorizer makes other columns than it says")


def _check_strings(state, scope):
    if "vectorizer_" not in state:
        return
    n_grams = len(state["vectorizer_"].state.get("vocabulary_", ()))
    n_made, reducer = len(state["all_outputs_"]), state.get("tsvd_")
    if reducer is None:
        made = min(n_grams, state["n_components"])
    else:
        made, taken = reducer.state["components_"].shape
        if taken != n_grams:
            raise Damaged("a StringEncoder counts other words than it reduces")
    if made != n_made or state["n_components_"] != n_made:
        raise Damaged("a StringEncoder makes another number of columns than it says")


def _check_vocabulary(state, scope):
    if "vocabulary_" not in state:
        return
    places = sorted(int(one) for one in state["vocabulary_"].values())
    tfidf = state["_tfidf"].state
    if places != list(range(len(places))) or not all(
        isinstance(word, str) for word in state["vocabulary_"]
    ):
        raise Damaged("the places of the words of a vectorizer are not 0, 1, 2, ...")
    if state["use_idf"] != tfidf["use_idf"] or len(tfidf.get("idf_", ())) != len(places):
        raise Damaged("the weights of the words of a vectorizer are not one per word")
    low, high = state["ngram_range"]
    if not 1 <= low <= high <= 100:
        raise Damaged("a vectorizer counts sequences of an impossible length")


def _check_dates(state, scope):
    if state.get("_periodic_encoders"):
        raise Damaged("a DatetimeEncoder has periodic encoders, which model files cannot hold")
    if "all_outputs_" in state and len(state["all_outputs_"]) != len(state["extracted_features_"]):
        raise Damaged("a DatetimeEncoder makes another number of columns than it says")


_TABLE = "skrub._table_vectorizer.TableVectorizer"
_ENTRY = "skrub._check_input.CheckInputDataFrame"
_EACH = "skrub._apply_to_each_col.ApplyToEachCol"
_TAKES = {_ENTRY: "feature_names_in_", _EACH: "all_inputs_"}
_POLARS_TIME = "polars.datatypes.classes.Datetime"
_WORDS, _WEIGHTS = (
    f"sklearn.feature_extraction.text.Tfidf{s}" for s in ("Vectorizer", "Transformer")
)
_REDUCER = "sklearn.decomposition._truncated_svd.TruncatedSVD"
_SEPARATOR = Text(("", ".", ",", " ", "'", "_"))
_TWO_SIDES = {"left": Part(), "right": Part()}

SKRUB = {
    _TABLE: estimator(
        _NAMES
        | _COLUMN
        | dict.fromkeys(
            ("_preprocessors", "_encoders", "_postprocessors"), Listed(Part((_ENTRY, _EACH)))
        )
        | {
            "_specific_columns": Listed(Text()),
            "_specific_transformers": Listed(Part((_EACH,))),
            "_named_encoders": Mapping(Part((_EACH,))),
            "_pipeline": Part(("sklearn.pipeline.Pipeline",)),
            "transformers_": Mapping(Part()),
            "all_processing_steps_": Mapping(Listed(Part())),
            **dict.fromkeys(("kind_to_columns_", "input_to_outputs_"), Mapping(Listed(Text()))),
            **dict.fromkeys(("column_to_kind_", "output_to_input_"), Mapping(Text())),
        },
        _check_table,
        **_JOBS,
    ),
    _ENTRY: estimator(
        _NAMES
        | {"module_name_": Text(("pandas", "polars")), "feature_names_out_": Listed(Text(), "d")}
    ),
    _EACH: estimator(
        _NAMES
        | dict.fromkeys(
            ("_columns", "used_inputs_", "created_outputs_", "all_outputs_"), Listed(Text())
        )
        | {
            "all_inputs_": Listed(Text(), "d"),
            "transformers_": Mapping(Part()),
            "input_to_outputs_": Mapping(Listed(Text())),
            "output_to_input_": Mapping(Text()),
        },
        _check_columns,
        rename_columns=Text(("{}",)),
        **_JOBS,
    ),
    "skrub._table_vectorizer.PassThrough": estimator({}),
    "skrub._table_vectorizer.ShortReprDict": thing({"data": Mapping(Part())}),
    "skrub._clean_null_strings.CleanNullStrings": estimator({"null_strings_": Listed(Text())}),
    "skrub._drop_uninformative.DropUninformative": estimator(
        _COLUMN | {"_null_count": COUNT, "drop_": Flag()}
    ),
    "skrub._to_datetime.ToDatetime": estimator(
        _COLUMN
        | {
            "format_": Maybe(Text()),
            "output_dtype_": Moments(),
            "output_time_zone_": Maybe(Text()),
        }
    ),
    "skrub._duration_to_float.DurationToFloat": estimator({}),
    "skrub._to_float.ToFloat": estimator(
        _COLUMN | {"_thousand": _SEPARATOR, "_needs_str_replace": Flag()},
        decimal=_SEPARATOR,
        thousand=Maybe(_SEPARATOR),
    ),
    "skrub._clean_categories.CleanCategories": estimator({}),
    "skrub._to_str.ToStr": estimator(_COLUMN),
    "skrub._datetime_encoder.DatetimeEncoder": estimator(
        _COLUMN
        | {
            "extracted_features_": Listed(
                Text((*_UNITS, "weekday", "total_seconds", "day_of_year"))
            ),
            "_periodic_encoders": Mapping(Anything()),
        },
        _check_dates,
    ),
    "skrub._string_encoder.StringEncoder": estimator(
        _COLUMN
        | {
            "input_name_": Text(),
            "n_components_": COUNT,
            "scaling_factor_": Number(1e-30, 1e30),
            "to_str": Part(("skrub._to_str.ToStr",)),
            "vectorizer_": Part((_WORDS,)),
            "tsvd_": Sometimes(Part((_REDUCER,))),
        },
        _check_strings,
        n_components=Number(1, 2**31, whole=True),
    ),
    _WORDS: estimator(
        {
            "fixed_vocabulary_": Flag(),
            "_tfidf": Part((_WEIGHTS,)),
            "vocabulary_": Mapping(Number(0, 2**31, whole=True)),
        },
        _check_vocabulary,
        input=Text(("content",)),
        token_pattern=Text((_PATTERN,)),
        stop_words=Maybe(Either((Text(("english",)), Listed(Text())))),
        analyzer=Text(("word", "char", "char_wb")),
        strip_accents=Maybe(Text(("ascii", "unicode"))),
        dtype=Dtype(),
        ngram_range=Listed(Number(1, 100, whole=True), 2),
        **dict.fromkeys(("preprocessor", "tokenizer"), Maybe(Text(("none",)))),
    ),
    _WEIGHTS: estimator({"idf_": Sometimes(Array("f", ("d",))), "n_features_in_": Count("d", 1)}),
    _REDUCER: estimator(
        {
            "components_": Array("f", ("m", "d")),
            "n_features_in_": Count("d", 1),
            **dict.fromkeys(
                ("explained_variance_", "explained_variance_ratio_", "singular_values_"), Plain()
            ),
        }
    ),
    **{f"skrub.selectors._base.{one}": thing(_TWO_SIDES) for one in ("Sub", "And")},
    "skrub.selectors._base.All": thing({}),
    "skrub.selectors._base.Cols": thing({"columns": Listed(Text())}),
    "skrub.selectors._base.Filter": thing(
        {
            "predicate": Predicate(),
            "args": Parameter(),
            "kwargs": Plain(),
            **dict.fromkeys(("name", "selector_repr"), Maybe(Text())),
        }
    ),
    _POLARS_TIME: thing({"time_unit": Text(("ms", "us", "ns")), "time_zone": Maybe(Text())}),
}
