"""Kaggle data sets, by slug."""

import shutil
from pathlib import Path

from tabbench.config.dataset_entry import Source
from tabbench.core.files import sha256
from tabbench.data.sources.local import Unavailable
from tabbench.data.sources.url import WAIT, retried


def from_kaggle(source: Source, out: Path, wait: float = WAIT) -> None:
    """Download a data set and take its files; one without a known name may be the only csv."""
    page = f"https://www.kaggle.com/datasets/{source.slug}"
    files = ", ".join(file.path for file in source.files)
    by_hand = f"open {page}, download it, and put {files} into the mirror folder"
    try:
        import kagglehub
    except ImportError as error:
        raise Unavailable(
            f"the package kagglehub is not installed (pip install -r requirements-optional.txt); "
            f"or {by_hand}"
        ) from error
    found: list[Path] = []
    try:
        retried(
            lambda: found.append(Path(kagglehub.dataset_download(source.slug))),
            lambda error: isinstance(error, OSError) and not _refused(error),
            wait,
        )
    except Exception as error:
        reason = "Kaggle wants credentials" if _refused(error) else str(error)
        raise Unavailable(f"{reason}: {by_hand}") from error
    there = sorted(found[-1].rglob("*.csv"))
    for file in source.files:
        same = [path for path in there if path.name == file.name]
        chosen = same or (there if file.sha256 is None and len(there) == 1 else [])
        if not chosen:
            names = [path.name for path in there]
            raise Unavailable(f"no {file.name} in it, but {names}; {by_hand}")
        if file.sha256 not in (None, sha256(chosen[0])):
            raise Unavailable(f"its {file.name} is not the file with the known sha256; {by_hand}")
        shutil.copyfile(chosen[0], out / file.name)


def _refused(error: Exception) -> bool:
    """Whether Kaggle asks for credentials or for consent to the data set's rules."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    return status in (401, 403) or "credential" in type(error).__name__.lower()
