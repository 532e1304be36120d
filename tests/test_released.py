"""LLM-written tables that were released: which there are, how they are read, what is not asked."""

from collections import Counter
from pathlib import Path

import pytest
from test_grid import SUITES, SYNTHETIC, config

from tabbench.config.checks import check_pairing
from tabbench.config.dataset_entry import parse_dataset
from tabbench.config.grid import Grid
from tabbench.config.released import AUTHORS, missing, read_released, released_entry
from tabbench.config.validation import load_yaml, validate
from tabbench.core.errors import TabBenchError
from tabbench.data.prepare import prepare
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch

ROOT = Path(__file__).parents[1]
RELEASED = read_released(ROOT / "resources/released/llm_tables.csv")
CORE = [
    name
    for name in load_yaml(ROOT / "config/paper.yaml")["datasets"]
    if load_yaml(ROOT / f"resources/datasets/{name}.yaml")["suite"] == "core"
]
TABLE = ",CustomerID,Age,Plan,label\n0,1,31,Basic,1\n2,2,40,Premium,0\n3,3,29,Basic,0\n"


def asked(generators, questions=None):
    synthetic = {"datasets": ["diabetes", "credit"], "generators": generators, "rows": 100}
    rules = {"rq5": {"modes": ["generation"], "rules_at_every_k": True, "rules_only": True}}
    return config(
        llm_synthetic=synthetic | {"attempts": 1},
        models=SYNTHETIC["models"],
        research_questions=questions or rules,
    )


def test_the_list_is_the_released_folders():
    assert Counter(generator for _, generator in RELEASED) == {
        **{"qwen": 24, "gemma": 24, "deepseek": 23, "gpt": 22},
    }
    assert {name for name, _ in RELEASED} == set(CORE)
    assert missing(CORE, "gpt", RELEASED) == ["marketing", "hiring"]
    assert missing(CORE, "deepseek", RELEASED) == ["transfusion"]
    assert all(len(table.commit) == 40 for table in RELEASED.values())
    assert set(AUTHORS) == {generator for _, generator in RELEASED}


def test_a_table_is_read_from_a_folder_without_its_row_numbers(tmp_path):
    (tmp_path / "telco_ls_gpt.csv").write_text(TABLE)
    entry = released_entry("telco", "gpt", str(tmp_path), RELEASED["telco", "gpt"])
    dataset = parse_dataset("telco_ls_gpt", entry)
    fetch(dataset.id, dataset.sources, None, tmp_path / "raw")
    table = prepare(read_raw(tmp_path / "raw", dataset.sources[0]), dataset)
    assert table.to_dict("list") == {
        **{"row_id": [0, 1, 2], "y": [1, 0, 0]},
        **{"Age": [31.0, 40.0, 29.0], "Plan": ["Basic", "Premium", "Basic"]},
    }


def test_a_table_comes_from_its_pinned_address_or_from_the_mirror(tmp_path):
    entry = released_entry("vote", "qwen", "download", RELEASED["vote", "qwen"])
    (source,) = parse_dataset("vote_ls_qwen", entry).sources
    (file,) = source.files
    assert file.url == (
        "https://github.com/sb-ai-lab/llm4tab/raw/4af41a20cd0baba97e9cf0d264678b55b27ca888/"
        "datasets/llm_synt_datasets/vote_ls_qwen.csv"
    )
    folder = tmp_path / "mirror" / "datasets/llm_synt_datasets"
    folder.mkdir(parents=True)
    (folder / "vote_ls_qwen.csv").write_text(TABLE)
    assert fetch("vote_ls_qwen", [source], tmp_path / "mirror", tmp_path / "raw").label == "mirror"


def test_a_table_that_is_not_there_says_where_it_was_looked_for(tmp_path):
    entry = released_entry("vote", "qwen", str(tmp_path), RELEASED["vote", "qwen"])
    with pytest.raises(TabBenchError, match=r"vote_ls_qwen\.csv"):
        fetch("vote_ls_qwen", parse_dataset("v", entry).sources, None, tmp_path / "raw")


def test_released_tables_are_asked_without_rules():
    generators = {
        "qwen": {"released": "download", "evaluate": ["small"]},
        "repository": {"evaluate": ["small"]},
    }
    grid = Grid.from_config(asked(generators), SUITES, released=RELEASED)
    for k in (0, 4, 16):
        ruled, unruled = (
            {variant.prompt for variant in grid.variants(f"credit_ls_{name}", k)}
            for name in ("repository", "qwen")
        )
        assert ruled == {"contextual", "context_free", "knowledge", "rules"}
        assert unruled == {"contextual", "context_free"}
    assert [grid.has_rules(name) for name in ("credit_ls_repository", "credit_ls_qwen")] == [
        True,
        False,
    ]
    assert not grid.has_rules("diabetes")


def test_a_table_that_was_not_released_is_left_out():
    generators = {"gpt": {"released": "download", "evaluate": ["small"]}}
    some = {table for table in RELEASED if table != ("credit", "gpt")}
    grid = Grid.from_config(asked(generators), SUITES, released=some)
    assert grid.in_suites(["llm_synthetic"]) == ["diabetes_ls_gpt"]


def test_who_wrote_released_tables_decides_who_is_put_to_them():
    synthetic = {"generators": {"gpt": {"released": "download", "evaluate": ["small"]}}}
    check_pairing({"llm_synthetic": synthetic}, {"small": "gpt4o"})
    with pytest.raises(TabBenchError, match=r"family gpt4o. evaluates small of another family"):
        check_pairing({"llm_synthetic": synthetic}, {"small": "qwen3"})


def test_faults_are_explained():
    generators = {"qwen3": {"released": "download", "evaluate": ["small"]}}
    with pytest.raises(TabBenchError, match="there are none of that name: did you mean 'qwen'"):
        Grid.from_config(asked(generators), SUITES, released=RELEASED)
    schema = load_yaml(ROOT / "config/schemas/config.schema.yaml")
    both = load_yaml(ROOT / "config/config.yaml")
    both["llm_synthetic"]["generators"] = {
        "qwen": {"released": "download", "model": "qwen3_14b", "evaluate": ["smollm2_135m"]}
    }
    with pytest.raises(TabBenchError, match=r"llm_synthetic\.generators\.qwen"):
        validate(both, schema, "configuration")
