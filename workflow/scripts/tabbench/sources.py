"""Find a dataset's raw files: in a mirror folder or inside an installed package."""

import hashlib
import importlib.util
import shutil
from collections.abc import Sequence
from pathlib import Path

from tabbench.errors import TabBenchError
from tabbench.registry import Source


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def package_folder(package: str) -> Path | None:
    """Folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _root(source: Source, mirror: Path | None) -> Path | None:
    if source.kind == "mirror":
        return mirror
    return package_folder(source.package or "")


def fetch(dataset: str, sources: Sequence[Source], mirror: Path | None, out: Path) -> int:
    """Copy the files of the first source that is there into ``out``, checked by sha256.

    Returns
    -------
    int
        The index of the source used.

    Raises
    ------
    TabBenchError
        When a file that is there has another hash, or no source is there; the message lists
        what was tried and the manual way.
    """
    tried = []
    for index, source in enumerate(sources):
        root = _root(source, mirror)
        label = f"{source.kind} {source.package}" if source.package else source.kind
        if root is None:
            reason = (
                "no mirror folder is configured" if source.kind == "mirror" else "not installed"
            )
            tried.append(f"{label}: {reason}")
            continue
        absent = [file.path for file in source.files if not (root / file.path).is_file()]
        if absent:
            tried.append(f"{label}: {root} lacks {', '.join(absent)}")
            continue
        out.mkdir(parents=True, exist_ok=True)
        for file in source.files:
            found = sha256(root / file.path)
            if found != file.sha256:
                raise TabBenchError(
                    f"dataset '{dataset}': {root / file.path} has sha256 {found}, expected "
                    f"{file.sha256}: the file was changed or is another version. Replace it by "
                    f"the original, or correct the sha256 in the dataset's registry entry."
                )
            shutil.copyfile(root / file.path, out / Path(file.path).name)
        return index
    expected = "; ".join(file.path for source in sources for file in source.files)
    raise TabBenchError(
        f"dataset '{dataset}': no source is there ({'; '.join(tried)}). Put the file into a folder "
        f"as one of [{expected}] and name that folder as 'mirror' in the configuration."
    )
