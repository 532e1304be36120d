"""Fixtures of the whole suite."""

import pytest
from hypothesis import HealthCheck, settings
from workflow_copy import WorkflowCopy

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

pytest_plugins = ("fixtures_model", "fixtures_tabular")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> WorkflowCopy:
    """A finished run of the tiny configuration; tests undo what they edit in it."""
    copy = WorkflowCopy.create(tmp_path_factory.mktemp("finished") / "copy")
    copy.run()
    return copy
