"""A full disk and a closed folder: one sentence with the path, and nothing torn."""

import errno
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from test_sandbox import NEEDS_BUBBLEWRAP

from tabbench.core.disk import refusal, writing
from tabbench.core.errors import TabBenchError

ROOT = Path(__file__).parents[1]

SCRIPTS = {
    "answers": """
        description = Description("m", "p", "s", "t")
        with ResponseLog(Path("{place}/log.jsonl")) as log:
            for key in range(10**4):
                text = Text("x" * 50_000, 1, 1, 1.0, True)
                log.append([Response(str(key), text, description)])
    """,
    "a table": """
        frame = pd.DataFrame({{"row_id": range(10**6), "y": 1, "x": np.random.rand(10**6)}})
        write_table(frame, "{place}/table.parquet", TABLE)
    """,
    "a text": """
        Path("{place}/text").write_text("x" * 10**8)
    """,
    "weights": """
        import torch
        from safetensors.torch import save_file
        with writing("{place}/weights"):
            save_file({{"x": torch.zeros(10**7)}}, "{place}/weights")
    """,
    "its own log": """
        while True: print("x" * 1000)
    """,
}
SCRIPT = """
import sys
from pathlib import Path
import numpy as np, pandas as pd
from tabbench.core.disk import writing
from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.core.schemas.table import TABLE
from tabbench.inference.engines.base import Description, Text
from tabbench.inference.responses import Response, ResponseLog
with job("{place}/logs/job.log"):
{body}
"""


def in_a_small_world(name: str, place: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script where ``place`` is as bubblewrap's ``options`` make it."""
    body = SCRIPTS[name].format(place=place)
    code = SCRIPT.format(place=place, body=textwrap.indent(textwrap.dedent(body), "    "))
    return subprocess.run(
        [
            *("bwrap", "--bind", "/", "/", "--dev", "/dev", *options, "--"),
            *(sys.executable, "-c", code),
        ],
        env={"PYTHONPATH": str(ROOT / "workflow/scripts"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@NEEDS_BUBBLEWRAP
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("answers", "log.jsonl: No space left on device: 0.0 MiB are free, and 0.1 MiB are needed"),
        ("a table", "table.parquet: No space left on device: 0.0 MiB are free, and 22"),
        ("a text", "No space left on device: "),
        ("weights", "weights: No space left on device: "),
        ("its own log", "No space left on device: "),
    ],
)
def test_a_full_disk_is_one_sentence(tmp_path: Path, name: str, says: str) -> None:
    place = str(tmp_path)
    done = in_a_small_world(name, place, "--size", "1000000", "--tmpfs", place, "--chdir", place)
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.count("ERROR: ") == 1
    assert "Make room there" in done.stderr
    assert "Traceback" not in done.stderr


@NEEDS_BUBBLEWRAP
def test_a_closed_folder_is_one_sentence(tmp_path: Path) -> None:
    place = str(tmp_path)
    done = in_a_small_world("a text", place, "--ro-bind", place, place)
    assert done.returncode == 1
    assert done.stderr == (
        f"\nERROR: {place}/logs/job.log: Read-only file system. Give yourself the right to write "
        "there, or run the workflow in a folder where you have it\n\n"
    )


def test_other_errors_keep_their_nature(tmp_path: Path) -> None:
    assert refusal(OSError(errno.EIO, "broken"), "x") is None
    assert refusal(PermissionError(errno.EPERM, "no signal"), None) is None
    with pytest.raises(FileNotFoundError), writing(tmp_path / "x"):
        (tmp_path / "missing").read_text()
    with pytest.raises(TabBenchError, match="other: Permission denied"), writing("x"):
        raise PermissionError(errno.EACCES, "no", "other")
