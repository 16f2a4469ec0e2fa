"""Model files that cannot run code."""

from stakes._core.model_file import StoredModel, load_model, save_model, sign_model

__all__ = ["StoredModel", "load_model", "save_model", "sign_model"]
