"""Task texts name no columns, or the contexts of Table V are not what they are called."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.config.dataset_entry import REST, TaskText
from tabbench.config.registry import load_entries
from tabbench.config.validation import load_yaml
from tabbench.data.task_words import column_words, words
from tabbench.prompts.prompts import CONTEXT_FREE, contextual

ROOT = Path(__file__).parents[1]
SCHEMA = load_yaml(ROOT / "config/schemas/dataset.schema.yaml")
NAMES = sorted(path.stem for path in (ROOT / "resources/datasets").glob("*.yaml"))
ENTRIES = load_entries(ROOT / "resources/datasets", NAMES, SCHEMA, "dataset")
JUSTIFIED = pd.read_csv(ROOT / "tests/words_in_tasks.csv")


@pytest.mark.parametrize("name", NAMES)
def test_no_task_text_of_the_registry_names_a_column(name):
    """Up to the exceptions in words_in_tasks.csv, each with its reason."""
    task, columns = TaskText(**ENTRIES[name]["task"]), list(ENTRIES[name]["features"])
    assert REST not in columns  # a column that no entry names cannot be checked
    justified = JUSTIFIED.loc[JUSTIFIED["dataset"] == name, "word"]
    assert sorted(column_words(task, columns)) == sorted(justified)
    assert not set(columns) & set(contextual(task).replace(",", "").split()) - set(justified)


def test_exceptions_are_few_and_have_reasons():
    assert set(JUSTIFIED["dataset"]) <= set(NAMES)
    assert JUSTIFIED["reason"].str.len().min() > 5
    assert not JUSTIFIED.duplicated(["dataset", "word"]).any()
    assert JUSTIFIED["dataset"].str.replace("_noleak|_683", "", regex=True).nunique() <= 6


def test_entities_are_nouns_and_short():
    """The paper's entities have 8 words at most; a list of measurements has more."""
    for name, entry in ENTRIES.items():
        entity = entry["task"]["entity"]
        assert len(entity.split()) <= 8, name
        assert not set(entity) & set(",:;"), name


ENTITY = "a blood donor: months since the last donation, number of donations, and time,"
DONOR = TaskText(ENTITY, "whether the donor gave blood", "no", "yes")


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ("Months", ["months"]),
        ("months_since_last_donation", ["months", "donation"]),
        ("NumberOfDonations", ["number", "donation"]),
        ("Time (h)", ["time"]),
        ("TIME2", ["time"]),
        ("bloodGroup", ["blood"]),
        ("Recency", []),
        ("of the last", []),
        ("V1", []),
    ],
)
def test_words_of_a_name_are_found_however_it_is_written(column, found):
    assert sorted(column_words(DONOR, [column])) == sorted(found)


def test_every_column_of_a_word_is_listed():
    assert column_words(DONOR, ["First Time", "time", "x"]) == {"time": ["First Time", "time"]}
    assert column_words(TaskText("a kind", "which", "0", "1"), ["Größe", "Art"]) == {}
    assert column_words(TaskText("eine Größe", "which", "0", "1"), ["GRÖSSE_cm", "Größe"]) == {
        "größe": ["Größe"]
    }


name = st.text(st.characters(categories=["Ll", "Lu", "Nd", "Pd", "Pc"]), min_size=1, max_size=20)


@given(name, st.sampled_from(["_", " ", "-", ""]))
def test_a_name_in_the_text_is_always_found(column, sign):
    text = TaskText(f"a row with {column}{sign}", "which", "0", "1")
    assert set(words(column)) <= set(words(text.entity))
    assert bool(column_words(text, [column])) == bool(words(column))


def test_llm_written_tables_take_entity_and_task_and_no_columns():
    """Their columns are others than those of the dataset whose text they take."""
    for entry in ENTRIES.values():
        text = contextual(TaskText(**entry["task"]))
        assert text.startswith("For the given input features of ")
        assert len(text) < len(CONTEXT_FREE) + 300
