"""Models and comparisons in MLflow: a flavor that keeps prices (extra `mlflow`)."""

from stakes.mlflow._comparison import log_comparison
from stakes.mlflow._flavor import FLAVOR_NAME, load_model, log_model, need_mlflow, save_model
from stakes.mlflow._pyfunc import PricedModel, load_pyfunc

_load_pyfunc = load_pyfunc  # the name that MLflow looks for

__all__ = [
    "FLAVOR_NAME",
    "PricedModel",
    "load_model",
    "load_pyfunc",
    "log_comparison",
    "log_model",
    "need_mlflow",
    "save_model",
]
