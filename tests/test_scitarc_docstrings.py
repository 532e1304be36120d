"""The examples in docstrings are true."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from tabbench import scitarc
from tabbench.statistics import proportions

NAMES = [f"{scitarc.__name__}.{found.name}" for found in pkgutil.iter_modules(scitarc.__path__)]
MODULES = [proportions, *map(importlib.import_module, NAMES)]
WITH_EXAMPLES = [one for one in MODULES if ">>> " in inspect.getsource(one)]


@pytest.mark.parametrize("module", WITH_EXAMPLES, ids=lambda module: module.__name__)
def test_examples(module):
    found = doctest.testmod(module)
    assert found.attempted == inspect.getsource(module).count(">>> ")
    assert found.failed == 0


def test_there_are_examples():
    assert len(WITH_EXAMPLES) > 3
