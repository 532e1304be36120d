"""Registry entries and configurations: what is written is checked, and faults are explained."""

from pathlib import Path

import pandas as pd
import pytest

from tabbench.config.dataset_entry import TaskText, parse_dataset
from tabbench.config.model_entry import parse_model
from tabbench.config.registry import load_entries
from tabbench.config.validation import load_yaml, validate
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines import ENGINES
from tabbench.inference.models import identity

ROOT = Path(__file__).parents[1]
SCHEMAS = {
    name: load_yaml(ROOT / f"config/schemas/{name}.schema.yaml")
    for name in ("config", "dataset", "model")
}


def entries(kind):
    folder = ROOT / "resources" / f"{kind}s"
    return load_entries(folder, [path.stem for path in folder.glob("*.yaml")], SCHEMAS[kind], kind)


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in ROOT.glob("resources/datasets/*.yaml"))
)
def test_dataset_entries_are_valid(name):
    dataset = parse_dataset(name, entries("dataset")[name])
    assert dataset.target not in dataset.features
    task = TaskText(**entries("dataset")[name]["task"])
    assert task.negative != task.positive


@pytest.mark.parametrize("name", sorted(path.stem for path in ROOT.glob("resources/models/*.yaml")))
def test_model_entries_are_valid(name):
    assert identity(parse_model(name, entries("model")[name])).weights


@pytest.mark.parametrize("name", ["config", "paper"])
def test_configurations_are_valid(name):
    config = load_yaml(ROOT / f"config/{name}.yaml")
    validate(config, SCHEMAS["config"], name)
    assert set(config["datasets"]) <= set(entries("dataset"))
    assert set(config["models"]) <= set(entries("model"))


def test_the_papers_grid_hides_as_many_cells_as_table_4_rests_on():
    """Its text says 50 cells, but 10 of its 15 accuracies are no multiple of 1/50."""
    accuracies = pd.read_csv(ROOT / "resources/paper/table4.csv")["accuracy"]
    cells = load_yaml(ROOT / "config/paper.yaml")["probes"]["cells"]

    def rest_on(count):
        return (accuracies * count - (accuracies * count).round()).abs() < 1e-9

    assert rest_on(cells).all()
    assert (~rest_on(50)).sum() == 10


def test_the_schema_knows_the_engines():
    assert SCHEMAS["model"]["properties"]["engine"]["enum"] == list(ENGINES)


def broken(**changes):
    return {**load_yaml(ROOT / "config/config.yaml"), **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": [1]}, "unknown key 'seed': did you mean 'seeds'"),
        ({"shots": [0, 3]}, "'shots.1': 3 is not a multiple of 2"),
        (
            {"main_mode": "forwards"},
            "'main_mode': unknown value 'forwards': did you mean 'forward'",
        ),
        ({"research_questions": {"rq9": {}}}, "unknown key 'research_questions.rq9'"),
        ({"seeds": ["1"]}, "'seeds.0': '1' is not of type 'integer'"),
    ],
)
def test_a_fault_in_the_configuration_is_explained(changes, message):
    with pytest.raises(TabBenchError) as error:
        validate(broken(**changes), SCHEMAS["config"], "configuration")
    assert message in str(error.value)


def test_all_faults_are_listed_at_once():
    with pytest.raises(TabBenchError, match="2 problem"):
        validate(broken(seed=[1], main_mode="x"), SCHEMAS["config"], "configuration")


def test_an_unknown_dataset_names_the_closest_valid_one():
    with pytest.raises(TabBenchError, match="unknown dataset 'diabetis': did you mean 'diabetes'"):
        load_entries(ROOT / "resources/datasets", ["diabetis"], SCHEMAS["dataset"], "dataset")


def test_a_key_written_twice_is_an_error(tmp_path):
    path = tmp_path / "twice.yaml"
    path.write_text("seeds: [1]\nshots: [0]\nseeds: [2]\n")
    with pytest.raises(TabBenchError, match="key 'seeds' is written twice"):
        load_yaml(path)


def test_a_column_with_two_roles_is_an_error():
    entry = entries("dataset")["tae"]
    with pytest.raises(TabBenchError, match=r"dataset 'tae': column\(s\) \['course'\]"):
        parse_dataset("tae", {**entry, "drop": ["course"]})


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("gpt_4o_mini", {"prices": None}, "'prices' is a required property"),
        ("gpt_4o_mini", {"server": None}, "'server' is a required property"),
        ("gpt_4o_mini", {"endpoint": {"model": "x"}}, "'url' is a required property"),
        ("qwen3_8b", {"limits": {"in_flight": 1}}, r"'limits'.* does not go with"),
        ("qwen3_8b", {"zero_shot_repeats": 5}, r"'zero_shot_repeats'.* does not go with"),
        ("qwen3_8b", {"weights": {"served": "qwen"}}, "weights"),
        ("qwen3_8b", {"weights": {"hub": "Qwen/Qwen3-8B", "revision": "main"}}, "weights"),
        ("qwen3_8b", {"dtype": "undisclosed"}, "dtype"),
    ],
)
def test_entries_that_cannot_be_asked_are_refused(name, changes, message):
    entry = load_yaml(ROOT / f"resources/models/{name}.yaml")
    entry = {key: value for key, value in (entry | changes).items() if value is not None}
    with pytest.raises(TabBenchError, match=message):
        validate(entry, SCHEMAS["model"], name)


def test_where_a_model_is_asked_is_no_part_of_its_identity():
    entry = load_yaml(ROOT / "resources/models/own_server.yaml")
    before = identity(parse_model("own", entry))
    moved = entry | {"endpoint": {"url": "http://elsewhere/v1"}, "limits": {"in_flight": 1}}
    assert identity(parse_model("own", moved)) == before
    del moved["endpoint"], moved["limits"]  # as predict sees it
    assert identity(parse_model("own", moved)) == before
    assert identity(parse_model("own", entry | {"server": "llama.cpp"})) != before
    assert identity(parse_model("own", entry | {"request": {"top_k": 1}})) != before
