"""A rule's script run by hand: it makes what Snakemake makes, or says why it cannot."""

import subprocess
import sys

import pytest
from workflow_copy import WorkflowCopy

pytestmark = pytest.mark.slow

TABLE, SPLIT = (f"results/datasets/mlp0_t0/{name}.parquet" for name in ("table", "split"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return WorkflowCopy.create(tmp_path_factory.mktemp("by_hand") / "copy")


def by_hand(copy, target):
    return subprocess.run(
        [sys.executable, "workflow/run_script.py", target, "--configfile", "config/tiny.yaml"],
        cwd=copy.folder,
        env=copy.environment(),
        input="p snakemake.rule\ncontinue\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_script_makes_what_snakemake_makes(copy):
    refused = by_hand(copy, SPLIT)
    assert refused.returncode == 1
    assert refused.stderr == (
        f"split needs {TABLE}, which is not there; make it with snakemake --cores 1 {TABLE}\n"
    )
    copy.run(SPLIT)
    path = copy.folder / SPLIT
    made = path.read_bytes()
    path.unlink()
    done = by_hand(copy, SPLIT)
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes() == made


def test_a_table_of_the_registry_is_made_by_hand(copy):
    """Its rule names the script only when the job is known."""
    done = by_hand(copy, "results/rq2/table5.csv")
    assert (done.returncode, done.stderr) == (0, "")
    header, *rows = (copy.folder / "results/rq2/table5.csv").read_text().splitlines()
    assert header.startswith("title,configuration")
    assert len(rows) == 4


def test_a_debugger_stops_in_the_script(copy):
    script = copy.folder / "workflow/scripts/mlp_table.py"
    text = script.read_text()
    frame = "with job(snakemake.log[0]):\n"
    script.write_text(text.replace(frame, f"{frame}    breakpoint()\n"))
    done = by_hand(copy, TABLE)
    script.write_text(text)
    assert "(Pdb) 'mlp_table'" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("results/rq1/score.parquet", "nothing makes results/rq1/score.parquet: "),
        ("config/tiny.yaml", "No rule to produce config/tiny.yaml"),
        ("all", "no rule with a script makes all"),
    ],
)
def test_a_target_without_a_script_is_refused(copy, target, message):
    refused = by_hand(copy, target)
    assert refused.returncode == 1
    assert refused.stderr.startswith(message)
    assert refused.stderr.count("\n") == 1
