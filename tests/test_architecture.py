"""Who may import whom in the package; imports inside functions count too."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "workflow/scripts/tabbench"

# What each folder may import besides itself and core. A folder is a line of this table: its name
# does not stand for a folder inside it that has a line of its own. A module is named alone where
# the rest of its folder may not be imported, and has a line where it may import what its folder
# may not.
MAY_IMPORT = {
    "core": "",
    "config": "",
    "statistics": "",
    "sandbox": "",
    "data": "config.dataset_entry",
    "synthetic": "config.dataset_entry sandbox",
    "prompts": "config.dataset_entry",
    "inference": "config.model_entry inference.engines",
    "inference.engines": "config.endpoints config.model_entry",
    "baselines": "",
    "baselines.llm_written": (
        "config.dataset_entry inference.engines.base inference.texts prompts.serialize sandbox"
    ),
    "planning": (
        "baselines.llm_written.ask config.dataset_entry inference inference.engines probes scitarc "
        "scitarc.schemas statistics synthetic"
    ),
    "probes": "inference.engines.base inference.texts prompts.serialize statistics",
    "scoring": "statistics",
    "scoring.predict": "inference inference.engines.base scoring",
    "complexity": "scoring.select statistics",
    "decision": "scoring.calibration statistics",
    "published": "scoring.aggregate statistics",
    "decision.phrases": "reporting.writer",
    "decision.sentences": "decision.phrases reporting.writer statistics.multiplicity",
    "decision.use_sentences": (
        "decision.phrases decision.sentences reporting.writer statistics.multiplicity"
    ),
    "decision.probability_sentences": "decision.phrases decision.sentences reporting.writer",
    "decision.data_sentences": (
        "decision.sentences probes.canary probes.verdicts reporting.writer"
    ),
    "decision.next_steps": "decision.sentences",
    "reporting": "scoring.aggregate scoring.reference_baseline",
    "reporting.tables": "complexity published reporting scoring statistics",
    "reporting.tables.cost_estimate": "inference reporting",
    "reporting.tables.complexity": "complexity data.complexity_grid.levels reporting",
    "reporting.tables.datasets": "data.audit data.description reporting",
    "reporting.tables.llm_baselines": (
        "baselines.llm_written.methods baselines.llm_written.running inference.engines reporting "
        "scoring"
    ),
    "reporting.tables.probes": "probes reporting statistics",
    "reporting.tables.user_dataset": "data.audit reporting scoring",
    "reporting.figures": (
        "complexity.rank_agreement decision.sentences published reporting scoring statistics"
    ),
    "reporting.page": (
        "config.endpoints decision.data_sentences decision.next_steps "
        "decision.probability_sentences decision.sentences decision.use_sentences "
        "reporting reporting.figures "
        "scitarc.tables.text scoring.aggregate statistics"
    ),
    "scitarc": (
        "config.validation inference.engines.base inference.texts sandbox scitarc.schemas "
        "statistics"
    ),
    "scitarc.registry": "reporting.artifact",
    "scitarc.schemas": "",
    "scitarc.tables": "reporting.writer scitarc statistics",
    "scitarc.figures": "reporting.style scitarc",
}
IN_THE_SANDBOX = (
    "baselines.llm_written.driver",
    "sandbox.harness",
    "scitarc.code_driver",
    "synthetic.driver",
)
"""Run as files where a model's code runs: there is no package there."""


def name(path: Path) -> str:
    """The name of a module within the package."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


FILES = {name(path): path for path in PACKAGE.rglob("*.py")}


def imported(path: Path) -> set[str]:
    """The modules of the package that a file imports itself."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {one.removeprefix("tabbench.") for one in found} & set(FILES)


IMPORTS = {module: imported(path) for module, path in FILES.items()}


def line(module: str) -> str:
    """The line of the table that a module is under."""
    parts = module.split(".")
    above = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((one for one in above if one in MAY_IMPORT), "")


def crossings() -> set[tuple[str, str]]:
    """Every import from one line of the table to another, core's aside."""
    return {
        (module, other)
        for module, others in IMPORTS.items()
        for other in others
        if line(other) not in (line(module), "core")
    }


def allows(entry: str, other: str) -> bool:
    return entry in (other, line(other))


def test_imports_are_found():
    assert len(FILES) > 200
    assert {"core.errors", "inference.engines.base"} <= IMPORTS["inference.engines.replay"]
    assert "inference.engines" in IMPORTS["inference.models"]


def test_every_module_is_under_a_line():
    assert {module for module in FILES if not line(module)} == {"__init__"}


def test_no_folder_imports_what_it_may_not():
    assert crossings()
    wrong = {
        f"{module} imports {other}"
        for module, other in crossings()
        if not any(allows(entry, other) for entry in MAY_IMPORT[line(module)].split())
    }
    assert not wrong


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_nothing_is_allowed_that_nobody_uses(folder):
    used = {other for module, other in crossings() if line(module) == folder}
    for entry in MAY_IMPORT[folder].split():
        assert any(allows(entry, other) for other in used), f"{folder} does not import {entry}"


def test_no_imports_go_in_a_circle():
    try:
        TopologicalSorter(IMPORTS).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("module", IN_THE_SANDBOX)
def test_what_runs_in_the_sandbox_imports_nothing_of_the_package(module):
    assert not IMPORTS[module]
