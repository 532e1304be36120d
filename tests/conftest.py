"""Fixtures of the whole suite, and what several workers make once for all of them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from workflow_copy import WorkflowCopy, copy_run

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

pytest_plugins = ("fixtures_model", "fixtures_tabular")


@contextmanager
def _made_once(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder that all workers share, for one of them to fill: the others wait."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with FileLock(shared / f"{name}.lock"):
        yield shared / name


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> WorkflowCopy:
    """A finished run of the tiny configuration; tests undo what they edit in it."""
    with _made_once(tmp_path_factory, "finished") as folder:
        if not folder.exists():
            # Another worker may have failed here; its error is not to be hidden by what it left.
            shutil.rmtree(folder.with_suffix(".unfinished"), ignore_errors=True)
            unfinished = WorkflowCopy.create(folder.with_suffix(".unfinished"))
            unfinished.run()
            unfinished.folder.rename(folder)
    own = tmp_path_factory.mktemp("finished") / "copy"
    copy_run(folder, own)
    return WorkflowCopy(own)
