"""Fixtures of the whole suite."""

import pytest
from workflow_copy import WorkflowCopy

pytest_plugins = ("fixtures_model", "fixtures_tabular")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> WorkflowCopy:
    """A finished run of the tiny configuration; tests undo what they edit in it."""
    copy = WorkflowCopy.create(tmp_path_factory.mktemp("finished") / "copy")
    copy.run()
    return copy
