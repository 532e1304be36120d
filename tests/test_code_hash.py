"""The code hash follows imports and nothing else."""

from tabbench.core.code_hash import code_hash, imported_files


def package(tmp_path, **modules):
    root = tmp_path / "root"
    (root / "tabbench" / "deep").mkdir(parents=True, exist_ok=True)
    texts = {
        "tabbench/__init__.py": "",
        "tabbench/deep/__init__.py": "",
        "tabbench/a.py": "from tabbench.b import f\n",
        "tabbench/b.py": "f = 1\n",
        "tabbench/deep/c.py": "",
        "tabbench/other.py": "",
        "script.py": "from tabbench.a import f\n",
    }
    for name, text in {**texts, **modules}.items():
        (root / name).write_text(text)
    return root


def names(root, *start):
    return {str(file.relative_to(root)) for file in imported_files(root, [root / s for s in start])}


def test_imports_are_closed_over(tmp_path):
    root = package(tmp_path)
    assert names(root, "script.py") == {
        "script.py",
        "tabbench/__init__.py",
        "tabbench/a.py",
        "tabbench/b.py",
    }


def test_all_ways_of_importing_a_module_count(tmp_path):
    ways = (
        "import tabbench.deep.c",
        "from tabbench.deep import c",
        "def f():\n    from tabbench.deep.c import x",
    )
    for number, text in enumerate(ways):
        root = package(tmp_path / str(number), **{"script.py": text})
        assert {"tabbench/deep/__init__.py", "tabbench/deep/c.py"} <= names(root, "script.py")


def test_cycles_end(tmp_path):
    root = package(tmp_path, **{"tabbench/b.py": "import tabbench.a\n"})
    assert "tabbench/a.py" in names(root, "script.py")


def digest(tmp_path, name, environment=b"", modules=(), **changes):
    root = package(tmp_path / name, **changes)
    return code_hash(root, root / "script.py", modules, environment)


def test_the_hash_changes_with_what_is_imported_only(tmp_path):
    base = digest(tmp_path, "base")
    assert digest(tmp_path, "same") == base
    assert digest(tmp_path, "unrelated", **{"tabbench/other.py": "x = 1"}) == base
    assert digest(tmp_path, "module", **{"tabbench/b.py": "f = 2\n"}) != base
    assert digest(tmp_path, "environment", environment=b"numpy") != base
    by_name = digest(tmp_path, "by name", modules=["tabbench.deep.c"])
    assert by_name != base
    edited = {"tabbench/deep/c.py": "x = 1"}
    assert digest(tmp_path, "by name edited", modules=["tabbench.deep.c"], **edited) != by_name


CODE = '''"""What it is for."""
import re

LIMIT = 3
"""Why three."""


def f(x):
    """Say what it does."""
    return x + LIMIT  # a sum


class Empty:
    """Nothing else."""
'''


def test_prose_and_formatting_change_nothing(tmp_path):
    base = digest(tmp_path, "base", **{"tabbench/b.py": CODE})
    prose = CODE.replace("Say what it does.", "Give the sum.").replace("  # a sum", "")
    prose = prose.replace("What it is for", "Its use").replace("Why three", "Because")
    prose = prose.replace("x + LIMIT", "(x\n        + LIMIT)").replace("Nothing else", "Empty")
    assert prose != CODE
    assert digest(tmp_path, "prose", **{"tabbench/b.py": prose}) == base


def test_every_string_that_does_something_counts(tmp_path):
    base = digest(tmp_path, "base", **{"tabbench/b.py": CODE})
    for number, (old, new) in enumerate(
        [("LIMIT = 3", "LIMIT = 4"), ("x + LIMIT", "x - LIMIT"), ("return x", 'return "x"')]
    ):
        assert old in CODE
        changed = CODE.replace(old, new)
        assert digest(tmp_path, str(number), **{"tabbench/b.py": changed}) != base
    texts = [CODE.replace("LIMIT = 3", f"LIMIT = '{text}'") for text in ("a", "b")]
    first, second = (
        digest(tmp_path, f"text {number}", **{"tabbench/b.py": text})
        for number, text in enumerate(texts)
    )
    assert first != second
