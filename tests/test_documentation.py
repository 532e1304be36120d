"""The documentation: nothing that it should explain is missing, and no link is broken."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import generate  # noqa: E402
import thumbnails  # noqa: E402
from PIL import Image  # noqa: E402
from workflow_copy import WorkflowCopy  # noqa: E402

from tabbench.config.user_datasets import own_schema  # noqa: E402

SCHEMAS = generate.read_schemas()
SCHEMAS["own_dataset"] = own_schema(SCHEMAS["dataset"])
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "config" / "README.md",
    *(page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts),
]


def nodes(schema, node, path=""):
    """Every key of a schema with its path, references and alternatives followed."""
    for part in generate._alternatives(schema, generate._resolved(schema, node)):
        for name, value in part.get("properties", {}).items():
            yield f"{path}{name}", generate._resolved(schema, value)
            yield from nodes(schema, value, f"{path}{name}.")
        further = part.get("additionalProperties")
        if isinstance(further, dict):
            yield from nodes(schema, further, f"{path}<name>.")


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_key_has_a_description_and_stands_on_its_page(kind):
    schema = SCHEMAS[kind]
    page = generate.schema_page(schema)
    found = list(nodes(schema, schema))
    assert len(found) > 40
    for name, node in found:
        assert node.get("description"), f"{kind}: {name}"
        assert f"`{name}`" in page, name


def test_a_key_shows_its_type_whether_it_is_needed_and_what_it_refers_to():
    schema = {
        "required": ["rows"],
        "properties": {
            "rows": {"type": "integer", "minimum": 2, "description": "Rows to draw."},
            "runs": {
                "type": "array",
                "description": "Runs.",
                "items": {"type": "object", "properties": {"mode": {"$ref": "#/$defs/mode"}}},
            },
        },
        "$defs": {"mode": {"enum": ["a", "b"], "description": "How."}},
    }
    assert generate.schema_page(schema) == (
        "## `rows`\n\n*whole number, at least 2; required*\n\nRows to draw.\n\n"
        "## `runs`\n\n*list of mapping; optional*\n\nRuns.\n\n"
        "`runs.mode`\n: *`a` or `b`.* How.\n"
    )


def test_every_declared_column_is_listed():
    page = generate.columns_page()
    assert page.count("\n## ") + page.startswith("## ") == len(list(generate._declared())) > 30
    assert "| `roc_auc` | double | plain ROC-AUC; NaN when a class is missing |" in page


def test_every_table_and_figure_is_listed():
    page = generate.artifacts_page()
    for artifact in [*generate._registered(), *generate.SCITARC]:
        assert f"`results/{artifact.folder}/{artifact.name}.*`" in page


def test_thumbnails_are_of_figures_that_exist_and_are_small():
    known = {Path(one.folder) / f"{one.name}.png" for one in generate.figures()}
    files = generate.THUMBNAILS.rglob("*.png")
    found = {path.relative_to(generate.THUMBNAILS): path for path in files}
    assert len(found) > 30
    assert found.keys() <= known, "a figure was renamed or removed: docs/thumbnails.py"
    assert sum(path.stat().st_size for path in found.values()) < 2**20
    page = generate.artifacts_page()
    assert all(f"](../images/thumbnails/{place})" in page for place in found)


def test_a_thumbnail_is_scaled_and_palettized(tmp_path):
    source, target = tmp_path / "figure.png", tmp_path / "rq1/figure.png"
    Image.linear_gradient("L").resize((800, 400)).save(source)
    thumbnails.write_thumbnail(source, target)
    with Image.open(target) as image:
        assert image.size == (320, 160)
        assert image.mode == "P"


def test_the_graph_joins_tables_and_figures_and_leaves_out_what_a_longer_way_says():
    dot = """digraph {
        0[label = "all"];
        1[label = "split"];
        2[label = "score\\ndataset: x"];
        3[label = "rq1_table2"];
        1 -> 2
        2 -> 3
        1 -> 3
        3 -> 0
    }"""
    edges = re.findall(r'"(.*)" -> "(.*)"', generate.rules_page(dot))
    assert edges == [("score", "tables and figures"), ("split", "score")]


def test_no_link_between_pages_is_broken():
    checked = 0
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for words, target in re.findall(r"\[([^][]*)\]\(([^)\s]+)\)", text):
            assert words, f"{page.name}: no text to click for {target}"  # GitHub shows nothing
            if target.startswith(("http:", "https:", "#")):
                continue
            checked += 1
            assert (page.parent / target.split("#")[0]).exists(), f"{page.name}: {target}"
    assert checked > 30


def test_every_page_is_in_the_contents():
    text = (ROOT / "docs" / "index.md").read_text()
    named = {line for line in text.splitlines() if re.fullmatch(r"[a-z_/]+", line)}
    pages = {
        str(page.relative_to(ROOT / "docs").with_suffix(""))
        for page in PAGES
        if page.is_relative_to(ROOT / "docs")
    }
    assert named == pages - {"index"}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def commands():
    """Every call of Snakemake that a page shows, once, as words."""
    found = {}
    for page in PAGES:
        for line in re.findall(r"^    (snakemake .*)$", page.read_text(), re.MULTILINE):
            words = shlex.split(line, comments=True)
            found.setdefault(" ".join(words), words)
    return list(found.values())


def test_pages_show_calls_of_snakemake():
    assert len(commands()) > 10


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the workflow with the configuration and the table that pages speak of."""
    copy = WorkflowCopy.create(tmp_path_factory.mktemp("documented"))
    shutil.copy(copy.folder / "config/config.yaml", copy.folder / "config/mine.yaml")
    own = copy.folder / "config/own"
    own.mkdir(exist_ok=True)
    rows = "".join(f"{20 + row},{row % 7},{'yes' if row % 3 else 'no'}\n" for row in range(90))
    entry = (
        "target: {column: defaulted, positive: 'yes'}\n"
        "task: {entity: a loan applicant, task: whether the applicant defaults,"
        " negative: pays back, positive: defaults}\n"
    )
    for name in ("loans", "mammography"):
        (own / f"{name}.csv").write_text("age,debts,defaulted\n" + rows)
        (own / f"{name}.yaml").write_text(entry)
    return copy


@pytest.mark.slow
@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_call_that_a_page_shows_is_understood(copied, words):
    given = [word for word in words if word != "--use-conda"]  # needs conda: test_use_conda.py
    done = subprocess.run(
        [sys.executable, "-m", *given, "--dry-run", "--quiet"],
        cwd=copied.folder,
        env=copied.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
