"""Get a dataset's raw files from the first source that has them."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tabbench.config.dataset_entry import Source
from tabbench.core.errors import TabBenchError
from tabbench.core.files import sha256
from tabbench.data.sources.kaggle import from_kaggle
from tabbench.data.sources.local import Unavailable, from_folder, from_package
from tabbench.data.sources.openml import from_openml
from tabbench.data.sources.url import from_url

KINDS: dict[str, Callable[[Source, Path], None]] = {
    "package": from_package,
    "openml": from_openml,
    "url": from_url,
    "kaggle": from_kaggle,
    "local": lambda source, out: from_folder(Path(), source, out),
}
IN_MIRROR = ("mirror", "url", "kaggle")
"""Kinds whose files may lie in the mirror folder, which comes before everything else."""


class Fetched(NamedTuple):
    """The index of the source whose files were taken, and where they came from."""

    source: int
    label: str


def fetch(dataset: str, sources: Sequence[Source], mirror: Path | None, out: Path) -> Fetched:
    """Copy the files of the first source that has them into ``out``; all of them or none.

    The mirror folder is tried first for every source with files, then the sources in order.

    Returns
    -------
    Fetched

    Raises
    ------
    TabBenchError
        When a file that is in the mirror has another hash, or no source has the files; the
        message lists what was tried and the manual way.
    """
    attempts: list[tuple[int, str, Callable[[Source, Path], None]]] = []
    if mirror is not None:
        attempts += [
            (index, "mirror", lambda source, out: from_folder(mirror, source, out))
            for index, source in enumerate(sources)
            if source.kind in IN_MIRROR
        ]
    attempts += [
        (index, source.label, KINDS[source.kind])
        for index, source in enumerate(sources)
        if source.kind in KINDS
    ]
    tried = [] if mirror else ["mirror: no mirror folder is configured"]
    out.mkdir(parents=True, exist_ok=True)
    for index, label, get in attempts:
        with tempfile.TemporaryDirectory(dir=out.parent) as folder:
            try:
                get(sources[index], Path(folder))
            except Unavailable as reason:
                tried.append(f"{label}: {reason}")
                continue
            except TabBenchError as error:
                raise TabBenchError(f"dataset '{dataset}': {error}") from error
            for path in sorted(Path(folder).iterdir()):
                shutil.move(path, out / path.name)
        return Fetched(index, label)
    paths = [file.path for source in sources for file in source.files if source.kind in IN_MIRROR]
    raise TabBenchError(
        f"dataset '{dataset}': no source has its files.\n"
        + "".join(f"  - {line}\n" for line in dict.fromkeys(tried))
        + f"Put {' or '.join(dict.fromkeys(paths)) or 'the file'} into a folder and name that "
        "folder as 'mirror' in the configuration."
    )


def hashes(folder: Path) -> dict[str, str]:
    """File name to sha256, of the raw files in ``folder``."""
    return {path.name: sha256(path) for path in sorted(folder.iterdir())}
