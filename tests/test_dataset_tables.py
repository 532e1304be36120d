"""Dataset tables and audit, on tables made here."""

import numpy as np
import pandas as pd
import pytest

from tabbench.config.dataset_entry import TaskText
from tabbench.data.audit import audit
from tabbench.data.description import Deviation, describe, deviations
from tabbench.reporting.tables.datasets import Loaded, audit_table, dataset_table, suite_table
from tabbench.reporting.writer import to_latex, to_markdown

TASK = TaskText("a thing", "whether it is good", negative="bad", positive="good")
PUBLISHED = pd.DataFrame(
    {
        "dataset": ["alpha", "beta"],
        "table": ["XII", "XII"],
        "rows": [60, 10],
        "features": [3, 2],
        "numeric": [2, 2],
        "categorical": [1, 0],
        "positive_percent": [33.3, 50.0],
    }
)


def table(rows=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "row_id": np.arange(rows),
            "y": np.arange(rows) % 3 == 0,
            "x": rng.normal(size=rows),
            "z": rng.normal(size=rows),
            "word": pd.Series(["a", "b"] * (rows // 2)),
        }
    ).astype({"y": "int64"})


def split(rows=60, test=20):
    part = ["train"] * (rows - test) + ["test"] * (test - 5) + ["unused"] * 5
    return pd.DataFrame({"row_id": np.arange(rows), "part": part, "position": 0})


def test_deviations_name_the_figure_and_both_values():
    loaded = {"alpha": describe(table()), "gamma": describe(table())}
    assert deviations(PUBLISHED, loaded) == ()
    loaded["alpha"] = describe(table().drop(columns="z"))
    assert deviations(PUBLISHED, loaded) == (
        Deviation("alpha", "features", 3, 2),
        Deviation("alpha", "numeric", 2, 1),
    )


def test_the_tables_show_published_figures_only_where_they_differ():
    entries = {
        "alpha": {"suite": "core", "domain": "finance", "licence": "CC0", "notes": ["A slip."]},
        "extra": {"suite": "core", "domain": "finance", "licence": "own"},
        "other": {"suite": "new", "domain": "finance", "licence": "own"},
    }
    here = Loaded({**describe(table()), "rows": 59}, "url", None, "f" * 64)
    stand_in = Loaded(describe(table()), "mirror", "a slice", "0" * 64)
    loaded = {"alpha": here, "extra": stand_in, "other": here}
    made = dataset_table("XII", PUBLISHED, loaded, entries)
    assert [row[0] for row in made.rows] == ["alpha", "beta", "extra"]
    assert made.rows[0][1:4] == ("59 ≠ 60", "3", "2")
    assert made.rows[1][1] == "– (published 10)"
    assert made.rows[2][1] == "60"
    assert "alpha: A slip" in made.notes
    assert "extra: not the paper's file but a slice" in made.notes
    assert made.numbers["published_rows"].tolist()[:2] == [60, 10]
    assert r"$\neq$" in to_latex(made)
    assert "ffffffffffff" in to_markdown(made)


def test_the_suites_are_counted():
    published = pd.DataFrame({"suite": ["core", "mlp"], "datasets": [24, 35], "purpose": "p"})
    made = suite_table(published, {"core": 4, "new": 0})
    assert [row[:3] for row in made.rows] == [
        ("core", "4", "24"), ("mlp", "0", "35"), ("all", "4", "59")
    ]  # fmt: skip


def test_a_clean_table_has_no_findings():
    found = audit(table(), split(), TASK)
    assert found.task_words == {}
    assert (found.duplicates, found.leaks, found.constant, found.near_unique) == (0, {}, (), ())
    assert (found.train, found.test) == (40, 20)
    assert found.train_positive == pytest.approx(14 / 40)


@pytest.mark.parametrize(
    ("column", "finding"),
    [
        (lambda t: -5 * t["y"] + t["x"] / 100, "leaks"),
        (lambda t: t["y"].map({0: "no", 1: "yes"}), "leaks"),
        (lambda t: pd.Series("same", index=t.index), "constant"),
        (lambda t: pd.Series(np.nan, index=t.index), "missing"),
        (lambda t: t["row_id"] + 1000.0, "near_unique"),
        (lambda t: t["row_id"].map("id{}".format), "near_unique"),
    ],
)
def test_what_should_not_be_there_is_found(column, finding):
    found = audit(table().assign(odd=column), split(), TASK)
    for name in ("leaks", "constant", "missing", "near_unique"):
        assert ("odd" in getattr(found, name)) == (name == finding), name


def test_a_task_text_that_names_columns_is_found():
    told = TaskText("a row with a word", "whether x is odd", negative="even", positive="odd")
    found = audit(table().assign(odd_words=0.0, odd=1.0), split(), told)
    assert found.task_words == {"word": ["word", "odd_words"], "odd": ["odd_words", "odd"]}
    made = audit_table({"alpha": found})
    assert made.rows[0][-1] == "word (2 columns), odd (2 columns)"
    one = audit(table(), split(), told)
    assert audit_table({"alpha": one}).rows[0][-1] == "word (word)"


def test_many_categories_do_not_leak_by_being_rare():
    """A rate learnt on the rows that it is judged on would call every rare word a leak."""
    words = [f"w{at // 2}" for at in range(60)]
    assert audit(table().assign(odd=words), split(), TASK).leaks == {}


def test_duplicates_across_the_split_and_their_labels():
    copied = table()
    for test_row, train_row in ((41, 0), (42, 3), (59, 1)):
        copied.loc[test_row, ["x", "z", "word"]] = copied.loc[train_row, ["x", "z", "word"]]
    found = audit(copied, split(), TASK)
    assert (found.duplicates, found.contradicting) == (3, 1)
    row = audit_table({"alpha": found}).rows[0]
    assert row[:2] == ("alpha", "40 / 20")
    assert row[3] == "3 (1)"
