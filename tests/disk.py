"""Watch what is on disk at the moment when a file is synchronised."""

import os
from pathlib import Path

import pytest


def synchronised(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return a list that gets the content of ``path`` whenever that file is synchronised."""
    contents: list[bytes] = []
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        fsync(descriptor)
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            contents.append(path.read_bytes())

    monkeypatch.setattr(os, "fsync", watched)
    return contents
