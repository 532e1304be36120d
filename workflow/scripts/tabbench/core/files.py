"""Files on this machine: their hash, where a package keeps them, and text that is safe to write."""

import hashlib
import importlib.util
from pathlib import Path

from tabbench.core.errors import TabBenchError


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_hash(folder: Path) -> str:
    """sha256 over the paths and contents of all files below ``folder``.

    Raises
    ------
    TabBenchError
        When there is no such folder.
    """
    if not folder.is_dir():
        raise TabBenchError(f"{folder}: no such folder")
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{sha256(path)}\n".encode())
    return digest.hexdigest()


def writable(text: str) -> str:
    """Replace lone surrogates: half characters, which JSON may escape but no file can hold.

    Examples
    --------
    >>> writable("1 \\ud83d") == "1 \\N{REPLACEMENT CHARACTER}"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def package_folder(package: str) -> Path | None:
    """Folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
