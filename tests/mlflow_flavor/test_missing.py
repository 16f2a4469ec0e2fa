"""Without MLflow: a message that names the extra."""

import pytest

from stakes.errors import InputError
from stakes.mlflow import log_comparison, save_model


def test_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for call in (lambda: save_model("m.skops", tmp_path), lambda: log_comparison(tmp_path)):
        with pytest.raises(InputError, match=r"pip install 'stakes\[mlflow\]'"):
            call()
