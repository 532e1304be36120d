"""Read raw files into a frame of text cells; types and missing values come later."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tabbench.config.dataset_entry import Source
from tabbench.core.errors import TabBenchError
from tabbench.data.delimited import check_names, check_size, find_encoding, read_delimited
from tabbench.data.values import require_values

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|\S+)", re.IGNORECASE)
_CELL = re.compile(rf"(?:^|,)\s*({_QUOTED}|[^,]*)\s*(?=,|$)")


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _read_arff(path: Path, source: Source) -> pd.DataFrame:
    """ARFF and KEEL files: ``@attribute`` lines, ``@data``, then comma-separated cells."""
    check_size(path)
    names: list[str] = []
    text = path.read_text(encoding=source.encoding or find_encoding(path)).removeprefix("\ufeff")
    lines = unicodedata.normalize("NFC", text).split("\n")
    data = next((at for at, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if data is None:
        raise TabBenchError(f"{path}: no @data line")
    for line in lines[:data]:
        if match := _ATTRIBUTE.match(line.strip()):
            names.append(_unquote(match.group(1)))
    rows = []
    for number, line in enumerate(lines[data + 1 :], start=data + 2):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        cells = _CELL.findall(line.strip())
        if len(cells) != len(names):
            raise TabBenchError(f"{path}, line {number}: {len(cells)} cells, expected {len(names)}")
        rows.append([_unquote(cell) for cell in cells])
    check_names(path, names)
    return pd.DataFrame(rows, columns=names, dtype=str)


def _read(path: Path, source: Source) -> pd.DataFrame:
    try:
        return (_read_arff if source.format == "arff" else read_delimited)(path, source)
    except FileNotFoundError as error:
        raise TabBenchError(f"{path}: no such file") from error
    except (OSError, LookupError, ValueError) as error:
        raise TabBenchError(f"{path}: cannot be read as {source.format}: {error}") from error


def read_raw(folder: Path, source: Source) -> pd.DataFrame:
    """Rows of all files of ``source``, one under the other, as text, columns and values renamed.

    Raises
    ------
    TabBenchError
        When a file cannot be parsed, files have different columns, a column to rename or
        translate is absent, or a coded value has no translation.
    """
    frames = [_read(folder / file.name, source) for file in source.files]
    if any(list(frame.columns) != list(frames[0].columns) for frame in frames):
        raise TabBenchError(f"{folder}: the files have different columns")
    frame = pd.concat(frames, ignore_index=True)
    rename, values, replace = source.rename or {}, source.values or {}, source.replace or {}
    _require(folder, frame, rename, "rename")
    frame = frame.rename(columns=dict(rename))
    check_names(folder, list(frame.columns))
    _require(folder, frame, [*values, *replace], "translate")
    for column, codes in replace.items():
        cells = frame[column].where(frame[column].isin(codes), frame[column].str.strip())
        require_values(f"{folder}: replace", cells, list(codes))
        frame[column] = cells.where(~cells.isin(codes), cells.map(codes))
    for column, codes in values.items():
        unknown = sorted(set(frame[column]) - set(codes))
        if unknown:
            raise TabBenchError(
                f"{folder}: column '{column}' has values without translation: {unknown}"
            )
        frame[column] = frame[column].map(codes)
    return frame


def _require(folder: Path, frame: pd.DataFrame, columns: Iterable[str], purpose: str) -> None:
    absent = [name for name in columns if name not in frame.columns]
    if absent:
        raise TabBenchError(
            f"{folder}: no column(s) {absent} to {purpose}; found {list(frame.columns)}"
        )
