"""A model of stakes as MLflow calls it: a data frame in, decisions in money out."""

from pathlib import Path

import numpy as np

from stakes.compare import load_decider
from stakes.costs import COST_NAMES
from stakes.tables import as_frame

MODEL_FILE = "model.skops"


class PricedModel:
    """What ``mlflow.pyfunc.load_model`` calls.

    Prices of the rows are, in this order: columns of the input that are named fp_cost, fn_cost,
    tp_cost or tn_cost; parameters of these names, each a number or an expression over the columns;
    the costs of training.

    Parameters
    ----------
    path : str or Path
        The model file.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.decider = load_decider(self.path)

    def predict(self, model_input, params=None):
        """Decide about the rows of a table.

        Parameters
        ----------
        model_input : data frame
            Rows with the columns of training, and prices if they differ from row to row.
        params : dict, default=None
            Prices for all rows; empty text: as in training.

        Returns
        -------
        pandas.DataFrame
            The decision, and the probability, the break-even point and the expected cost if the
            model gives probabilities.
        """
        table, kinds = as_frame(model_input), self.decider.kinds
        given = {name: value for name, value in (params or {}).items() if value not in (None, "")}
        given |= {name: name for name in COST_NAMES if name in table.columns and name not in kinds}
        given = {name: str(value) for name, value in given.items() if name in COST_NAMES}
        decider = load_decider(self.path, **given) if given else self.decider.fresh()
        found = decider.decide(table).drop("row")
        import pandas

        return pandas.DataFrame({name: _plain(found[name]) for name in found.columns})


def _plain(column):
    """A column as numpy has it, without pyarrow."""
    values = column.to_numpy()
    return values.astype(np.int64) if values.dtype.kind == "i" else values


def load_pyfunc(path):
    """The model of an artifact, for MLflow.

    Parameters
    ----------
    path : str
        The model file, or the folder that it is in.

    Returns
    -------
    PricedModel
    """
    path = Path(path)
    return PricedModel(path / MODEL_FILE if path.is_dir() else path)
