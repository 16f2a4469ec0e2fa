"""Numbers of a model file that become indices: none may point outside, whatever the rows are."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from checks import problem
from stakes._core.jit.cvar_sketch import COUNT, FIRST, LARGEST, N_VALUES, SUM
from stakes._core.model_file import FORMAT, load_model, save_model
from stakes.decision import BayesDecisionClassifier
from stakes.errors import InputError
from stakes.neighbors import BayesNetConfidence, MixtureConfidence
from stakes.online import CWCVaRClassifier, OneVsRestStreamClassifier
from stakes.online._cost_buffer import CostBuffer
from stakes.online._cw_cvar_jit import UNIT, WIDTH, sketch_parts
from stakes.tables import prepare


def refused(model, path):
    import skops.io

    skops.io.dump({"format": FORMAT, "version": "1", "model": model, "facts": {}}, path / "m")
    with pytest.raises(InputError, match="is damaged"):
        load_model(path / "m")


@pytest.fixture
def pipeline():
    table = pl.DataFrame({"amount": [1.0, None, 3.0, 4.0] * 5, "kind": ["b", "a", "b", None] * 5})
    return prepare(LogisticRegression(), table, scale=True).fit(table, [0, 1] * 10)


def part(pipeline, name):
    """The step that is a ModelMatrix, or its encoder."""
    (matrix,) = [step for _, step in pipeline.steps if hasattr(step, "column_of_code_")]
    return matrix if name == "matrix" else matrix.encoder_


def test_the_pipeline_as_it_is_may_be_stored(pipeline, tmp_path):
    save_model(pipeline, tmp_path / "m")
    assert part(load_model(tmp_path / "m").model, "matrix").codes_.tolist() == [1]


@pytest.mark.parametrize(
    ("of", "name", "value"),
    [
        ("matrix", "codes_", np.array([0])),  # a number, which may be -1e99, as an index
        ("matrix", "numbers_", np.array([1])),
        ("matrix", "gaps_", np.array([1])),
        ("encoder", "categorical_mask_", np.array([True, True])),
        ("encoder", "categorical_mask_", np.array([True, False])),
        ("encoder", "kinds_", {"amount": "text", "kind": "number"}),
        ("encoder", "kinds_", {"amount": "complex", "kind": "text"}),
        ("encoder", "empty_", ["kind"]),
        ("encoder", "empty_", ["nothing"]),
    ],
)
def test_codes_are_of_categories_only(of, name, value, pipeline, tmp_path):
    setattr(part(pipeline, of), name, value)
    refused(pipeline, tmp_path)


def test_a_number_in_the_place_of_a_category_is_refused(pipeline, tmp_path):
    matrix = part(pipeline, "matrix")
    matrix.codes_, matrix.numbers_ = matrix.numbers_, matrix.codes_
    matrix.gaps_ = matrix.numbers_
    refused(pipeline, tmp_path)


@pytest.mark.parametrize(
    ("slot", "value"), [(WIDTH, 1e-300), (WIDTH, 1.0), (UNIT, -1.0), (WIDTH, np.nan)]
)
def test_the_cells_of_a_cost_buffer_have_their_width(slot, value, tmp_path):
    X, y, _, fn = problem()
    model = CWCVaRClassifier(max_memory=400).fit(X, y, fn_cost=fn)
    save_model(model, tmp_path / "whole")
    model._buffer.numbers[slot] = value
    refused(model, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda cells, place: place.__setitem__(N_VALUES, 10**6),
        lambda cells, place: cells[SUM].__setitem__(cells[COUNT] > 0, -1.0),
        lambda cells, place: cells[LARGEST].__setitem__(cells[COUNT] > 0, np.nan),
    ],
)
def test_the_counts_of_a_cost_buffer_add_up(change, tmp_path):
    X, y, _, fn = problem()
    model = CWCVaRClassifier(max_memory=400).fit(X, y, fn_cost=fn)
    change(*sketch_parts(model._buffer.numbers)[1:])
    refused(model, tmp_path)


@pytest.mark.parametrize("first", [-(2**40), 0, 2**40])
@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e100])
def test_any_cost_has_a_cell(first, unit):
    """A ratio that overflows is no index; numpy would write to other memory in silence."""
    buffer, other = CostBuffer(0.2, 2.0, 1.0, 64), CostBuffer(0.2, 2.0, 1.0, 64)
    buffer.factors(np.array([1.0, 2.0]))
    buffer.numbers[UNIT] = unit
    sketch_parts(buffer.numbers)[2][FIRST] = first
    with np.errstate(all="ignore"):  # without compiled loops numpy warns
        assert set(buffer.factors(np.array([1e-100, 1e100, 3.0])).tolist()) <= {1.0, 2.0}
        other.factors(np.array([5.0, 7.0]))
        sketch_parts(other.numbers)[1][SUM] = 0.0  # cells whose mean is zero
        buffer.join(other)
    cells = sketch_parts(buffer.numbers)[1]
    assert cells[COUNT].sum() == 7 and np.isfinite(cells[COUNT]).all()


@pytest.mark.parametrize(("before", "after"), [(0.9, 0.05), (0.05, 0.9)])
def test_the_heaps_of_the_costs_have_room_after_a_change_of_the_tail(before, after):
    costs = np.arange(1.0, 41.0)
    buffer = CostBuffer(before, 2.0, 1.0, None)
    buffer.factors(costs)
    top = buffer._heaps[0]
    buffer._heaps = top[: buffer._heaps[2][0]].copy(), *buffer._heaps[1:]  # as small as may be
    buffer.set_rule(after, 2.0, 1.0, False)
    found = [buffer.factor(100.0 + c) for c in costs]
    fresh = CostBuffer(after, 2.0, 1.0, None)
    fresh.factors(costs)
    assert found == [fresh.factor(100.0 + c) for c in costs]
    assert buffer._heaps[2].tolist() == fresh._heaps[2].tolist()


def test_the_parts_of_a_model_have_the_methods_it_calls(tmp_path):
    X, y, _, _ = problem()
    scaler = StandardScaler().fit(X)
    decided = BayesDecisionClassifier(LogisticRegression()).fit(X, y)
    decided.estimator_ = scaler
    many = OneVsRestStreamClassifier().fit(X, y)
    many.estimators_[1] = scaler
    buffered = CWCVaRClassifier().fit(X, y)
    buffered._buffer = scaler
    for model in (decided, many, buffered):
        refused(model, tmp_path)


def test_learners_of_classes_read_the_same_features(tmp_path):
    X, y, _, _ = problem()
    model = OneVsRestStreamClassifier().fit(X, y)
    model.estimators_[0] = OneVsRestStreamClassifier().fit(X[:, :2], y).estimators_[0]
    refused(model, tmp_path)


def test_an_encoder_has_categories_for_each_column(tmp_path):
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit([[0], [1], [2]], [0, 1, 1])
    save_model(model, tmp_path / "whole")
    model[0].categories_[0] = model[0].categories_[0][:0]
    refused(model, tmp_path)


@pytest.mark.parametrize("damage", ["scale", "weights", "precision"])
def test_a_mixture_whose_density_would_not_be_finite_is_refused(damage, tmp_path):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    model = MixtureConfidence(random_state=0).fit(X, y)
    save_model(model, tmp_path / "sound")
    mixture = model.mixtures_[0]
    if damage == "scale":
        model.scale_[1] = 0.0
    elif damage == "weights":
        mixture.weights_[:] = 0.0
    else:
        mixture.precisions_cholesky_[0, 1, 1] *= -1.0
    refused(model, tmp_path)


@pytest.mark.parametrize("key", [-1, 9, 2**62])
@pytest.mark.parametrize("column", [0, 1])
def test_the_keys_of_a_network_are_values_that_its_parents_can_have(column, key, tmp_path):
    X = np.tile([[0, 0], [1, 1], [2, 0]], (10, 1))
    model = BayesNetConfidence(categorical_features=[0, 1]).fit(X, np.arange(30) % 2)
    save_model(model, tmp_path / "sound")
    model._tables[1][column][0][-1 if key > 0 else 0] = key
    refused(model, tmp_path)
