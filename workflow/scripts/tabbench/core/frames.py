"""Files of rows: their declared columns, checked on write and on read.

The declarations stand in `tabbench.core.schemas`, a module per producer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from tabbench.core.disk import writing
from tabbench.core.errors import TabBenchError


@dataclass(frozen=True)
class Column:
    name: str
    type: pa.DataType
    meaning: str


@dataclass(frozen=True)
class Schema:
    """``open`` schemas allow further columns after the declared ones (a dataset's features).

    ``repeated`` columns hold few different texts, which may be long; they are read as categories,
    each text once.
    """

    name: str
    columns: tuple[Column, ...]
    open: bool = False
    repeated: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def declare(
    name: str,
    *columns: tuple[str, pa.DataType, str],
    open: bool = False,
    repeated: tuple[str, ...] = (),
) -> Schema:
    """Declare a schema: name, type and meaning of each column."""
    return Schema(name, tuple(Column(*column) for column in columns), open, repeated)


BATCH = 50_000
"""Rows that are in memory at once where a file may hold many."""
TEXT, INT, REAL, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()


def write_table(frame: pd.DataFrame, path: str | Path, schema: Schema) -> None:
    """Write ``frame`` as parquet, declared columns first and cast to their types.

    Raises
    ------
    TabBenchError
        When columns are missing, not declared, or do not fit their type.
    """
    write_tables([frame], path, schema)


def write_tables(frames: Iterable[pd.DataFrame], path: str | Path, schema: Schema) -> None:
    """Write frames below each other, each as a row group of its own; see `write_table`."""
    writer = None
    with writing(path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            for frame in frames:
                table = _typed(frame, path, schema)
                with writing(path, table.nbytes):
                    writer = writer or pq.ParquetWriter(path, table.schema)
                    writer.write_table(table, row_group_size=max(1, len(frame)))
        finally:
            if writer is not None:
                writer.close()


def _typed(frame: pd.DataFrame, path: str | Path, schema: Schema) -> pa.Table:
    missing = [name for name in schema.names if name not in frame.columns]
    extra = [name for name in frame.columns if name not in schema.names]
    if missing or (extra and not schema.open):
        raise TabBenchError(
            f"{path}: not a '{schema.name}' table: missing columns {missing}, undeclared {extra}"
        )
    arrays, fields = [], []
    for column in schema.columns:
        try:
            array = pa.Array.from_pandas(frame[column.name], type=column.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TabBenchError(f"{path}: column '{column.name}': {error}") from error
        arrays.append(array)
        fields.append(pa.field(column.name, column.type))
    for name in extra if schema.open else []:
        array = pa.Array.from_pandas(frame[name])
        arrays.append(array)
        fields.append(pa.field(name, array.type))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def read_table(path: str | Path, schema: Schema) -> pd.DataFrame:
    """Read a parquet file, or a .csv one, and check that it holds the declared columns.

    Raises
    ------
    TabBenchError
        When the file lacks a declared column or a column has another type.
    """
    if Path(path).suffix == ".csv":
        types = {column.name: column.type for column in schema.columns}
        table = pc.read_csv(path, convert_options=pc.ConvertOptions(column_types=types))
    else:
        table = pq.read_table(path, read_dictionary=list(schema.repeated))
    check_columns(path, table.schema, schema)
    return cast(pd.DataFrame, table.to_pandas())


def read_batches(path: str | Path, schema: Schema, rows: int = BATCH) -> Iterator[pd.DataFrame]:
    """Read a parquet file some rows at a time, in memory that does not depend on its length.

    Yields
    ------
    DataFrame
        At most ``rows`` rows, indexed from 0.

    Raises
    ------
    TabBenchError
        As `read_table`.
    """
    with pq.ParquetFile(path, read_dictionary=list(schema.repeated)) as file:
        check_columns(path, file.schema_arrow, schema)
        for batch in file.iter_batches(rows):
            yield batch.to_pandas()


def check_columns(path: str | Path, found: pa.Schema, schema: Schema) -> None:
    """Check that a file has the declared columns.

    Raises
    ------
    TabBenchError
        When a declared column is missing or has another type.
    """
    for column in schema.columns:
        if column.name not in found.names:
            raise TabBenchError(f"{path}: not a '{schema.name}' table: no column '{column.name}'")
        kind = found.field(column.name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if kind != column.type:
            raise TabBenchError(f"{path}: column '{column.name}' is {kind}, declared {column.type}")


def read_tables(paths: str | Path | Iterable[str | Path], schema: Schema) -> pd.DataFrame:
    """Read one file, or several of the same schema below each other; see `read_table`."""
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    if not files:
        return pd.DataFrame(columns=schema.names)
    return pd.concat([read_table(path, schema) for path in files], ignore_index=True)
