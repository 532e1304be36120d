"""The list of mutants fits the code; the mutants themselves are run by ``make mutants``."""

import ast
from pathlib import Path

import pytest
from mutants.run import PACKAGE, ROOT, ListError, Mutant, notices, read_mutants

MUTANTS = read_mutants()


def test_every_mutant_occurs_once_in_its_module_and_is_python() -> None:
    for mutant in MUTANTS:
        text = (ROOT / PACKAGE / mutant.module).read_text(encoding="utf-8")
        compile(mutant.applied(text), mutant.module, "exec", flags=ast.PyCF_ONLY_AST)
        assert mutant.mutated != mutant.original


def test_a_mutant_names_tests_that_are_there_and_is_listed_once() -> None:
    assert not {name for mutant in MUTANTS for name in mutant.tests if not _test(name).exists()}
    assert len({(one.module, one.original, one.mutated) for one in MUTANTS}) == len(MUTANTS)


def _test(name: str) -> Path:
    return ROOT / "tests" / name


def test_a_text_that_is_gone_is_an_error() -> None:
    mutant = Mutant("statistics/ranks.py", (), "a == b", "a != b")
    with pytest.raises(ListError, match="occurs 0 times"):
        mutant.applied("a = b")
    with pytest.raises(ListError, match="occurs 2 times"):
        mutant.applied("a == b or a == b")


@pytest.mark.parametrize("asserted", [True, False])
def test_a_mutant_is_noticed_when_a_test_fails(tmp_path: Path, asserted: bool) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_one.py").write_text(f"def test() -> None:\n    assert {asserted}\n")
    marks = "\n".join(f"    {name}: a mark" for name in ("slow", "mirror", "oracle"))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{marks}\n")
    assert notices(tmp_path, ["test_one.py"], timeout=60) != asserted
