"""Save, log and load models of `stakes train` as a flavor of MLflow."""

import importlib.util
import shutil
from pathlib import Path

import polars as pl

from stakes import __version__
from stakes import model_file as files
from stakes._core.stored.facts import check_trained
from stakes.costs import COST_NAMES
from stakes.errors import InputError
from stakes.mlflow._pyfunc import MODEL_FILE
from stakes.tables import cast_like

FLAVOR_NAME = "stakes"
_TYPES = {"number": "double", "boolean": "boolean", "date": "datetime", "datetime": "datetime"}
_EXAMPLES = 5  # rows of the input example


def need_mlflow():
    """Raise an error that names the extra if MLflow is not installed."""
    if importlib.util.find_spec("mlflow") is None:
        raise InputError("MLflow is not installed: pip install 'stakes[mlflow]'.")


def save_model(model, path, mlflow_model=None, *, signature=None, input_example=None):
    """Write a model file of ``stakes train`` as an MLflow model.

    The model is stored in the file format of stakes, which cannot run code, so no types need to be
    trusted when it is loaded. Signature and input example come from the file unless given.

    Parameters
    ----------
    model : str or Path
        The model file.
    path : str or Path
        Folder to create.
    mlflow_model : mlflow.models.Model, default=None
        The description that is extended.
    signature : mlflow.models.ModelSignature, default=None
        Columns and prices; None: those of the file.
    input_example : data frame, default=None
        Rows for the documentation; None: typical rows of training.

    Returns
    -------
    mlflow.models.Model
    """
    need_mlflow()
    from mlflow import pyfunc
    from mlflow.models import Model
    from mlflow.models.utils import _save_example

    stored = files.load_model(model)
    check_trained(model, stored.facts)
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(model, path / MODEL_FILE)
    described = Model() if mlflow_model is None else mlflow_model
    described.signature = signature or signature_of(stored)
    example = example_of(stored) if input_example is None else input_example
    if example is not None:
        _save_example(described, example, str(path))
    pyfunc.add_to_model(
        described,
        loader_module="stakes.mlflow",
        data=MODEL_FILE,
        pip_requirements=str(path / "requirements.txt"),
    )
    described.add_flavor(FLAVOR_NAME, data=MODEL_FILE, stakes_version=stored.version)
    (path / "requirements.txt").write_text(f"stakes[mlflow]=={__version__}\n")
    described.save(str(path / "MLmodel"))
    return described


def log_model(model, name="model", **settings):
    """Log a model file of ``stakes train`` to the active run.

    Parameters
    ----------
    model : str or Path
        The model file.
    name : str, default="model"
        Name of the model in the run.
    **settings : dict
        Settings of ``mlflow.models.Model.log``, such as `registered_model_name`, and `signature`
        and `input_example` of :func:`save_model`.

    Returns
    -------
    mlflow.models.model.ModelInfo
    """
    need_mlflow()
    from mlflow.models import Model

    import stakes.mlflow

    return Model.log(None, stakes.mlflow, name=name, model=str(model), **settings)


def load_model(model_uri):
    """Read a logged model as :func:`stakes.model_file.load_model` does.

    Parameters
    ----------
    model_uri : str
        A path, ``models:/...`` or ``runs:/...``.

    Returns
    -------
    stakes.model_file.StoredModel
    """
    need_mlflow()
    from mlflow.tracking.artifact_utils import _download_artifact_from_uri

    return files.load_model(Path(_download_artifact_from_uri(model_uri)) / MODEL_FILE)


def signature_of(stored):
    """Columns of the table, prices of the rows as optional columns, prices as parameters."""
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, ParamSchema, ParamSpec, Schema

    kinds = stored.facts["kinds"]
    columns = [ColSpec(_TYPES.get(kind, "string"), name) for name, kind in kinds.items()]
    prices = [] if stored.facts.get("cost_matrix") else [n for n in COST_NAMES if n not in kinds]
    columns += [ColSpec("double", name, required=False) for name in prices]
    outputs = [ColSpec("string" if not prices else "long", "decision")]
    if prices:
        outputs += [ColSpec("double", n) for n in ("probability", "break_even", "expected_cost")]
    params = ParamSchema([ParamSpec(name, "string", "") for name in prices]) if prices else None
    return ModelSignature(Schema(columns), Schema(outputs), params)


def example_of(stored):
    """Typical rows of training as a pandas frame, or None if the file has none."""
    background = stored.facts.get("background")
    if not background:
        return None
    import pandas

    kinds = {name: stored.facts["kinds"][name] for name in background}
    rows = cast_like(pl.DataFrame(background, strict=False), kinds)
    present = rows.drop_nulls()
    rows = (present if present.height else rows).head(_EXAMPLES)
    return pandas.DataFrame({name: rows[name].to_list() for name in rows.columns})
