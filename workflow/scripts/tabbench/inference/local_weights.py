"""Weights that lie on this machine: where they are, whether they are the right ones, how large.

A model's entry names a GGUF file inside an installed package, or by ``path`` a GGUF file (the first
one, where it has several parts) or a folder of transformers with safetensors.
"""

import json
import math
import mmap
import os
import re
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from tabbench.core.errors import TabBenchError
from tabbench.core.files import folder_hash, package_folder, sha256

_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
# Of half precision with the float32 model that it is compared with on a CPU.
_BYTES = {"float32": 4, "bfloat16": 2 + 4, "float16": 2 + 4}

# Bytes of GGUF's types of numbers; of strings and arrays the length is read.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_STRING, _ARRAY = 8, 9


def are_local(weights: Mapping[str, Any]) -> bool:
    """Whether an entry's weights are on this machine, and not at a hub or an endpoint."""
    return "package" in weights or "path" in weights


def weight_files(weights: Mapping[str, Any]) -> list[Path]:
    """Files of local weights: a GGUF file, all its parts in order, or a folder's safetensors.

    Raises
    ------
    TabBenchError
        When one of them is missing; says what to do.
    """
    place = _package_file(weights) if "package" in weights else Path(weights["path"]).expanduser()
    if place.is_dir():
        return _safetensors(place)
    if not place.is_file():
        raise TabBenchError(
            f"{place}: no such file or folder; correct 'weights.path' of the model's entry"
        )
    if place.suffix.lower() != ".gguf":
        raise TabBenchError(
            f"{place}: 'weights.path' names a GGUF file (*.gguf) or a folder with safetensors"
        )
    numbers = _PART.search(place.name)
    if numbers is None:
        return [place]
    stem = place.name[: numbers.start()]
    count = int(numbers[2])
    parts = [place.with_name(f"{stem}-{n:05}-of-{count:05}.gguf") for n in range(1, count + 1)]
    _all_there(place, parts)
    return parts


def _package_file(weights: Mapping[str, Any]) -> Path:
    package, name = str(weights["package"]), str(weights["file"])
    folder = package_folder(package)
    if folder is None:
        raise TabBenchError(
            f"the Python package that brings the module '{package}' with the weights {name} is not "
            f"installed in {sys.prefix}; install it there with pip, or name the file by "
            "'weights: {path: ..., sha256: ...}'"
        )
    if not (folder / name).is_file():
        held = ", ".join(sorted(path.name for path in folder.rglob("*.gguf"))) or "none"
        raise TabBenchError(
            f"{folder}: the package is installed, but has no file {name}; GGUF files there: "
            f"{held}. Install the version that the model's entry was written for, or correct it"
        )
    return folder / name


def _safetensors(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TabBenchError(f"{index}: no index of safetensors ({error!r})") from error
        parts = [folder / name for name in sorted(names)]
        _all_there(folder, parts)
    else:
        parts = sorted(folder.glob("*.safetensors"))
    if not parts or not (folder / "config.json").is_file():
        raise TabBenchError(
            f"{folder}: no model of transformers: it needs config.json and *.safetensors (found "
            f"{', '.join(sorted(path.name for path in folder.iterdir())) or 'nothing'})"
        )
    return parts


def _all_there(place: Path, parts: Sequence[Path]) -> None:
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        raise TabBenchError(
            f"{place}: {len(missing)} of {len(parts)} parts of the weights are missing: "
            f"{', '.join(missing)}"
        )


def check_weights(files: Sequence[Path], expected: str | Sequence[str]) -> None:
    """Check the sha256: of a GGUF file, of each of its parts, or of a whole folder.

    A folder's is that of `tabbench.core.files.folder_hash`.

    Raises
    ------
    TabBenchError
        When it is another one; names the right one.
    """
    if files[0].suffix == ".safetensors":
        found = [folder_hash(files[0].parent)]
        places: Sequence[Path] = [files[0].parent]
    else:
        found, places = [sha256(path) for path in files], files
    wanted = [expected] if isinstance(expected, str) else list(expected)
    if len(wanted) != len(found):
        raise TabBenchError(
            f"{places[0]}: 'weights.sha256' names {len(wanted)} hashes for {len(found)} files; "
            f"they are {', '.join(found)}"
        )
    for place, one, right in zip(places, found, wanted, strict=True):
        if one != right:
            raise TabBenchError(
                f"{place}: sha256 is {one}, the model's entry says {right}. These are other "
                "weights: put the right ones there, or correct the entry, and all prompts are "
                "sent again"
            )


def link_folder(folder: Path, out: Path) -> None:
    """Make a folder of links to the files of another."""
    out.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.is_file():
            (out / path.name).symlink_to(path.resolve())


def loaded_mb(weights: Mapping[str, Any], dtype: str) -> float:
    """Size of local weights in memory, in MB (1e6 bytes), as numbers of ``dtype``.

    Half precision includes the float32 model that a job on a CPU compares it with.

    Raises
    ------
    TabBenchError
        See `weight_files`; when a file is not what its name says.
    """
    return sum(map(_parameters, weight_files(weights))) * _BYTES.get(dtype, 4) / 1e6


@cache
def _parameters(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return _in_gguf(file) if path.suffix.lower() == ".gguf" else _in_safetensors(file)
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise TabBenchError(f"{path}: not a whole {path.suffix[1:]} file ({error})") from error


def _in_safetensors(file: BinaryIO) -> int:
    """Parameters by the header: a length and a JSON mapping from tensors to shapes."""
    (length,) = struct.unpack("<Q", file.read(8))
    if length > os.fstat(file.fileno()).st_size:
        raise ValueError("its header is longer than the file")
    header = json.loads(file.read(length))
    return sum(math.prod(one["shape"]) for name, one in header.items() if name != "__metadata__")


def _in_gguf(file: BinaryIO) -> int:
    """Parameters by the header. The library gguf reads the same in seconds, as it makes arrays."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = 0

        def take(form: str) -> int:
            nonlocal at
            at += struct.calcsize(form)
            return int(struct.unpack_from(f"<{form}", data, at - struct.calcsize(form))[0])

        def skip(kind: int) -> None:
            nonlocal at
            if kind == _STRING:
                length = take("Q")
                at += length
            elif kind == _ARRAY:
                of, count = take("I"), take("Q")
                if of in _SIZES:
                    at += _SIZES[of] * count
                else:
                    for _ in range(count):
                        skip(of)
            else:
                at += _SIZES[kind]

        if data[:4] != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        at = 8
        tensors, keys = take("Q"), take("Q")
        for _ in range(keys):
            skip(_STRING)
            skip(take("I"))
        total = 0
        for _ in range(tensors):
            skip(_STRING)
            total += math.prod(take("Q") for _ in range(take("I")))
            at += 12  # type and offset
        return total
