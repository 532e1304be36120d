"""The registry of tables and figures: each entry can be made, under a name of its own."""

import inspect
import subprocess
import sys
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name

import pytest
from sample_run import QUESTIONS, SAMPLE_RUN

from tabbench.core.frames import Schema
from tabbench.reporting import registry
from tabbench.reporting.artifact import Run
from tabbench.scitarc.registry import ARTIFACTS as SCITARC

ROOT = Path(__file__).parents[1]
ARTIFACTS = [
    *chain(*registry.QUESTIONS.values()),
    *registry.COMPLEXITY,
    *registry.PROBES,
    *SCITARC,
    *registry.BASELINES,
    *registry.DATASETS,
    *registry.PAPER,
    *registry.REPLICATION,
]
MADE = [artifact for artifact in ARTIFACTS if artifact.function]


def test_names_and_files_are_unique():
    assert len(MADE) > 60
    for names in (
        [artifact.rule for artifact in ARTIFACTS],
        [path for artifact in ARTIFACTS for path in artifact.paths],
    ):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("artifact", MADE, ids=lambda artifact: artifact.rule)
def test_the_function_takes_what_the_entry_gives(artifact):
    parameters = inspect.signature(resolve_name(artifact.function)).parameters
    given = {*artifact.inputs(SAMPLE_RUN), *artifact.arguments(SAMPLE_RUN)}
    assert given <= set(parameters)
    bare = replace(SAMPLE_RUN, questions=(artifact.folder.partition("/")[0],), shots={})
    least = {*artifact.inputs(bare), *artifact.arguments(bare)}
    needed = {name for name, one in parameters.items() if one.default is one.empty}
    assert needed <= least
    for schema in artifact.schemas.values():
        assert isinstance(resolve_name(schema), Schema)


def test_every_artifact_exists_in_a_run_that_asks_everything():
    assert [artifact.rule for artifact in ARTIFACTS if not artifact.exists(SAMPLE_RUN)] == []


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        ({"questions": QUESTIONS[:3]}, {"rq4_table8", "rq6_figure31", "rq7_table11"}),
        ({"shots": dict.fromkeys(QUESTIONS, frozenset({0}))}, {"rq3_figure11", "rq4_figure14"}),
        ({"suites": frozenset({"core"})}, {"rq1_figure7", "rq3_table17", "rq3_table18"}),
        ({"suites": frozenset({"new"})}, {"rq1_figure1", "rq1_figure6", "rq1_figure7"}),
        ({"suites": frozenset({"core"}), "formats": {}}, {"rq1_age_gap", "rq7_robustness"}),
        ({"formats": {"rq1": ("feat_val",)}}, {"rq1_formats", "rq3_formats_figure", "rq6_formats"}),
        ({"ruled": False}, {"rq5_rules"}),
        ({"full_training": False}, {"rq1_full_training"}),
        ({"baselines": {}}, {"rq1_differences", "rq1_ranks", "rq6_figure30", "baselines_fitted"}),
        ({"real_datasets": 1}, {"rq1_ranks"}),
        ({"real_datasets": 0}, {"replication_cells", "replication_cells_figure"}),
        ({"placed": False}, {"complexity_placement", "complexity_placement_figure"}),
        ({"probed": {}}, {"rq1_probes_table3"}),
        ({"registered": False}, {"datasets_table1", "datasets_audit"}),
        ({"systems": dict.fromkeys(SAMPLE_RUN.systems, 0)}, {"scitarc_table2", "scitarc_figure9"}),
        ({"systems": SAMPLE_RUN.systems | {"direct": 1}}, {"scitarc_differences"}),
        ({"scitarc_models": ()}, {"scitarc_table1", "scitarc_judges", "scitarc_cost"}),
        ({"annotated": False}, {"scitarc_table3"}),
        ({"labelled": False}, {"scitarc_corrected"}),
        ({"files": SAMPLE_RUN.files | {"llm_queries": []}}, {"rq3_llm_baselines"}),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_what_a_run_does_not_ask_is_not_made(change, gone):
    run = replace(SAMPLE_RUN, **change)
    assert {artifact.rule for artifact in ARTIFACTS if not artifact.exists(run)} >= gone


def test_context_figures_know_their_number_of_examples():
    asked = replace(SAMPLE_RUN, shots={"rq4": frozenset({0, 8}), "rq5": frozenset({0, 16})})
    found = {
        artifact.name: artifact.arguments(asked)["k"]
        for artifact in [*registry.RQ4, *registry.RQ5]
        if "k" in artifact.fixed and artifact.exists(asked)
    }
    # Figures 14 to 18 of the paper are k = 4, 8, 16, 32, 64; Figures 24 to 29 begin with 0.
    assert found == {"figure15": 8, "figure24": 0, "figure27": 16}


def test_titles_are_plain_text():
    for artifact in ARTIFACTS:
        assert artifact.title and not set("<>{}") & set(artifact.title), artifact.rule


@pytest.mark.slow
def test_the_type_checker_sees_the_arguments(tmp_path):
    """Each call that the registry leads to, written out and type-checked."""
    lines = ["import pandas as pd", "from tabbench.reporting.artifact import Run"]
    calls = []
    for number, artifact in enumerate(MADE):
        module, _, name = artifact.function.partition(":")
        kind = "writer import Table" if artifact.kind == "table" else "style import Figure"
        lines += [
            f"from {module} import {name} as make_{number}",
            f"from tabbench.reporting.{kind}",
        ]
        given = [f"{frame.name}=frame" for frame in artifact.frames]
        given += [f"{name}=run.{attribute}" for name, attribute in artifact.settings.items()]
        given += [f"{name}={value!r}" for name, value in artifact.fixed.items()]
        result = artifact.kind.capitalize()
        calls.append(f"    made_{number}: {result} = make_{number}({', '.join(given)})")
    file = tmp_path / "calls.py"
    text = [*dict.fromkeys(lines), "def check(run: Run, frame: pd.DataFrame) -> None:", *calls]
    file.write_text("\n".join(text) + "\n")
    checked = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(file)]
    done = subprocess.run(checked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    broken = file.read_text().replace("models=run.models", "models=run.rows")
    assert broken != file.read_text()
    file.write_text(broken)
    done = subprocess.run(checked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "incompatible type" in done.stdout


def test_a_run_is_described_whole():
    described = Run.__doc__ or ""
    missing = [one.name for one in fields(Run) if one.name not in described]
    assert missing == []
