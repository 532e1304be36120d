"""Files on this machine: in the mirror folder, next to a user dataset's YAML, or in a package."""

import shutil
from pathlib import Path

from tabbench.config.dataset_entry import Source
from tabbench.core.errors import TabBenchError
from tabbench.core.files import package_folder, sha256


class Unavailable(Exception):
    """A source that cannot give its files now; the message says why. The next one is tried."""


def from_folder(root: Path, source: Source, out: Path) -> None:
    """Copy the files of ``source`` from below ``root`` into ``out``, checked by sha256.

    Raises
    ------
    Unavailable
        When a file is not there.
    TabBenchError
        When a file that is there has another hash: the user put it there and should know.
    """
    absent = [file.path for file in source.files if not (root / file.path).is_file()]
    if absent:
        raise Unavailable(f"{root} lacks {', '.join(absent)}")
    for file in source.files:
        found = sha256(root / file.path)
        if file.sha256 not in (None, found):
            raise TabBenchError(
                f"{root / file.path} has sha256 {found}, expected {file.sha256}: the file was "
                "changed or is another version. Replace it by the original, or correct the "
                "sha256 in the dataset's registry entry."
            )
        shutil.copyfile(root / file.path, out / file.name)


def from_package(source: Source, out: Path) -> None:
    """Copy the files from inside an installed package."""
    root = package_folder(source.package or "")
    if root is None:
        raise Unavailable("not installed")
    from_folder(root, source, out)
