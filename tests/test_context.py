"""A prompt that does not fit into a model's context is an outcome of its row, not of the job."""

from dataclasses import replace

import pandas as pd
import pytest
from endpoint_run import asks as endpoint_asks
from endpoint_run import entry as endpoint_entry
from endpoint_run import run as run_endpoint
from fault_server import PROBE, fault_server, never
from quiet import Quiet
from rerun_expectations import rewrite
from transformers import AutoTokenizer
from workflow_copy import WorkflowCopy

from tabbench.config.model_entry import parse_model
from tabbench.core.cells import Cell
from tabbench.inference.context import open_context, reader
from tabbench.inference.engines.base import Prompt, Request
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.engines.refusals import exceeds_context
from tabbench.inference.engines.transformers import TransformersEngine
from tabbench.inference.engines.vllm import VLLMEngine
from tabbench.inference.failures import read_failures
from tabbench.inference.infer import Counts, find_too_long, infer
from tabbench.inference.models import identity
from tabbench.inference.requests import CellRequest
from tabbench.inference.responses import read_responses
from tabbench.reporting.notes import foundation_notes
from tabbench.scoring.metrics import score_cells
from tabbench.scoring.predict import predict
from tabbench.statistics.contrasts import context_contrasts
from tabbench.statistics.gains import gains_over_zero_shot

CELL = Cell("toy", "tiny", "forward", "contextual", "feat_val", 0, 0)
ROWS = 8
NEW_TOKENS = 5
LONG = (2, 5, 6)
"""Rows whose own text is long."""


def model(folder, **changes):
    entry = {
        **{"engine": "transformers", "style": "completion", "dtype": "float32"},
        "weights": {"hub": str(folder), "revision": "main"},
        "generation": {"max_new_tokens": NEW_TOKENS},
    }
    return parse_model("tiny", entry | changes)


def asks(shots=(0, 3), modes=("forward", "generation"), rows=range(ROWS)):
    """Cells of one dataset at each number of examples; some rows are longer than others."""
    return [
        CellRequest(
            CELL._replace(mode=mode, k=k),
            row,
            row % 2,
            Request(
                mode,
                Prompt("Be brief.", "Is it 0 or 1?\n" + "x = 7. Answer is 1\n" * k, query(row)),
            ),
        )
        for k in shots
        for mode in modes
        for row in rows
    ]


def query(row):
    return f"x = {row}{' and more' * (12 if row in LONG else 1)}. Answer is "


def opened(entry):
    return open_context(entry, reader())


def engine_of(entry, folder):
    return TransformersEngine(
        folder,
        style=entry.style,
        max_new_tokens=entry.max_new_tokens,
        context_length=entry.context_length,
    )


def tokens_of(folder, ask):
    """By the tokenizer itself."""
    prompt = ask.request.prompt
    text = f"{prompt.system}\n\n{prompt.prefix}{prompt.query}"
    return len(AutoTokenizer.from_pretrained(folder)(text)["input_ids"])


def run(path, folder, asked, said=None, **changes):
    """A job as the script runs it; the number of times that the model was loaded."""
    entry, loads = model(folder, **changes), []

    def load():
        loads.append(1)
        return engine_of(entry, folder)

    who = identity(entry)
    told = [] if said is None else said
    misfits = find_too_long([(path, asked)], who, lambda: opened(entry), told.append)
    return infer([(path, asked)], who, load, Quiet(), misfits=misfits), len(loads)


def predictions(path, folder, asked):
    who = identity(model(folder))
    (frame,) = predict([asked], who, read_responses(path), read_failures(path), "Ask.")
    return frame


def contents(path):
    """Responses but for their times, by key."""
    return {key: replace(one.answer, seconds=0.0) for key, one in read_responses(path).items()}


@pytest.fixture
def limit(tiny_model):
    """As many tokens as a short row needs with its generated answer, and no more."""
    short = max(tokens_of(tiny_model, one) for one in asks([3]) if one.row_id not in LONG)
    return short + NEW_TOKENS


def test_what_does_not_fit_is_not_asked_and_changes_no_other_number(tmp_path, tiny_model, limit):
    path, apart, said = tmp_path / "k.jsonl", tmp_path / "apart.jsonl", []
    asked = asks()
    long = [
        one
        for one in asked
        if tokens_of(tiny_model, one) + (1 if one.request.mode == "forward" else NEW_TOKENS) > limit
    ]
    assert {one.row_id for one in long} == set(LONG)
    counts, _ = run(path, tiny_model, asked, said, context_length=limit)
    assert counts == Counts(len(asked), 0, len(asked) - len(long), 0, len(long))
    assert said[0].startswith(f"toy, k = 0: {len(long)} of {len(asked)} prompts are too long")
    # As if they had never been wanted, to the last bit.
    run(apart, tiny_model, [one for one in asked if one not in long], context_length=limit)
    assert contents(path) == contents(apart)
    frame = predictions(path, tiny_model, asked)
    marked = frame[frame["status"] == "too_long"]
    assert list(marked[["mode", "k", "row_id"]].itertuples(index=False, name=None)) == [
        (one.cell.mode, one.cell.k, one.row_id) for one in long
    ]
    assert marked[["p_1", "y_pred", "prompt_tokens", "seconds"]].isna().all(axis=None)
    kept = frame[frame["status"] != "too_long"].drop(columns="seconds")
    alone = predictions(apart, tiny_model, [one for one in asked if one not in long])
    assert kept.reset_index(drop=True).equals(alone.drop(columns="seconds"))
    scores = score_cells(frame)
    assert scores["n"].tolist() == [ROWS] * 4
    by_cell = marked.groupby(["mode", "k"]).size()
    assert scores.set_index(["mode", "k"])["n_too_long"].to_dict() == {
        (mode, k): by_cell.get((mode, k), 0) for mode in ("forward", "generation") for k in (0, 3)
    }
    forward = scores[scores["mode"] == "forward"]
    assert (forward["n_scored"] == ROWS - forward["n_too_long"]).all()
    assert (forward["invalid_rate"] == 0).all()


def test_nothing_is_left_to_do_and_no_model_is_loaded(tmp_path, tiny_model, limit):
    path = tmp_path / "k.jsonl"
    first, _ = run(path, tiny_model, asks(), context_length=limit)
    before = path.read_bytes()
    again, loads = run(path, tiny_model, asks(), context_length=limit)
    assert (again.cached, again.asked, again.too_long) == (first.asked, 0, first.too_long)
    assert loads == 0
    assert path.read_bytes() == before
    assert len(read_failures(path)) == first.too_long


def test_a_longer_context_asks_only_what_was_too_long(tmp_path, tiny_model, limit):
    path = tmp_path / "k.jsonl"
    first, _ = run(path, tiny_model, asks(), context_length=limit)
    before = path.read_bytes()
    counts, _ = run(path, tiny_model, asks())
    assert counts == Counts(first.prompts, first.asked, first.too_long)
    assert path.read_bytes().startswith(before)
    assert read_failures(path) == {}
    # A shorter one takes back no answer; what is new is asked without them.
    more = asks(shots=(0, 3, 4))
    counts, _ = run(path, tiny_model, more, context_length=limit)
    assert counts.cached == first.prompts
    assert counts.asked + counts.too_long == len(more) - first.prompts
    assert counts.too_long > 0


def test_a_cell_of_which_every_row_is_too_long_has_no_score_and_a_sentence(tmp_path, tiny_model):
    path = tmp_path / "k.jsonl"
    counts, loads = run(path, tiny_model, asks(), context_length=20)
    assert (counts.asked, counts.failed, counts.too_long, loads) == (0, 0, len(asks()), 0)
    assert read_responses(path) == {}
    frame = predictions(path, tiny_model, asks())
    assert set(frame["status"]) == {"too_long"}
    assert frame["engine"].unique().tolist() == ["transformers"]
    scores = score_cells(frame)
    assert (scores["n_too_long"] == scores["n"]).all()
    assert scores[["roc_auc", "accuracy", "invalid_rate"]].isna().all(axis=None)
    assert gains_over_zero_shot(frame)["difference"].isna().all()
    assert context_contrasts(frame, 0, 3)["difference"].isna().all()
    there = scores.assign(suite="core", domain="d", test_rows=ROWS, capped=False)
    text = "\n".join(foundation_notes(there, {"tiny": "Tiny"}))
    assert f"Tiny at k = 3: toy all {2 * ROWS}" in text
    assert "no row was sent" in text


def test_paired_comparisons_use_the_rows_that_both_have(tmp_path, tiny_model, limit):
    path = tmp_path / "k.jsonl"
    asked = asks(modes=["forward"])
    run(path, tiny_model, asked, context_length=limit)
    frame = predictions(path, tiny_model, asked)
    (gain,) = gains_over_zero_shot(frame).to_dict("records")
    assert (gain["n"], gain["n_dropped"]) == (ROWS - len(LONG), len(LONG))
    fits = frame[~frame["row_id"].isin(LONG)]
    (alone,) = gains_over_zero_shot(fits).to_dict("records")
    assert gain["difference"] == alone["difference"]


@pytest.mark.parametrize("style", ["completion", "chat"])
def test_the_description_is_that_of_each_engine(tmp_path, tiny_model, style, monkeypatch):
    import fake_vllm

    fake_vllm.install(monkeypatch)
    local = model(tiny_model, style=style)
    here = TransformersEngine(tiny_model, style=style)
    assert opened(local).description == here.description
    there = model(tiny_model, style=style, engine="vllm", dtype="bfloat16")
    assert opened(there).description == VLLMEngine(tiny_model, style=style).description
    served = parse_model("faulty", endpoint_entry("http://127.0.0.1:1/v1", style=style))
    assert opened(served).description == OpenAIEngine(served, tmp_path).description


def test_the_shorter_of_the_stated_and_the_models_own_context_counts(tiny_model):
    assert opened(model(tiny_model)).limit == 512
    assert opened(model(tiny_model, context_length=100)).limit == 100
    assert opened(model(tiny_model, context_length=1000)).limit == 512
    # vLLM refuses what the model cannot have, and knows contexts that are extended.
    assert opened(model(tiny_model, engine="vllm", context_length=1000)).limit == 1000
    assert opened(model(tiny_model, engine="vllm")).limit == 512


def test_an_estimate_keeps_no_prompt_back():
    served = parse_model("faulty", endpoint_entry("http://127.0.0.1:1/v1", context_length=3))
    context = opened(served)
    assert context.misfit("forward", 3) is not None
    assert context.too_long([one.request for one in asks()]) == {}


def test_an_endpoint_that_says_too_long_is_taken_at_its_word(tmp_path):
    def some(text, _time):
        return PROBE not in text and ("x = 3." in text or "x = 5." in text)

    asked = endpoint_asks(modes=["forward"])
    with fault_server("too_long", some) as server:
        assert run_endpoint(tmp_path, server, asked) == Counts(12, 0, 10, 0, 2)
        who = identity(parse_model("faulty", endpoint_entry(server.url)))
        path = tmp_path / "k0.jsonl"
        (frame,) = predict([asked], who, read_responses(path), read_failures(path), "Ask.")
        assert frame.loc[frame["status"] == "too_long", "row_id"].tolist() == [3, 5]
        assert score_cells(frame)["n_too_long"].tolist() == [2]
        server.fails = never
        assert run_endpoint(tmp_path, server, asked) == Counts(12, 10, 2)


def test_any_number_of_long_prompts_is_no_sign_of_a_dead_endpoint(tmp_path):
    with fault_server("too_long", lambda text, _time: PROBE not in text) as server:
        counts = run_endpoint(tmp_path, server, endpoint_asks(80, ["forward"]))
    assert counts == Counts(80, 0, 0, 0, 80)


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
        "'max_tokens' or 'max_completion_tokens' is too large: 8. This model's maximum context "
        "length is 300 tokens and your request has 301 input tokens",
        "the request exceeds the available context size, try increasing it",
        "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000",
    ],
)
def test_the_words_of_endpoints_for_too_long_a_prompt(said):
    assert exceeds_context(said)


@pytest.mark.parametrize(
    "said",
    [
        "top_logprobs exceeds the maximum of 20",
        "max_tokens is too large: 9000; this model supports at most 4096 completion tokens",
        "the context of this request breaks our policy",
        "temperature must be <= 2",
        "",
    ],
)
def test_other_refusals_are_not_taken_for_it(said):
    assert not exceeds_context(said)


@pytest.mark.slow
def test_a_run_with_prompts_that_are_too_long(tmp_path):
    """Planned, run, planned again, and run with a longer context."""
    copy = WorkflowCopy.create(tmp_path / "copy")
    copy.configure(
        datasets=["tae"],
        mlp={"levels": [], "tables": 1, "rows": 60},
        llm_synthetic=None,
        shots=[0, 2],
        research_questions={"rq3": {"modes": ["forward"]}},
    )
    set_context(copy, CONTEXT)
    copy.run("plan")
    planned = planned_rows(copy)
    assert planned["context"].tolist() == [CONTEXT] * 2
    assert planned.loc[0, "too_long"] == 0
    assert 0 < planned.loc[2, "too_long"] < planned.loc[2, "prompts"]
    files = [f"results/predictions/smollm2_135m/core/k{k}.parquet" for k in (0, 2)]
    targets = [*files, "results/rq3/table7.md"]
    copy.run(*targets)
    frame = pd.read_parquet(copy.folder / files[1])
    assert (frame["status"] == "too_long").sum() == planned.loc[2, "too_long"]
    assert frame.loc[frame["status"] != "too_long", "prompt_tokens"].max() < CONTEXT
    scores = pd.read_parquet(copy.folder / "results/rq3/scores.parquet")
    asked = scores[scores["model"] == "smollm2_135m"]
    assert asked["n_too_long"].sum() == planned.loc[2, "too_long"]
    table = (copy.folder / "results/rq3/table7.md").read_text()
    assert "†" in table
    assert "at k = 2: tae" in table
    assert copy.planned(*targets) == {}
    log = copy.folder / "results/responses/smollm2_135m/tae/k2.jsonl"
    before = log.read_bytes()
    copy.run("plan")
    again = planned_rows(copy)
    assert again["to_ask"].tolist() == [0, 0]
    assert again["too_long"].tolist() == planned["too_long"].tolist()

    set_context(copy, CONTEXT + 100)
    copy.run(*targets)
    assert log.read_bytes().startswith(before)
    assert len(log.read_bytes().splitlines()) == planned.loc[2, "prompts"]
    assert set(pd.read_parquet(copy.folder / files[1])["status"]) == {"ok"}
    kept = pd.read_parquet(copy.folder / files[1])
    rows = frame["status"] != "too_long"
    assert kept.loc[rows, ["p_1", "seconds"]].equals(frame.loc[rows, ["p_1", "seconds"]])
    assert "†" not in (copy.folder / "results/rq3/table7.md").read_text()


def planned_rows(copy):
    """The plan's lines about rows, by k."""
    lines = pd.read_csv(copy.folder / "results/plan.csv")
    return lines[lines["kind"] == "rows"].set_index("k")


CONTEXT = 227
"""As many tokens as the longest prompts of tae with two examples have, without an answer."""


def set_context(copy, tokens):
    rewrite(
        copy,
        "resources/models/smollm2_135m.yaml",
        lambda entry: entry.update(context_length=tokens),
    )
