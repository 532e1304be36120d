"""Declared columns of every parquet file: name, type, meaning; checked on write and on read."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tabbench.errors import TabBenchError


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


def _schema(
    name: str,
    *columns: tuple[str, pa.DataType, str],
    open: bool = False,
    repeated: tuple[str, ...] = (),
) -> Schema:
    return Schema(name, tuple(Column(*column) for column in columns), open, repeated)


_TEXT, _INT, _REAL, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_CELL = (
    ("dataset", _TEXT, "dataset id"),
    ("model", _TEXT, "model or baseline id"),
    ("mode", _TEXT, "forward, generation, or fit (baselines)"),
    ("prompt", _TEXT, "contextual, context_free, knowledge, or none (baselines)"),
    ("serialization", _TEXT, "text format of a row, or none (baselines)"),
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw of examples; 0 at k = 0"),
)
_PROVENANCE = (
    ("engine", _TEXT, "engine that answered; mixing engines in one row is an error"),
    ("style", _TEXT, "how prompts are put: chat, completion, or none"),
    ("dtype", _TEXT, "number format of the weights at inference"),
    ("template", _TEXT, "first 12 hex digits of the prompt template's sha256, or whose it is"),
)

TABLE = _schema(
    "table",
    ("row_id", _INT, "row number in the prepared table"),
    ("y", _INT, "label, 0 or 1"),
    open=True,
)
SPLIT = _schema(
    "split",
    ("row_id", _INT, "row number in the prepared table"),
    ("part", _TEXT, "train, test, or unused (test rows over the cap)"),
    ("position", _INT, "order within the part; growing the cap keeps the first positions"),
)
SHOTS = _schema(
    "shots",
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw"),
    ("position", _INT, "order in the prompt, from 0"),
    ("row_id", _INT, "row number in the prepared table"),
)
SERIALIZED = _schema(
    "serialized",
    ("serialization", _TEXT, "text format"),
    ("row_id", _INT, "row number in the prepared table; -1 is the table's head"),
    ("text", _TEXT, "the row as text, up to the place of its label"),
)
PROMPTS = _schema(
    "prompts",
    ("dataset", _TEXT, "dataset id"),
    ("mode", _TEXT, "forward or generation"),
    ("prompt", _TEXT, "contextual, context_free or knowledge"),
    ("serialization", _TEXT, "text format of a row"),
    ("k", _INT, "labelled examples shown"),
    ("seed", _INT, "seed of the draw of examples; 0 at k = 0"),
    ("row_id", _INT, "row number in the prepared table"),
    ("y_true", _INT, "label, 0 or 1"),
    ("system", _TEXT, "system message"),
    ("prefix", _TEXT, "task text and examples: what the cell's prompts share"),
    ("query", _TEXT, "the row to classify, up to the place of its label"),
    repeated=("system", "prefix"),
)
PREDICTIONS = _schema(
    "predictions",
    *_CELL,
    ("row_id", _INT, "row number in the prepared table"),
    ("y_true", _INT, "label, 0 or 1"),
    ("logp_0", _REAL, "natural-log probability of the label 0; NaN where not defined"),
    ("logp_1", _REAL, "natural-log probability of the label 1; NaN where not defined"),
    ("p_1", _REAL, "probability of class 1 given that one of the labels is answered"),
    ("label_mass", _REAL, "probability that one of the two labels is answered"),
    ("y_pred", pa.int8(), "predicted label; null when there is none"),
    ("status", _TEXT, "ok, label_only (no probabilities), invalid (cannot be read) or error"),
    ("bounded", _FLAG, "whether p_1 rests on a bound: an endpoint did not list one of the labels"),
    ("prompt_tokens", _INT, "tokens of the prompt; 0 for baselines, null after an error"),
    ("completion_tokens", _INT, "tokens generated; 0 in forward mode and for baselines"),
    ("seconds", _REAL, "wall-clock seconds, shared prefix spread over the rows that use it"),
    *_PROVENANCE,
)
SCORES = _schema(
    "scores",
    ("suite", _TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", _TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *_CELL,
    ("n", _INT, "test rows asked"),
    ("n_positive", _INT, "test rows of class 1"),
    ("n_scored", _INT, "test rows with status ok; ROC-AUC uses these"),
    ("n_errors", _INT, "test rows whose request got no answer"),
    ("invalid_rate", _REAL, "share of test rows without a label: invalid or an error"),
    ("bounded_rate", _REAL, "share of scored rows whose p_1 rests on a bound"),
    ("roc_auc", _REAL, "plain ROC-AUC; NaN when a class is missing"),
    ("roc_auc_folded", _REAL, "max(AUC, 1 - AUC), only for comparison with the paper"),
    ("accuracy", _REAL, "share of rows with a label whose label is right"),
    ("label_mass", _REAL, "median probability mass on the two labels; NaN for baselines"),
    ("prompt_tokens", _REAL, "mean tokens per prompt"),
    ("completion_tokens", _REAL, "mean tokens generated per prompt"),
    ("seconds", _REAL, "mean wall-clock seconds per prompt"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    *_PROVENANCE,
)
TESTS = _schema(
    "tests",
    ("suite", _TEXT, "core, new, llm_synthetic or mlp"),
    ("domain", _TEXT, "knowledge domain of the dataset; MLP level for the mlp suite"),
    *((name, kind, meaning) for name, kind, meaning in _CELL if name != "seed"),
    ("n", _INT, "test rows in the comparison (valid under every curve)"),
    ("n_dropped", _INT, "test rows left out because some answer was invalid"),
    ("n_seeds", _INT, "draws of examples averaged over"),
    ("test_rows", _INT, "test rows of the split before the cap"),
    ("capped", _FLAG, "whether the configuration's cap left test rows out"),
    ("auc_zero_shot", _REAL, "ROC-AUC at k = 0 on those rows"),
    ("auc_k_shot", _REAL, "mean ROC-AUC at k over the draws on those rows"),
    ("difference", _REAL, "auc_k_shot - auc_zero_shot"),
    ("se", _REAL, "DeLong standard error of the difference"),
    ("z", _REAL, "difference / se; NaN when se is 0 or a class is missing"),
    ("p_greater", _REAL, "one-sided p-value of 'k-shot is better'"),
    ("p_two_sided", _REAL, "two-sided p-value"),
)

ARTIFACT_INPUTS = {
    "scores": SCORES,
    "tests": TESTS,
}
"""Schema by the name of the input of a rule that makes a table or a figure."""


def write_table(frame: pd.DataFrame, path: str | Path, schema: Schema) -> None:
    """Write ``frame`` as parquet, declared columns first and cast to their types.

    Raises
    ------
    TabBenchError
        When columns are missing, not declared, or do not fit their type.
    """
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
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), path)


def read_table(path: str | Path, schema: Schema) -> pd.DataFrame:
    """Read a parquet file and check that it holds the declared columns.

    Raises
    ------
    TabBenchError
        When the file lacks a declared column or a column has another type.
    """
    table = pq.read_table(path, read_dictionary=list(schema.repeated))
    for column in schema.columns:
        if column.name not in table.schema.names:
            raise TabBenchError(f"{path}: not a '{schema.name}' table: no column '{column.name}'")
        found = table.schema.field(column.name).type
        if pa.types.is_dictionary(found):
            found = found.value_type
        if found != column.type:
            raise TabBenchError(
                f"{path}: column '{column.name}' is {found}, declared {column.type}"
            )
    return cast(pd.DataFrame, table.to_pandas())
