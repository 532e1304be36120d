"""The plan counts what will be asked, before anything is asked."""

import dataclasses
import json
from collections import Counter

import pandas as pd
import pytest
import yaml
from fixtures_model import CHAT_TEMPLATE, byte_tokenizer
from hypothesis import given
from hypothesis import strategies as st
from rerun_expectations import rewrite
from workflow_copy import TINY, WorkflowCopy

from tabbench.config.endpoints import Prices
from tabbench.config.model_entry import parse_model
from tabbench.inference.context import Context, open_context
from tabbench.inference.cost_estimate import (
    Counts,
    Part,
    Terms,
    Unmade,
    borrow,
    count_prompts,
    plan_lines,
)
from tabbench.inference.engines.base import Description, Prompt
from tabbench.inference.engines.own_files import read_own_files
from tabbench.inference.engines.rendering import Renderer
from tabbench.inference.job_resources import Resources, parse_resources
from tabbench.inference.requests import read_requests
from tabbench.inference.responses import Identity, request_keys
from tabbench.inference.token_counts import EstimatedTokens, TokenizerTokens
from tabbench.reporting.tables.cost_estimate import plan_table
from tabbench.reporting.writer import to_markdown

WHO = Identity("small", "sha", "fake/1", "completion", "float32", "{}", True, 4, ())
HUB = {
    **{"title": "Small", "engine": "transformers", "style": "chat", "dtype": "bfloat16"},
    **{"licence": "MIT", "weights": {"hub": "nobody/nothing", "revision": "0123456"}},
    "generation": {"max_new_tokens": 5},
}
MODEL = parse_model("small", HUB)


class Characters:
    """One token per character."""

    exact = True

    def count(self, prompts):
        shared = len(prompts[0].system + prompts[0].prefix)
        return [shared + len(prompt.query) for prompt in prompts], shared


def context(counter=None, limit=None):
    return Context(limit, counter or Characters(), 3, Description("fake", "chat", "float32", "t"))


def prompts_frame(queries=("aa", "bbb", "aa"), modes=("forward", "generation"), prefixes=("pp",)):
    rows = [
        {
            **{"dataset": "toy", "mode": mode, "prompt": "contextual", "serialization": "feat_val"},
            **{"k": 2, "seed": seed, "row_id": row, "y_true": 0},
            **{"system": "s", "prefix": prefix, "query": query},
        }
        for mode in modes
        for seed, prefix in enumerate(prefixes)
        for row, query in enumerate(queries)
    ]
    return pd.DataFrame(rows)


def test_equal_prompts_count_once_and_shared_text_is_computed_once():
    counts = count_prompts(prompts_frame(), WHO, set(), context())
    # "s" + "pp" + "aa" or "bbb": 5 + 6 tokens as sent, 3 + 2 + 3 to compute.
    assert counts == dict.fromkeys(("forward", "generation"), Counts(2, 11, 8, 2, 11, 8))


def test_repeats_are_counted_as_they_are_sent():
    frame = prompts_frame(modes=["forward"])
    counts = count_prompts(frame, WHO, set(), context(), repeats=3)
    assert counts == {"forward": Counts(6, 33, 18, 6, 33, 18)}
    repeated = parse_model("small", HUB | {"zero_shot_repeats": 3})
    assert [repeated.repeats(k) for k in (0, 4)] == [3, 1]


def test_what_is_answered_is_not_asked():
    frame = prompts_frame(modes=["forward"], prefixes=("pp", "qqq"))
    keys = request_keys(WHO, [ask.request for ask in read_requests(frame, "small")])
    counts = count_prompts(frame, WHO, {keys[0], keys[3], keys[4]}, context())
    assert counts == {"forward": Counts(4, 11 + 13, 8 + 9, 1, 6, 6)}


def test_what_is_too_long_is_listed_and_not_to_be_asked():
    frame = prompts_frame(queries=("aa", "bbb", "bbbb"))
    keys = request_keys(WHO, [ask.request for ask in read_requests(frame, "small")])
    # 5, 6 and 7 tokens; one more where labels are scored, three where text is generated.
    found = count_prompts(frame, WHO, {keys[0]}, context(limit=7))
    assert found["forward"] == Counts(3, 18, 12, 1, 6, 6, 1)
    assert found["generation"] == Counts(3, 18, 12, 0, 0, 0, 3)

    class Guess(Characters):
        exact = False

    asked = count_prompts(frame, WHO, {keys[0]}, context(Guess(), limit=7))
    assert asked["generation"] == Counts(3, 18, 12, 3, 18, 12, 3)  # the endpoint decides


def test_the_plan_lists_what_is_too_long_by_model_dataset_and_k():
    counted = {
        Part("small", "toy", k, mode): Counts(10, 900, 90, 4, 300, 30, long)
        for k, long in ((0, 0), (64, 6))
        for mode in ("forward", "generation")
    }
    terms = {"small": Terms(MODEL, Resources(1, 1, 1, 100.0))}
    contexts = {"small": context(limit=2048)}
    frame = plan_lines(counted, (), terms, contexts, {"toy": "core"})
    assert frame["too_long"].tolist() == [0, 0, 6, 6]
    assert frame["answered"].tolist() == [6, 6, 0, 0]
    text = to_markdown(plan_table(frame, terms, {"small": "Small"}, {}))
    assert (
        "too long for Small (prompt and answer exceed 2,048 tokens): toy at k = 64: 12 of 20"
        in text
    )
    assert "they are not sent" in text
    assert "toy at k = 0" not in text


def test_a_table_to_be_written_is_counted_like_the_one_that_it_mirrors():
    mirrored = Part("small", "toy", 2, "forward")
    part = mirrored._replace(dataset="toy_ls_big")
    unmade = [Unmade(part, 100, "toy"), Unmade(part._replace(k=4), 100, "toy")]
    found = borrow(unmade, {mirrored: Counts(10, 1000, 300, 0, 0, 0)})
    assert found == {part: Counts(100, 10_000, 3000, 100, 10_000, 3000)}


def lines(prices=None, resources=None, counter=None, unmade=(), model=MODEL):
    counted = {
        Part("small", "toy", 2, "forward"): Counts(10, 4_000_000, 2_000_000, 5, 2_000_000, 900_000),
        Part("small", "toy", 2, "generation"): Counts(10, 1000, 500, 10, 1000, 500),
    }
    priced = dataclasses.replace(model, prices=prices)
    terms = {"small": Terms(priced, resources or Resources(1, 1, 1, 100.0))}
    contexts = {"small": context(counter)}
    frame = plan_lines(counted, unmade, terms, contexts, {"toy": "core", "toy_ls_big": "llm"})
    return frame, terms


def test_money_is_the_sum_of_the_published_prices():
    prices = Prices("USD", "2026-11-29", input=2.0, output=10.0, cached_input=0.5)
    frame, _ = lines(prices)
    forward, generation = frame.to_dict("records")
    assert forward["cost_at_most"] == pytest.approx(4.0)
    assert forward["cost_at_least"] == pytest.approx(0.9 * 2 + 1.1 * 0.5)
    assert generation["completion_tokens_at_most"] == 50
    assert generation["cost_at_most"] == pytest.approx(1000 * 2e-6 + 50 * 10e-6)
    assert forward["hours"] == pytest.approx(9000 / 3600)


def test_the_plan_shows_both_prices_of_prompts_that_batches_may_ask():
    prices = Prices("USD", "2026-11-29", input=2.0, output=10.0, cached_input=0.5, batch=0.25)
    plain, terms = lines(prices)
    text = to_markdown(plan_table(plain, terms, {"small": "Small"}, {}))
    assert "| ≈ 2.35 to 4.00 USD (0.59 to 1.00 in batches) |" in text
    assert "in batches 0.25 of these prices" in text
    frame, terms = lines(prices, model=dataclasses.replace(MODEL, batch=True))
    assert frame["cost_at_most"].sum() == pytest.approx(plain["cost_at_most"].sum() / 4)
    assert frame["cost_at_least"].sum() == pytest.approx(plain["cost_at_least"].sum() / 4)
    text = to_markdown(plan_table(frame, terms, {"small": "Small"}, {}))
    assert "| ≈ 0.59 to 1.00 USD in batches (2.35 to 4.00 one by one) |" in text


def test_an_endpoint_writes_a_token_to_score_labels():
    frame, _ = lines(model=parse_model("small", {**HUB, "engine": "openai"}))
    assert frame["completion_tokens_at_most"].tolist() == [5, 50]


def test_the_table_marks_what_is_estimated_and_names_what_is_missing():
    unmade = [Unmade(Part("small", "toy_ls_big", 2, "forward"), 20, "toy")]
    frame, terms = lines(counter=EstimatedTokens(), unmade=unmade)
    text = to_markdown(plan_table(frame, terms, {"small": "Small"}, {"lost": "no file"}))
    assert (
        "| Small | rows | 40 | 5 | 0 | 35 | ≈ 10,001,000 | ≈ 4,900,500 | ≤ 50 | – | ≈ 13.6 |"
        in text
    )
    assert "The tokenizer of Small is not on this machine: 2.2 characters per token" in text
    assert "1 LLM-synthetic tables do not exist yet" in text
    assert "100 tokens per second (stated in its entry)" in text
    assert "- Not counted: lost: no file" in text
    exact, terms = lines()
    text = to_markdown(plan_table(exact, terms, {"small": "Small"}, {}))
    assert "| Small | rows | 20 | 5 | 0 | 15 | 2,001,000 |" in text
    assert "Not counted" not in text


def test_a_tokenizer_that_is_not_here_is_not_fetched():
    counter = open_context(MODEL, read_own_files).counter
    assert not counter.exact
    assert counter.count([Prompt("ab", "cd", "efg")]) == ([4], 2)  # 7 and 4 characters


def test_resources_follow_the_weights_unless_stated():
    packaged = {**HUB, "weights": {"package": "p", "file": "f", "sha256": "0" * 64}}
    assert parse_resources(HUB).gpus == 1
    assert parse_resources(packaged).gpus == 0
    assert parse_resources({**HUB, "engine": "openai"}).gpus == 0
    stated = parse_resources({**HUB, "resources": {"gpus": 2, "tokens_per_second": 7}})
    assert (stated.gpus, stated.planned_rate, stated.mem_mb) == (2, 7, parse_resources(HUB).mem_mb)


TOKENIZERS = {
    "bytes": Renderer(byte_tokenizer([]), "completion"),
    # Merges reach across the cut between the prefix's end and the row's beginning.
    "merges": Renderer(byte_tokenizer([("a", "b"), ("ab", "a"), (":", "Ġ")]), "completion"),
    "chat": Renderer(byte_tokenizer([("a", "b")], chat_template=CHAT_TEMPLATE), "chat"),
    "trims": Renderer(
        byte_tokenizer(
            [("a", "b")], chat_template=CHAT_TEMPLATE.replace("content", "content|trim")
        ),
        "chat",
    ),
}
texts = st.text(alphabet="ab: \n", max_size=8)
rows = texts.filter(str.strip)


@pytest.mark.parametrize("name", TOKENIZERS)
@given(system=texts, prefix=texts, queries=st.lists(rows, min_size=1, max_size=5))
def test_counts_equal_those_of_whole_prompts(name, system, prefix, queries):
    renderer = TOKENIZERS[name]
    prompts = [Prompt(system, prefix, query) for query in queries]
    counts, shared = TokenizerTokens(renderer).count(prompts)
    assert counts == [len(tokens) for tokens in renderer.tokens(list(map(renderer.text, prompts)))]
    assert 0 <= shared <= max(counts) + 1


@pytest.mark.slow
def test_the_plan_of_a_run_is_exact(tmp_path):
    """Planned before, asked, and planned again."""
    copy = WorkflowCopy.create(tmp_path / "copy")
    questions = {name: TINY["research_questions"][name] for name in ("rq1", "rq7")}
    copy.configure(
        datasets=["tae"],
        mlp={"levels": [], "tables": 1, "rows": 60},
        llm_synthetic=None,
        llm_baselines=None,
        probes=None,
        scitarc=None,
        shots=[0, 2],
        research_questions=questions,
    )
    copy.run("plan")
    assert not (copy.folder / "results/models/smollm2_135m/weights").exists()
    before = pd.read_csv(copy.folder / "results/plan.csv")
    assert (before["answered"] == 0).all()
    assert set(before["tokens_from"]) == {"tokenizer"}
    files = {k: f"results/predictions/smollm2_135m/core/k{k}.parquet" for k in (0, 2)}
    copy.run(*files.values())
    asked = pd.concat(
        pd.read_parquet(copy.folder / path).merge(
            pd.read_parquet(copy.folder / f"results/prompts/tae/k{k}.parquet"),
            on=["dataset", "mode", "prompt", "serialization", "k", "seed", "row_id"],
        )
        for k, path in files.items()
    ).drop_duplicates(["mode", "k", "system", "prefix", "query"])
    found = asked.groupby(["k", "mode"])[["prompt_tokens", "completion_tokens"]].agg(
        ["size", "sum"]
    )
    planned = before.set_index(["k", "mode"]).sort_index()
    assert planned["prompts"].tolist() == found["prompt_tokens", "size"].tolist()
    assert planned["prompt_tokens"].tolist() == found["prompt_tokens", "sum"].tolist()
    most, written = planned["completion_tokens_at_most"], found["completion_tokens", "sum"]
    assert (written.to_numpy() <= most.to_numpy()).all()
    copy.run("plan")
    after = pd.read_csv(copy.folder / "results/plan.csv")
    assert after["to_ask"].sum() == 0
    assert after["answered"].equals(before["prompts"])
    assert copy.planned("plan") == {}


@pytest.mark.slow
def test_as_many_prompts_of_every_kind_are_planned_as_were_asked(finished):
    """Planned as if nothing were answered, and with all answers there."""
    responses = finished.folder / "results/responses"
    asked: Counter[tuple[str, str]] = Counter()
    for log in responses.rglob("*.jsonl"):
        model, folder, name = log.relative_to(responses).with_suffix("").parts
        kind = {"probes": name, "llm_baselines": "rules and trees", "scitarc": "SciTaRC"}
        asked[model, kind.get(folder, "rows")] += len(log.read_bytes().splitlines())
    assert len(asked) == 6  # rows, three probes, rules and trees, SciTaRC
    away = responses.rename(responses.with_name("answered"))
    try:
        finished.run("plan")
        before = pd.read_csv(finished.folder / "results/plan.csv")
    finally:
        away.rename(responses)
    finished.run("plan")
    after = pd.read_csv(finished.folder / "results/plan.csv")
    by = ["model", "kind"]
    assert before.groupby(by)["prompts"].sum().to_dict() == asked
    assert before.groupby(by)["to_ask"].sum().to_dict() == asked
    assert after.groupby(by)["answered"].sum().to_dict() == asked
    assert after["to_ask"].sum() == 0
    assert not before["at_most"].any()
    assert set(before.loc[before["model"] == "smollm2_135m", "tokens_from"]) == {"tokenizer"}
    answers = responses / "smollm2_135m/scitarc/answers.jsonl"
    read = sum(json.loads(line)["prompt_tokens"] for line in answers.read_text().splitlines())
    planned = before.loc[before["kind"] == "SciTaRC", "prompt_tokens"].sum()
    assert read <= planned < 1.02 * read, "plans are the only part that is not known"


@pytest.mark.slow
def test_a_dataset_that_cannot_be_had_is_named_and_the_rest_is_planned(tmp_path):
    copy = WorkflowCopy.create(tmp_path / "copy")
    entry = {"sources": [{"kind": "mirror", "format": "csv", "files": [{"path": "nowhere.csv"}]}]}
    rewrite(copy, "resources/datasets/callcenter.yaml", lambda one: one.update(entry))
    copy.configure(
        datasets=["tae", "callcenter"],
        mlp={"levels": [], "tables": 1, "rows": 60},
        llm_synthetic=None,
        shots=[0],
        llm_baselines=TINY["llm_baselines"] | {"models": ["gpt_4o_mini"], "queries": 2},
        research_questions={"rq3": {"modes": ["forward"]}, "rq7": {}},
    )
    assert "callcenter" in copy.run("plan", fails=True)
    copy.run("plan")
    text = (copy.folder / "results/plan.md").read_text()
    assert "Not counted: callcenter: " in text
    # Of one dataset two queries of FeatLLM in two texts each, and two trees.
    assert "| GPT-4o-mini | rules and trees | 6 | 0 | 0 | 6 | ≈ " in text
    assert "snakemake results/prompts/callcenter/k0.parquet" in text


@pytest.mark.slow
def test_planning_holds_no_dialogue(tmp_path):
    """Tables that a model has yet to write are counted like those that they mirror."""
    copy = WorkflowCopy.create(tmp_path / "copy")
    generators = {"other": {"model": "smollm2_135m", "evaluate": ["smollm2_135m"]}}
    copy.configure(llm_synthetic=TINY["llm_synthetic"] | {"generators": generators})
    jobs = copy.planned("plan")
    assert "dialogue" not in jobs
    assert not any("_ls_" in path for paths in jobs.values() for path in paths)


@pytest.mark.slow
def test_own_tables_and_dialogues_are_counted_and_unshared_ones_are_not(tmp_path):
    copy = WorkflowCopy.create(tmp_path / "copy")
    generators = {"other": {"model": "gpt_4o_mini", "evaluate": ["smollm2_135m"]}}
    copy.configure(
        budget=0.01,
        datasets=["tae"],
        mlp={"levels": [], "tables": 1, "rows": 60},
        llm_synthetic=TINY["llm_synthetic"] | {"generators": generators, "attempts": 2},
        llm_baselines=None,
        probes=None,
        shots=[0, 4],
        scitarc=TINY["scitarc"] | {"judge": {"matcher_then": "gpt_4o_mini"}},
        research_questions={name: TINY["research_questions"][name] for name in ("rq1", "rq3")},
    )
    own = copy.folder / "config/own"
    own.mkdir()
    rows = "".join(f"{20 + row},{row % 7},{'yes' if row % 3 else 'no'}\n" for row in range(90))
    for name, models in (("loans", ["smollm2_135m"]), ("secret", ["gpt_4o_mini"])):
        (own / f"{name}.csv").write_text("age,debts,defaulted\n" + rows)
        entry = {
            "target": {"column": "defaulted", "positive": "yes"},
            "task": {
                **{"entity": "a loan applicant", "task": "whether the applicant defaults"},
                **{"negative": "pays back", "positive": "defaults"},
            },
            "ask": {"models": models, "shots": [0, 4], "draws": 2, "test_rows": 10},
        }
        (own / f"{name}.yaml").write_text(yaml.safe_dump(entry))
    copy.run("plan")
    plan = pd.read_csv(copy.folder / "results/plan.csv")
    sums = plan.groupby(["model", "kind"])["prompts"].sum()
    asked = sum(
        len(pd.read_parquet(path).drop_duplicates(["mode", "system", "prefix", "query"]))
        for path in (copy.folder / "results/prompts/loans").glob("k*.parquet")
    )
    assert sums["smollm2_135m", "rows of own tables"] == asked > 0
    # Two dialogues of three turns; four answers whose verdicts may be asked for twice.
    assert sums["gpt_4o_mini", "dialogues"] == 6
    assert sums["gpt_4o_mini", "SciTaRC's judge"] == 8
    assert plan.loc[plan["model"] == "gpt_4o_mini", "at_most"].all()
    text = (copy.folder / "results/plan.md").read_text()
    assert "Not counted: secret: " in text
    assert (
        "Budget of all models: 0.01, of which 0.00 is charged; what is left, 0.01, may not" in text
    )
    assert "**What the money buys**" in text
    power = pd.read_csv(copy.folder / "results/plan_power.csv")
    assert power["question"].tolist() == ["rq1", "rq3"]
