"""A fault in the configuration stops the workflow before any job, with a message to act on."""

import pytest
import yaml
from workflow_copy import TINY, WorkflowCopy

from tabbench.config.checks import check_budget
from tabbench.core.errors import TabBenchError


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return WorkflowCopy.create(tmp_path_factory.mktemp("errors") / "copy")


def synthetic(**changes):
    return {"llm_synthetic": TINY["llm_synthetic"] | changes}


def probing(**changes):
    return {"probes": TINY["probes"] | changes}


def written(**changes):
    return {"llm_baselines": TINY["llm_baselines"] | changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"datasets": ["diabets"]}, "unknown dataset 'diabets': did you mean 'diabetes'?"),
        ({"models": ["smollm"]}, "unknown model 'smollm': did you mean 'smollm2_135m'?"),
        ({"sheeds": [1]}, "unknown key 'sheeds': did you mean 'seeds'?"),
        ({"sandbox": "docker"}, "'sandbox': unknown value 'docker': Valid: bubblewrap, process"),
        (synthetic(cross_evaluation=False), "write `cross_evaluation: true`"),
        (synthetic(datasets=["credit"]), "llm_synthetic.datasets names 'credit'"),
        (
            synthetic(generators={"nobody": {"evaluate": ["smollm2_135m"]}}),
            "'nobody' names no model, and resources/dialogues/nobody/tae holds no dialogue",
        ),
        (
            synthetic(generators={"x": {"model": "smollm", "evaluate": ["smollm2_135m"]}}),
            "unknown model 'smollm'",
        ),
        (probing(datasets=["credit"]), "probes.datasets names 'credit', which is not run"),
        (probing(models=["smollm"]), "unknown model 'smollm': did you mean 'smollm2_135m'?"),
        (probing(cell=3), "unknown key 'probes.cell': did you mean 'cells'?"),
        (
            {"complexity": {"model": "xgboost"}},
            "complexity.model names 'xgboost', which is not run",
        ),
        (written(models=["repositry"]), "unknown model 'repositry': did you mean 'repository'?"),
        (written(datasets=["credit"]), "llm_baselines.datasets names 'credit', which is not run"),
        (written(shots=[0, 8]), "llm_baselines.shots has [8], which are not among shots"),
        (written(shots=[4]), "llm_tree is zero-shot, but llm_baselines has k = [4]"),
        (written(methods=["tree"]), "unknown value 'tree': did you mean 'llm_tree'?"),
        ({"baselines": ["xgbost"]}, "unknown value 'xgbost': did you mean 'xgboost'?"),
        (
            {"baseline_weights": {"tabpf": "cache"}},
            "unknown key 'baseline_weights.tabpf': did you mean 'tabpfn'?",
        ),
        (
            {"scitarc": TINY["scitarc"] | {"judge": "macher"}},
            "scitarc.judge names 'macher', which is neither a model of the registry nor the "
            "matcher: did you mean 'matcher'?",
        ),
        (
            {"scitarc": TINY["scitarc"] | {"judge": {"matcher_then": "smollm2_135"}}},
            "scitarc.judge.matcher_then names 'smollm2_135', which is no model of the registry: "
            "did you mean 'smollm2_135m'?",
        ),
        (
            {
                "scitarc": TINY["scitarc"]
                | {"seeds": [0, 1], "decoding": {"max_new_tokens": 8, "temperature": 0}}
            },
            "scitarc.seeds names 2 seeds, but scitarc.decoding is greedy",
        ),
        ({"budget": -1}, "'budget': -1 is less than the minimum of 0"),
        ({"max_shots": {"credit": 2}}, "max_shots names 'credit', which is not run"),
    ],
)
def test_it_is_named_with_the_closest_valid_name(copy, changes, message):
    copy.configure(**changes)
    output = copy.run("-n", fails=True)
    assert message in output
    assert "Traceback" not in output


def test_one_budget_needs_one_currency():
    priced = {name: {"prices": {"currency": name[:3]}} for name in ("USD_a", "USD_b", "EUR_c")}
    free = {"own_server": {}}
    check_budget({"budget": 5}, {name: priced[name] for name in ("USD_a", "USD_b")} | free)
    check_budget({}, priced | free)
    with pytest.raises(TabBenchError, match="several currencies: 'USD_a' in USD and 'EUR_c' in"):
        check_budget({"budget": 5}, priced | free)


def test_a_configuration_on_the_command_line_stands_alone(copy):
    without = {key: value for key, value in TINY.items() if key != "seeds"}
    (copy.folder / "config/tiny.yaml").write_text(yaml.safe_dump(without))
    assert "'seeds' is a required property" in copy.run("-n", fails=True)


def test_an_error_of_a_job_is_short_and_names_the_dataset(copy):
    copy.configure(
        datasets=["tae"], shots=[0, 200], research_questions={"rq3": {"modes": ["forward"]}}
    )
    output = copy.run("results/datasets/tae/shots_k200.parquet", fails=True)
    assert "ERROR: dataset 'tae': class 0 has 66 training row(s), k = 200 needs 100" in output
    assert "Traceback" not in output


def test_the_suite_needs_a_sandbox(copy):
    without = {key: value for key, value in TINY.items() if key != "sandbox"}
    (copy.folder / "config/tiny.yaml").write_text(yaml.safe_dump(without))
    assert "'sandbox' is a dependency of 'llm_synthetic'" in copy.run("-n", fails=True)


def test_a_configuration_without_the_suite_is_fine(copy):
    questions = {rq: value for rq, value in TINY["research_questions"].items() if rq != "rq5"}
    gone = {"llm_synthetic", "llm_baselines", "scitarc", "sandbox"}
    text = {key: value for key, value in TINY.items() if key not in gone}
    text["research_questions"] = questions
    (copy.folder / "config/tiny.yaml").write_text(yaml.safe_dump(text))
    assert "dialogue" not in copy.run("-n")


def test_without_the_key_nothing_is_probed(copy):
    copy.configure()
    assert "probe_recognition" in copy.run("-n")
    text = {key: value for key, value in TINY.items() if key != "probes"}
    (copy.folder / "config/tiny.yaml").write_text(yaml.safe_dump(text))
    assert "probe_recognition" not in copy.run("-n")


def test_without_the_key_nothing_of_scitarc_is_asked(copy):
    copy.configure()
    assert "scitarc_responses" in copy.run("-n")
    copy.configure(scitarc=None)
    assert "scitarc" not in copy.run("-n")


def test_a_dialogue_that_makes_no_table_is_named_with_its_folder(copy):
    copy.configure()
    path = copy.folder / "resources/dialogues/repository/tae/turn3.md"
    path.write_text(path.read_text().replace("def rule_summer", "def summer("))
    output = copy.run("results/datasets/tae_ls_repository/table.parquet", fails=True)
    assert "ERROR: tae_ls_repository: results/dialogues/tae_ls_repository: turn 3" in output
    assert "Traceback" not in output
