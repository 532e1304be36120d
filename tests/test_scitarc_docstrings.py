"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

from tabbench import scitarc
from tabbench.statistics import proportions

MODULES = [f"{scitarc.__name__}.{found.name}" for found in pkgutil.iter_modules(scitarc.__path__)]


@pytest.mark.parametrize("name", [*MODULES, proportions.__name__])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
