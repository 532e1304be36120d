"""Missing weights in a real run: an error that says what to do, or a model that is left out."""

import pandas as pd
import pytest
from workflow_copy import TINY_WEIGHTS, WorkflowCopy

pytestmark = pytest.mark.slow

FILES = [f"results/baselines/tabicl/{name}tae.parquet" for name in ("", "fits/")]


def test_missing_weights_end_a_run_or_leave_the_model_out_until_they_come(tmp_path) -> None:
    copy = WorkflowCopy.create(tmp_path / "copy")
    (copy.folder / TINY_WEIGHTS).rename(copy.folder / "kept.ckpt")
    output = copy.run(*FILES, fails=True)
    assert f"there is no file {TINY_WEIGHTS}" in output
    assert "on_missing_weights: skip" in output
    assert "Traceback" not in output

    copy.configure(on_missing_weights="skip")
    copy.run(*FILES)
    predictions, fits = (pd.read_parquet(copy.folder / path) for path in FILES)
    assert predictions.empty
    assert set(fits["reason"]) == {f"it has no weights: no file {TINY_WEIGHTS} was found"}

    (copy.folder / "kept.ckpt").rename(copy.folder / TINY_WEIGHTS)
    copy.run(*FILES)
    predictions, fits = (pd.read_parquet(copy.folder / path) for path in FILES)
    assert len(predictions) == 12  # 6 test rows at k = 4 and 6
    assert set(fits["reason"]) == {""}
