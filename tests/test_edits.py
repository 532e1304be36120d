"""Whatever was edited together, one call suffices; and what failed is not forgotten.

Combinations are drawn at random. More of them, or others: EDITS_COUNT, EDITS_REAL, EDITS_SEED.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from rerun_expectations import (
    MADE_FROM,
    MODULES,
    PROBES,
    UNTITLED,
    append,
    closure,
    edited,
    every,
    jobs,
    rewrite,
)
from workflow_copy import TINY, WorkflowCopy, copy_run

pytestmark = pytest.mark.slow

SEED = int(os.environ.get("EDITS_SEED", "0"))
PLANNED = int(os.environ.get("EDITS_COUNT", "56"))
REALLY_RUN = int(os.environ.get("EDITS_REAL", "4"))

PACKAGE = "workflow/scripts/tabbench"
TAE = "resources/datasets/tae.yaml"
MODEL = "resources/models/smollm2_135m.yaml"


class Edit(NamedTuple):
    """What is edited, and the jobs that it reruns, without what depends on them.

    ``path`` is None where keys of the configuration are ``changed``; a path without a change is
    deleted; text is appended, and a function changes the content of a YAML file.
    """

    jobs: set[str]
    path: str | None = None
    change: Any = None
    unaffected: frozenset[str] = frozenset()

    @property
    def affected(self) -> set[str]:
        return closure(self.jobs) - self.unaffected


def _without(jobs: set[str]) -> frozenset[str]:
    return frozenset(closure(jobs) - {"index"})


PROSE = '\n# A comment.\n"""A string that stands alone."""\n'
EDITS = {
    **{
        f"body of {name}": Edit(affected, f"{PACKAGE}/{name}.py", "\nEDITED = True\n")
        for name, affected in MODULES.items()
    },
    **{
        f"prose of {name}": Edit(set(), f"{PACKAGE}/{name}.py", PROSE)
        for name in ("inference/engines/transformers", "scoring/metrics", "statistics/delong")
    },
    "script score": Edit(
        {f"score {rq}" for rq in TINY["research_questions"]} | {"score_all"},
        "workflow/scripts/score.py",
        "EDITED = True\n",
    ),
    "script baseline": Edit(every("baseline"), "workflow/scripts/baseline.py", "EDITED = True\n"),
    "environment tabular": Edit({"baseline_weights"}, "envs/tabular.yaml", "  - tzdata\n"),
    "environment complexity": Edit(
        {"intrinsic", "dimension real"}, "envs/complexity.yaml", "  - tzdata\n"
    ),
    "task text": Edit(
        {"prompts real", "llm_table llm", "llm_logic", "dataset_audit"},
        TAE,
        lambda entry: entry["task"].update(positive="rated very high"),
    ),
    "notes": Edit({"dataset_table"}, TAE, lambda entry: entry.update(notes=["A note."])),
    "title": Edit(
        {*MADE_FROM, "domain_page"} - UNTITLED, MODEL, lambda entry: entry.update(title="Small")
    ),
    "decoding": Edit(
        {"model_entry"}, MODEL, lambda entry: entry["generation"].update(max_new_tokens=5)
    ),
    "seed": Edit(
        every("shots"),
        change={"seeds": [864, 460]},
        unaffected=_without({"score rq2"}) | {"chance"},
    ),
    "k": Edit(
        every("shots"),
        change={"shots": [0, 2, 4, 6]},
        unaffected=_without({"score rq2", "score rq7", "calibration"})
        | {"prompts llm", "infer llm", "predict llm", "chance"},
    ),
    "cap": Edit(every("split"), change={"test_rows": 8}),
    "flagged": Edit(
        {"probe_reconstruction", "probe_completion"},
        change={"probes": TINY["probes"] | {"reconstruct": "flagged"}},
    ),
    "dataset": Edit(
        {"download real"},
        change={"datasets": [*TINY["datasets"], "credit"]},
        unaffected=frozenset(
            PROBES | {name for name, makers in MADE_FROM.items() if makers & PROBES}
        ),
    ),
    "published": Edit({"published"}, "resources/paper/table7.csv", "Qwen3-8B,128,0.8,0.02\n"),
    "template": Edit(
        {"domain_page"}, f"{PACKAGE}/reporting/page/templates/cells.html", "<!-- edited -->\n"
    ),
    **{
        f"deleted {path}": Edit(affected, f"results/{path}")
        for path, affected in {
            "datasets/tae/split.parquet": {"split real"},
            "rq1/scores.parquet": {"score rq1"},
            "rq3/gains.parquet": {"gains rq3"},
            "baselines/diabetes.parquet": {"baseline real"},
            "scitarc/complexity.parquet": {"scitarc_complexity"},
            "predictions/smollm2_135m/core/k0.parquet": {"predict real"},
            "rq1/table2.md": {"rq1_table2"},
        }.items()
    },
}
CLASHES = [{"seed", "k"}]
"""A new seed of a new k: what is not affected by one is by both."""


def apply(copy: WorkflowCopy, names: list[str]) -> None:
    settings: dict[str, Any] = {}
    for edit in map(EDITS.__getitem__, names):
        if edit.path is None:
            settings |= edit.change
        elif edit.change is None:
            (copy.folder / edit.path).unlink()
        elif callable(edit.change):
            rewrite(copy, edit.path, edit.change)
        else:
            append(copy, edit.path, edit.change)
    if settings:
        copy.configure(**settings)


def drawn(count: int, seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    found: list[list[str]] = []
    while len(found) < count:
        names = draw.sample(sorted(EDITS), draw.choice([2, 3]))
        if not any(clash <= set(names) for clash in CLASHES):
            found.append(names)
    return found


def test_a_plan_holds_all_that_edits_affect_together(finished, tmp_path):
    """Also the pair that went wrong: a metric and a comment in an engine."""
    other = WorkflowCopy(tmp_path / "other")
    copy_run(finished.folder, other.folder)
    asked = drawn(PLANNED, SEED)
    asked.append(["body of core/labels", "prose of inference/engines/transformers"])

    def check(copy: WorkflowCopy, combinations: list[list[str]]) -> list[str]:
        wrong = []
        for names in combinations:
            paths = {EDITS[name].path or "config/tiny.yaml" for name in names}
            with edited(copy, *paths):
                apply(copy, names)
                planned = jobs(copy.planned())
            wanted = set().union(*(EDITS[name].affected for name in names))
            if planned != wanted:
                wrong.append(f"{names}: missing {wanted - planned}, too many {planned - wanted}")
        return wrong

    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(check, (finished, other), (asked[::2], asked[1::2]))
        assert [fault for half in halves for fault in half] == []


# Real runs, of a configuration that takes seconds.

SMALL = {
    "datasets": ["diabetes"],
    "llm_synthetic": None,
    "probes": None,
    "scitarc": None,
    "llm_baselines": None,
    "baselines": ["majority", "logistic_regression"],
    "baseline_weights": None,
    "shots": [0, 4],
    "research_questions": {
        name: TINY["research_questions"][name] for name in ("rq1", "rq3", "rq6")
    },
}

HALVED = """

_scored = score_cells


def score_cells(predictions):
    scored = _scored(predictions)
    return scored.assign(roc_auc=scored["roc_auc"] / 2)
"""
LOUD = """

_built = build


def build(*given):
    return _built(*given).assign(query=lambda prompts: "Please: " + prompts["query"])
"""
REAL_EDITS = {
    "metric": (f"{PACKAGE}/scoring/metrics.py", HALVED),
    "prompt": (f"{PACKAGE}/prompts/prompts.py", LOUD),
    "engine's comment": (f"{PACKAGE}/inference/engines/transformers.py", PROSE),
    "engine": (f"{PACKAGE}/inference/engines/packing.py", "\nEDITED = True\n"),
    "parser": (f"{PACKAGE}/scoring/label_parser.py", "\nEDITED = True\n"),
    "script": ("workflow/scripts/split.py", "\nEDITED = True\n"),
    "environment": ("envs/core.yaml", "  - tzdata\n"),
    "task": (
        "resources/datasets/diabetes.yaml",
        lambda entry: entry["task"].update(positive="rated very high"),
    ),
    "title": (MODEL, lambda entry: entry.update(title="Small")),
    "rows": (None, {"test_rows": 8}),
    "seed": (None, {"seeds": [460]}),
    "deleted": ("results", 3),
}
STOPS = ("none", "until prompts", "failed split", "killed")


def change(copy: WorkflowCopy, names: list[str], draw: random.Random) -> None:
    settings = dict(SMALL)
    for path, edit in map(REAL_EDITS.__getitem__, names):
        if path is None:
            settings |= edit
        elif path == "results":
            made = copy.folder / path
            files = sorted(made.rglob("*.parquet")) + sorted(made.rglob("*.csv"))
            for file in draw.sample(files, edit):
                file.unlink()
        elif callable(edit):
            rewrite(copy, path, edit)
        else:
            append(copy, path, edit)
    copy.configure(**settings)


def stop_in_between(copy: WorkflowCopy, how: str, draw: random.Random) -> None:
    if how == "until prompts":
        copy.run("--until", "prompts")
    elif how == "failed split":
        broken = copy.folder / "workflow/scripts/split.py"
        kept = broken.read_text()
        broken.write_text("raise SystemExit('broken')\n")
        copy.run(fails=True)
        broken.write_text(kept)
    elif how == "killed":
        process = subprocess.Popen(
            copy.command(),
            cwd=copy.folder,
            env=copy.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(draw.uniform(5, 25))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


TIMED = ("baselines/fitted",)
"""Tables that show seconds."""


def content(copy: WorkflowCopy) -> dict[str, Any]:
    """Every table of the results, without measured seconds."""
    results = copy.folder / "results"
    found: dict[str, Any] = {}
    for path in sorted(results.rglob("*.*")):
        name = str(path.relative_to(results))
        if name.startswith(("responses/", "benchmarks/", "models/", "inference/")):
            continue
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
            found[name] = frame[[column for column in frame if "seconds" not in column]]
        elif path.suffix in (".csv", ".md", ".tex") and not name.startswith(TIMED):
            found[name] = path.read_text()
    return found


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one and one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, pd.DataFrame):
            pd.testing.assert_frame_equal(value, other[name], check_exact=True, obj=name)
        else:
            assert value == other[name], name


@pytest.fixture(scope="module")
def small(finished, tmp_path_factory) -> WorkflowCopy:
    """A finished run of the small configuration."""
    copy = WorkflowCopy.create(tmp_path_factory.mktemp("small") / "copy")
    copy.configure(**SMALL)
    weights = "results/models/smollm2_135m/weights"
    copy_run(finished.folder / weights, copy.folder / weights)
    copy.run()
    return copy


def another(copy: WorkflowCopy, folder: Path) -> WorkflowCopy:
    copy_run(copy.folder, folder)
    return WorkflowCopy(folder)


@pytest.mark.parametrize("number", range(REALLY_RUN))
def test_one_call_gives_what_a_fresh_run_gives(small, tmp_path, number):
    draw = random.Random(f"{SEED} {number}")
    names = draw.sample(sorted(REAL_EDITS), draw.choice([2, 3]))
    early, late = names[:1], names[1:]
    how = STOPS[number % len(STOPS)]
    print(f"edited: {early}, then {how}, then {late}")

    copy = another(small, tmp_path / "edited")
    change(copy, early, draw)
    stop_in_between(copy, how, draw)
    change(copy, late if "seed" not in early and "rows" not in early else names, draw)
    copy.run()
    assert copy.planned() == {}

    fresh = WorkflowCopy.create(tmp_path / "fresh")
    change(fresh, [name for name in names if name != "deleted"], draw)
    for part in ("results/responses", "results/models/smollm2_135m/weights"):
        shutil.copytree(copy.folder / part, fresh.folder / part)
    asked = fresh.log_lines()
    fresh.run()
    assert fresh.log_lines() == asked, "the fresh run asked what the edited one had not"
    assert_same(content(copy), content(fresh))


BROKEN_SPLIT = {"split": {"openml_task": True}}  # openml is not installed


@pytest.mark.parametrize(
    "target", ["results/rq1/table2.md", "results/datasets/diabetes/split.parquet"]
)
def test_a_failure_is_not_forgotten(small, tmp_path, target):
    copy = another(small, tmp_path / "copy")
    copy.configure(**SMALL | BROKEN_SPLIT)
    for asked in ([target], [target], [], ["results/rq1/datasets.csv"]):
        output = copy.run(*asked, fails=True)
        assert "openml" in output
        assert "Nothing to be done" not in output
    copy.configure(**SMALL)
    plan = copy.planned("results/rq1/datasets.csv")
    assert {"split", "score", "rq1_datasets"} <= set(plan)
    copy.run()
    assert copy.planned() == {}
    assert_same(content(copy), content(small))
    assert copy.log_lines() == small.log_lines()


def test_a_rerun_that_asks_nothing_keeps_the_benchmark_of_the_run_that_asked(small, tmp_path):
    copy = another(small, tmp_path / "copy")
    (path,) = (copy.folder / "results/benchmarks/infer").glob("*_core_k4.tsv")
    before = path.read_bytes()
    copy.run("results/inference/smollm2_135m/core/k4.json", "--force")
    assert copy.log_lines() == small.log_lines()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("results/inference/smollm2_135m/core/k5.json", "k = 0, 4;"),
        ("results/inference/smollm2_135m/new/k4.json", "asks smollm2_135m about the new suite"),
        ("results/inference/nobody/core/k4.json", "the models smollm2_135m;"),
        ("results/datasets/iris/raw", "has the datasets diabetes, mlp0_t0;"),
        ("results/datasets/mlp7_t0/table.parquet", "has the datasets diabetes, mlp0_t0;"),
        ("results/rq1/table22.md", "did you mean results/rq1/table2.md?"),
        ("results/rq5/scores.parquet", "the questions rq1, rq3, rq6"),
    ],
)
def test_an_unknown_target_gets_one_sentence(small, target, said):
    output = small.run(target, "--dry-run", fails=True)
    assert f"Error: nothing makes {target}: " in output
    assert said in output
    assert "Traceback" not in output and "File" not in output.partition("Error: ")[2]
