"""The examples in the package's docstrings are true."""

import doctest
import importlib

import pytest
from module_reach import SCRIPTS, module_name

SOURCES = {module_name(path): path.read_text() for path in (SCRIPTS / "tabbench").rglob("*.py")}
WITH_EXAMPLES = sorted(name for name, text in SOURCES.items() if ">>> " in text)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name):
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted == SOURCES[name].count(">>> ")
    assert done.failed == 0


def test_examples_are_found():
    assert len(WITH_EXAMPLES) > 30
