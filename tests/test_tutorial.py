"""The tutorial, followed to the letter: each command is read from its page and run."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workflow_copy import ROOT, WorkflowCopy

pytestmark = pytest.mark.slow

FIRST_RUN = ROOT / "docs/tutorial/first_run.md"
OWN_TABLE = ROOT / "docs/own_table.md"


def commands(page: Path) -> list[str]:
    """The indented lines of a page."""
    return re.findall(r"^    (\S.*)$", page.read_text(), re.MULTILINE)


def prepare(copy: WorkflowCopy) -> WorkflowCopy:
    """Add what a checkout has besides the workflow, and a finished virtual environment."""
    for name in ("Makefile", "tabbench", *(path.name for path in ROOT.glob("requirements*"))):
        shutil.copy2(ROOT / name, copy.folder / name)
    environment = copy.folder / ".venv"
    environment.mkdir()
    for path in Path(sys.prefix).iterdir():
        if path.name != "installed":
            (environment / path.name).symlink_to(path)
    (environment / "installed").touch()  # as `make setup` leaves it
    return copy


def follow(copy: WorkflowCopy, line: str) -> str:
    """Run a line as a shell in the active virtual environment does; give what it printed."""
    environment = copy.environment()
    environment["PATH"] = f"{copy.folder / '.venv/bin'}:{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=copy.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, f"{line}\n{output}"
    return output


def test_the_first_run(finished):
    """On a configuration that is tiny and finished but for the page and one figure."""
    copy = prepare(finished)
    config = copy.folder / "config/config.yaml"
    shutil.copy(copy.folder / "config/tiny.yaml", config)
    index = copy.folder / "results/index.html"
    figure = copy.folder / "results/rq6/figure31.pdf"
    clone, enter, run, one, changed = commands(FIRST_RUN)
    assert clone.startswith("git clone <")
    assert enter.startswith("cd <")

    index.unlink()
    assert "results/index.html" in follow(copy, run)
    assert index.exists()

    assert str(figure.relative_to(copy.folder)) in one
    figure.unlink()
    follow(copy, one)
    assert figure.exists()

    edit = re.search(r"`test_rows: (\d+)`", FIRST_RUN.read_text())
    assert edit
    text, edits = re.subn(r"test_rows: \d+", edit[0].strip("`"), config.read_text())
    assert edits == 1
    config.write_text(text)
    assert re.search(r"^infer\b", follow(copy, changed), re.MULTILINE)


def test_a_table_of_your_own(tmp_path):
    """Its drafts are real; the pages, which take minutes, are planned."""
    copy = prepare(WorkflowCopy.create(tmp_path / "copy"))
    rows = "".join(f"{20 + row},{row % 7},{'yes' if row % 3 else 'no'}\n" for row in range(90))
    (copy.folder / "loans.csv").write_text(f"age,debts,defaulted\n{rows}")
    lines = commands(OWN_TABLE)
    assert len(lines) == 6
    for line in lines:
        if line.startswith("snakemake"):
            assert "own_page" in follow(copy, f"{line} --dry-run --quiet rules"), line
        elif line.startswith("./tabbench"):
            follow(copy, line)
    own = copy.folder / "config/own"
    assert {path.name for path in own.iterdir()} >= {"loans.yaml", "mammography.yaml"}
