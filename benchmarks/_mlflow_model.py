"""Serve a model of `stakes train` by MLflow: python _mlflow_model.py MODEL FOLDER PORT."""

import sys

import mlflow.pyfunc
import numpy as np
import polars as pl
import uvicorn
from mlflow.pyfunc import scoring_server

from stakes._core.model_file import load_model
from stakes.tables import cast_like


class Served(mlflow.pyfunc.PythonModel):
    """The same rows to the same probabilities, without prices."""

    def load_context(self, context):
        stored = load_model(context.artifacts["model"])
        self._model, self._kinds = stored.model, stored.facts["kinds"]

    def predict(self, context, model_input, params=None):
        table = cast_like(pl.DataFrame(model_input.to_dict(orient="list")), self._kinds)
        return np.asarray(self._model.predict_proba(table))[:, 1]


if __name__ == "__main__":
    model, folder, port = sys.argv[1:]
    mlflow.pyfunc.save_model(folder, python_model=Served(), artifacts={"model": model})
    # what `mlflow models serve` starts, without its log of accesses
    app = scoring_server.init(mlflow.pyfunc.load_model(folder))
    uvicorn.run(app, port=int(port), log_level="warning")
