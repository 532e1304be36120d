"""Versions of the software behind the page."""

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    *("snakemake", "torch", "transformers", "pandas", "numpy", "scikit-learn", "scipy"),
    *("xgboost-cpu", "pyarrow", "matplotlib"),
)
_CODE = (("Snakefile",), ("rules", "**/*.smk"), ("workflow", "**/*.*"))
_SUFFIXES = {"", ".smk", ".py", ".html", ".css", ".js", ".rst"}


def package_versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of packages in this process's environment."""
    found = {"Python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not in the environment of this page; see envs/"
    return found


def workflow_hash(root: Path) -> str:
    """Return the first 12 hex digits of a sha256 over rules and code, whatever their history.

    Parameters
    ----------
    root : the workflow's folder, with ``Snakefile``, ``rules`` and ``workflow``
    """
    files = sorted(
        path
        for first, *pattern in _CODE
        for path in ((root / first).glob(pattern[0]) if pattern else [root / first])
        if path.is_file() and path.suffix in _SUFFIXES
    )
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
