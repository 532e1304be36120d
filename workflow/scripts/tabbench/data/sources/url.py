"""Plain addresses: a file, or a zip archive that holds it."""

import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from tabbench.config.dataset_entry import Source, SourceFile
from tabbench.core.files import sha256
from tabbench.data.delimited import LARGEST_FILE
from tabbench.data.sources.local import Unavailable

_BLOCK = 2**20
TRIES = 4
WAIT = 2.0
"""Seconds before the second try; doubled before each further one."""
TIMEOUT = 60.0
"""Seconds without any answer or byte."""


def retried(
    call: Callable[[], None], passing: Callable[[Exception], bool], wait: float = WAIT
) -> None:
    """Call until it works, ``TRIES`` times at most, as long as the error is ``passing``."""
    for attempt in range(TRIES):
        try:
            return call()
        except Exception as error:
            if attempt == TRIES - 1 or not passing(error):
                raise
            seconds = wait * 2**attempt
            print(f"{error}; next try in {seconds:g} s")
            time.sleep(seconds)
    raise AssertionError


def _passing(error: Exception) -> bool:
    """Whether a failed request may work later: no answer, a broken one, or a busy server."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return error.response.status_code in (408, 425, 429) or error.response.status_code >= 500
    return isinstance(error, requests.RequestException)


def download(url: str, target: Path, digest: str | None, wait: float = WAIT) -> None:
    """Fetch ``url`` to ``target``; the file appears under that name only when it is whole.

    Raises
    ------
    Unavailable
        When the server does not give the file after ``TRIES`` tries, or gives another content.
    """
    import pooch
    import requests

    downloader = pooch.HTTPDownloader(timeout=TIMEOUT)
    known = f"sha256:{digest}" if digest else None

    def call() -> None:
        pooch.retrieve(
            url, known_hash=known, fname=target.name, path=target.parent, downloader=downloader
        )

    try:
        retried(call, _passing, wait)
    except requests.RequestException as error:
        raise Unavailable(f"{url}: {error}") from error
    except ValueError as error:  # pooch's word for another hash
        raise Unavailable(f"{url}: its content is not the known one ({error})") from error


def _unpack(archive: Path, file: SourceFile, target: Path) -> None:
    """Take a file out of an archive; one without a known content may be the only csv in it."""
    try:
        with zipfile.ZipFile(archive) as content:
            there = [name for name in content.namelist() if not name.endswith("/")]
            same = [name for name in there if Path(name).name == file.name]
            tables = [name for name in there if name.endswith(".csv")]
            chosen = same if same or file.sha256 else tables
            if len(chosen) != 1:
                raise Unavailable(f"{file.url}: no '{file.name}' in it, but {there}")
            _extract(content, chosen[0], file, target)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:
        target.unlink(missing_ok=True)
        raise Unavailable(f"{file.url}: the zip archive cannot be read ({error})") from error
    if file.sha256 not in (None, sha256(target)):
        target.unlink()
        raise Unavailable(f"{file.url}: its {file.name} is not the file with the known sha256")


def _extract(archive: zipfile.ZipFile, name: str, file: SourceFile, target: Path) -> None:
    """Write a member out, block by block: what an archive says of its size may be untrue."""
    size = 0
    with archive.open(name) as packed, target.open("wb") as out:
        while block := packed.read(_BLOCK):
            size += len(block)
            if size > LARGEST_FILE:
                target.unlink()
                raise Unavailable(
                    f"{file.url}: '{name}' unpacks to more than the {LARGEST_FILE / 2**20:,.0f} "
                    f"MiB that are read"
                )
            out.write(block)


def from_url(source: Source, out: Path, wait: float = WAIT) -> None:
    """Fetch each file, out of a zip archive where the address is one."""
    for file in source.files:
        if not file.url:
            raise Unavailable(f"no address for {file.path}")
        target = out / file.name
        part = out / f"{file.name}.part"
        # The known sha256 is that of the file, which an archive does not have.
        packed = ".zip" in file.url or "/zip/" in file.url
        try:
            download(file.url, part, None if packed else file.sha256, wait)
            if packed and not zipfile.is_zipfile(part):
                raise Unavailable(f"{file.url}: not a zip archive")
            if packed:
                _unpack(part, file, target)
            else:
                part.rename(target)
        finally:
            part.unlink(missing_ok=True)
