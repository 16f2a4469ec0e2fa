"""A file of payments, and ways to run commands."""

import os

import pytest
from typer.testing import CliRunner

from payments import payments
from stakes.cli._app import app


@pytest.fixture(scope="session")
def table_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "payments.csv"
    payments().write_csv(path)
    return path


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; gives its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*args):
        return CliRunner().invoke(app, [str(arg) for arg in args], prog_name="stakes")

    return call


@pytest.fixture
def refused(run, tmp_path):
    """Run a command that must end in one sentence, exit code 2, and nothing written."""

    def call(*args):
        before = sorted(os.listdir(tmp_path))
        result = run(*args)
        assert result.exit_code == 2, (result.output, result.exception)
        assert result.stdout == ""
        sentence = result.stderr
        assert sentence.count("\n") == 1 and sentence.endswith("\n"), sentence
        assert "Traceback" not in sentence and sentence.strip()[-1] in ".?", sentence
        assert sorted(os.listdir(tmp_path)) == before
        return sentence

    return call
