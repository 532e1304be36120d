"""Tables with FeatLLM and LLM trees: what stands in which row, and what failed."""

import pandas as pd
import pytest
from score_frames import score_row

from tabbench.reporting.page.questions import artifact_title
from tabbench.reporting.tables.llm_baselines import llm_baselines
from tabbench.reporting.tables.new_datasets import table17, table18

METHODS = {"featllm_gpt": "FeatLLM, GPT", "llm_tree_gpt": "LLM tree, GPT"}
MODELS = {"gpt": "GPT", "absent": "Absent"}
BASELINES = {"knn": "k-nearest neighbours"}


def scores(suite: str = "core") -> pd.DataFrame:
    """Two datasets at k = 0 and 4; the tree at 0 alone. kc1 was not among the methods' datasets."""
    written = {"prompt": "none", "serialization": "none", "label_mass": float("nan")}

    def row(model: str, k: int, roc_auc: float, **other: object) -> dict[str, object]:
        given = {"suite": suite, "n": 50, "n_scored": 50, "seed": int(k > 0)} | other
        return score_row(model=model, k=k, roc_auc=roc_auc, **given)

    rows = [
        row("featllm_gpt", 0, 0.7, mode="rules", **written),
        row("featllm_gpt", 4, 0.8, mode="rules", **written),
        row("featllm_gpt", 4, 0.6, mode="rules", seed=2, **written),
        row("llm_tree_gpt", 0, 0.75, mode="tree", n_scored=45, **written),
        row("knn", 4, 0.55, mode="fit", **written),
        row("gpt", 0, 0.65),
        row("gpt", 4, 0.66),
        row("gpt", 4, 0.1, prompt="context_free"),
        row("gpt", 0, 0.99, dataset="kc1"),
    ]
    return pd.DataFrame(rows)


def queries() -> pd.DataFrame:
    known = {"dataset": "diabetes", "model": "gpt", "ended": True, "message": "", "program": ""}
    good = {"status": "ok", "calls": 100, "calls_failed": 3}
    bad = {"status": "timeout", "calls": 0, "calls_failed": 0, "ended": False}
    tokens = {"prompt_tokens": 10, "completion_tokens": 20}
    asked = [("featllm", 0, 0), ("featllm", 4, 1), ("llm_tree", 0, 0)]
    rows = [
        {**known, **tokens, **good, "method": method, "k": k, "seed": seed, "query": query}
        for method, k, seed in asked
        for query in (1, 2)
    ]
    rows[-1] |= bad
    return pd.DataFrame(rows)


def test_the_methods_stand_beside_direct_answers_on_the_same_datasets() -> None:
    table = llm_baselines(scores(), queries(), METHODS, MODELS, BASELINES)
    assert table.header == (
        *("Method", "0-shot", "4-shot"),
        *("Failed queries", "Rows without a score"),
    )
    assert table.rows == (
        ("FeatLLM, GPT", "0.700", "0.700 ± 0.141", "0 of 4", "0 of 150"),
        ("LLM tree, GPT", "0.750", "–", "1 of 2", "5 of 50"),
        ("GPT", "0.650", "0.660", "–", "0 of 100"),
        ("k-nearest neighbours", "–", "0.550", "–", "0 of 50"),
    )
    notes = " ".join(table.notes)
    assert "time limit 1" in notes
    assert "of 500 calls of a rule or a tree on a row, 15 failed" in notes
    assert "answers truncated at the token limit: 1" in notes
    assert "2 trees, each scored alone: ± is over them; temperature 1" in notes
    assert "the mean over 2 queries; temperature 0.5 and 0" in notes
    assert "datasets, n = 1 in every cell: diabetes" in notes
    assert "LLM tree, GPT: trees written by engine" in notes
    assert "say nothing about any model" not in notes


def test_others_stand_beside_only_where_and_at_the_k_that_was_asked() -> None:
    """kc1 is asked zero-shot alone: nothing of it stands beside the methods at k = 4."""
    few = scores().query("model in ('gpt', 'knn') and k == 4")
    kc1 = few.assign(dataset="kc1", roc_auc=0.9)
    asked = queries().query("k == 0").assign(dataset="kc1")
    table = llm_baselines(
        pd.concat([scores(), kc1]), pd.concat([queries(), asked]), METHODS, MODELS, BASELINES
    )
    cells = {row[0]: row[1:3] for row in table.rows}
    assert cells["GPT"] == ("0.820", "0.660")
    assert cells["k-nearest neighbours"] == ("–", "0.550")


def test_the_page_calls_the_table_by_its_name() -> None:
    assert artifact_title("llm_baselines") == "LLM baselines"


def test_recorded_texts_are_called_so() -> None:
    table = llm_baselines(scores().assign(engine="replay"), queries(), METHODS, {}, {})
    assert any("say nothing about any model" in note for note in table.notes)


def test_a_run_without_failures_says_so() -> None:
    table = llm_baselines(scores(), queries().assign(status="ok"), METHODS, MODELS, BASELINES)
    assert any("give no score (there are none)" in note for note in table.notes)


@pytest.mark.parametrize("make", [table17, table18])
def test_on_new_datasets_they_stand_in_the_papers_tables(make) -> None:
    table = make(scores("new"), MODELS, METHODS, BASELINES)
    text = [part for row in (table.header, *table.rows) for part in row]
    assert "FeatLLM, GPT" in text and "LLM tree, GPT" in text
    assert "0.750" in text
    assert not [note for note in table.notes if note.startswith(("not fitted", "not run"))]


@pytest.mark.parametrize("make", [table17, table18])
def test_on_new_datasets_a_method_without_a_score_is_named(make) -> None:
    without = scores("new").query("model != 'featllm_gpt'")
    notes = make(without, MODELS, METHODS, BASELINES | {"forest": "Random forest"}).notes
    assert [note for note in notes if note.startswith("not run")] == [
        {
            table17: "not run zero-shot on the new datasets: FeatLLM, GPT",
            table18: "not run on the new datasets: FeatLLM, GPT",
        }[make]
    ]
    fitted = "not fitted: Random forest; results/baselines/fitted.md says why"
    assert (fitted in notes) == (make is table18)
