"""The vllm engine against the transformers engine, on a tiny model behind a fake vLLM."""

import random
import sys
from itertools import chain, count, groupby
from operator import itemgetter
from pathlib import Path

import fake_vllm
import pytest
from fixtures_model import byte_tokenizer
from test_transformers_engine import answers, content, prompts, requests
from transformers import AutoModelForCausalLM

from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import (
    OWN_TOKENS,
    TOO_LONG,
    Decoding,
    Failure,
    Generation,
    LabelScore,
    Message,
    Request,
    Setting,
    TextRequest,
)
from tabbench.inference.engines.decoding import LabelPairs
from tabbench.inference.engines.transformers import TransformersEngine
from tabbench.inference.engines.vllm import VLLMEngine, load
from tabbench.inference.models import load_engine


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_vllm.install(monkeypatch)


def assert_equal(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert type(one) is type(other)
        assert one.prompt_tokens == other.prompt_tokens
        if isinstance(one, LabelScore):
            pairs = {0: ((one.logp_0, one.logp_1), (other.logp_0, other.logp_1))}
        else:
            assert (one.text, one.completion_tokens) == (other.text, other.completion_tokens)
            assert one.label_logps.keys() == other.label_logps.keys()
            pairs = {at: (one.label_logps[at], other.label_logps[at]) for at in one.label_logps}
        for mine, its in pairs.values():
            assert mine == pytest.approx(its, abs=1e-3)


@pytest.mark.parametrize("style", ["completion", "chat"])
def test_answers_equal_the_other_engine_in_process(tiny_model: Path, style) -> None:
    asked = [*prompts(4), *prompts(3, seed=1)]
    both = requests("forward", asked) + requests("generation", asked)
    settings = {"style": style, "max_new_tokens": 12, "stop": ["x"]}
    found = answers(VLLMEngine(tiny_model, in_flight=3, **settings), both)
    assert_equal(found, answers(TransformersEngine(tiny_model, **settings), both))
    texts = [answer for answer in found if isinstance(answer, Generation)]
    # Some end by themselves, some are cut.
    assert len({answer.completion_tokens == 12 for answer in texts}) == 2


def test_labels_in_texts_have_both_probabilities(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="completion", max_new_tokens=5)
    engine.llm.says = byte_tokenizer([])("a 1,0", add_special_tokens=False).input_ids
    (found,) = answers(engine, requests("generation", prompts(1)))
    assert found.text == "a 1,0"
    assert found.label_logps.keys() == {2, 4}
    assert all(logp < 0 for pair in found.label_logps.values() for logp in pair)


def test_labels_of_two_tokens_are_scored_over_all(tiny_model: Path, tmp_path: Path) -> None:
    AutoModelForCausalLM.from_pretrained(tiny_model).save_pretrained(tmp_path)
    byte_tokenizer([("Ġ", "0")]).save_pretrained(tmp_path)
    asked = requests("forward", prompts(5))
    engine = VLLMEngine(tmp_path, style="completion")
    expected = answers(TransformersEngine(tmp_path, style="completion"), asked)
    assert_equal(answers(engine, asked), expected)
    (*_, (first, params), (second, other)) = engine.llm.asked
    assert second[:-1] == first
    assert second[-1] in params.logprob_token_ids
    assert (len(params.logprob_token_ids), len(other.logprob_token_ids)) == (2, 1)


def test_a_batch_holds_one_mode_and_one_kind_of_all_datasets(tiny_model: Path) -> None:
    """Its seconds can be compared between modes, and are of one format."""
    engine = VLLMEngine(tiny_model, style="completion")
    datasets = [prompts(3), prompts(2, seed=1)]
    asked = [
        Request(mode, prompt, kind)
        for dataset in datasets
        for kind in ("feat_val", "html")
        for mode in ("forward", "generation")
        for prompt in dataset
    ]
    batches = list(engine.batches(asked))
    found = [[(asked[at].mode, asked[at].kind) for at in batch.indices] for batch in batches]
    assert [set(one) for one in found] == [
        {(mode, kind)} for kind in ("feat_val", "html") for mode in ("forward", "generation")
    ]
    assert [len(one) for one in found] == [5] * 4
    answers(engine, asked)
    assert engine.llm.resets == len(batches)


def test_the_queue_is_never_empty_between_datasets(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="completion", in_flight=8, max_new_tokens=5)
    datasets = [prompts(3, seed=seed) for seed in range(6)]
    for mode in ("forward", "generation"):
        seen = len(engine.llm.llm_engine.running)
        answers(engine, requests(mode, list(chain(*datasets))))
        running = engine.llm.llm_engine.running[seen:]
        waiting = engine.llm.llm_engine.waiting[seen:]
        assert sum(map(bool, waiting)) >= 3
        # All of its places are taken until nothing is left that could take one.
        last = max(at for at, count in enumerate(waiting) if count)
        assert set(running[: last + 1]) == {4}
        assert max(a + b for a, b in zip(running, waiting, strict=True)) == 8


def test_equal_prefixes_stand_next_to_each_other_however_many(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="completion", in_flight=2)
    large, small = prompts(9), prompts(2, seed=1)
    # A group's rows need not come together.
    asked = requests("forward", [*large[:5], *small, *large[5:]])
    found = answers(engine, asked)
    assert engine.llm.resets == 1
    starts = [tokens[:40] for tokens, _ in engine.llm.asked]
    assert [len(list(group)) for _, group in groupby(starts)] == [9, 2]
    assert_equal(found, answers(TransformersEngine(tiny_model, style="completion"), asked))


def test_seconds_of_a_batch_are_the_steps_of_vllm(tiny_model: Path, monkeypatch) -> None:
    engine = VLLMEngine(tiny_model, style="completion", max_new_tokens=5)
    clock = count()
    monkeypatch.setattr("time.perf_counter", lambda: float(next(clock)))
    dialogues = [dialogue(text, Decoding(6)) for text in ("a", "b")]
    for ask, asked in (
        (answers, requests("forward", prompts(7))),
        (answers, requests("generation", prompts(7))),
        (texts, dialogues),
    ):
        seen = len(engine.llm.llm_engine.running)
        found = ask(engine, asked)
        steps = len(engine.llm.llm_engine.running) - seen
        assert sum(one.seconds for one in found) == pytest.approx(steps)
        assert all(one.seconds > 0 for one in found)


def test_finished_answers_are_handed_on_while_others_run(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="completion", in_flight=4, every=0)
    asked = requests("forward", prompts(10))
    (batch,) = engine.batches(asked)
    first, *_ = engine.answer(batch)
    assert sorted(first) == [0, 1, 2, 3]


def test_a_stopped_batch_leaves_nothing_in_the_queue(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="completion", in_flight=6, every=0)
    (batch,) = engine.batches(requests("forward", prompts(10)))
    outcomes = engine.answer(batch)
    next(outcomes)
    assert engine.llm.llm_engine.has_unfinished_requests()
    outcomes.close()
    assert not engine.llm.llm_engine.has_unfinished_requests()


def test_a_prompt_that_vllm_does_not_take_fails_alone(tiny_model: Path) -> None:
    asked = requests("forward", prompts(6))
    plain = VLLMEngine(tiny_model, style="completion")
    expected = answers(plain, asked)
    tokens = [tokens for tokens, _ in plain.llm.asked]
    engine = VLLMEngine(tiny_model, style="completion", in_flight=2)
    engine.llm.llm_engine.refuses = [tokens[1]]
    engine.llm.llm_engine.ends = [(tokens[4], "error")]
    found = answers(engine, asked)
    refused, ended = found[1], found[4]
    assert refused == Failure("vllm_refused", "the prompt is refused")
    assert ended.kind == "vllm_error"
    assert not (refused.lasting or ended.lasting)
    others = [place for place in range(6) if place not in (1, 4)]
    assert_equal([found[place] for place in others], [expected[place] for place in others])


def test_of_a_refused_prompt_no_part_is_left(tiny_model: Path, tmp_path: Path) -> None:
    """Its labels have two tokens: the second part is refused, or ended."""
    AutoModelForCausalLM.from_pretrained(tiny_model).save_pretrained(tmp_path)
    byte_tokenizer([("Ġ", "0")]).save_pretrained(tmp_path)
    asked = requests("forward", prompts(3))
    plain = VLLMEngine(tmp_path, style="completion")
    expected = answers(plain, asked)
    parts = [tokens for tokens, _ in plain.llm.asked]
    assert len(parts) == 6
    for fault in ("refuses", "ends"):
        engine = VLLMEngine(tmp_path, style="completion", every=0)
        given = [parts[3]] if fault == "refuses" else [(parts[2], "abort"), (parts[3], "error")]
        setattr(engine.llm.llm_engine, fault, given)
        engine.llm.llm_engine.width = 2  # the refused prompt's first part would run later
        (batch,) = engine.batches(asked)
        told = [outcome for some in engine.answer(batch) for outcome in some.items()]
        assert len(told) == 3  # each once
        first, failure, last = (outcome for _, outcome in sorted(told, key=itemgetter(0)))
        assert failure.kind == ("vllm_refused" if fault == "refuses" else "vllm_abort")
        assert_equal([first, last], [expected[0], expected[2]])


def test_too_long_a_prompt_fails_alone(tiny_model: Path) -> None:
    asked = requests("forward", prompts(3)) + requests("forward", prompts(2, shots=40))
    engine = VLLMEngine(tiny_model, style="completion")
    *found, first, second = answers(engine, asked)
    assert {first.kind, second.kind} == {TOO_LONG}
    assert "the context of the model 512" in first.message
    assert_equal(found, answers(TransformersEngine(tiny_model, style="completion"), asked[:3]))
    assert len(engine.llm.asked) == 3


def test_the_answer_needs_room_too(tiny_model: Path) -> None:
    asked = prompts(1)
    (one,) = answers(VLLMEngine(tiny_model, style="completion"), requests("forward", asked))
    # vLLM writes a token where it scores labels.
    limit = one.prompt_tokens + 1
    engine = VLLMEngine(tiny_model, style="completion", context_length=limit)
    (scored,) = answers(engine, requests("forward", asked))
    assert isinstance(scored, LabelScore)
    (failure,) = answers(engine, requests("generation", asked))
    assert "its answer up to 8" in failure.message


SWITCH = "{{ messages[0].content }}{% if enable_thinking is not false %}{% endif %}"


def thinking(tiny_model: Path, folder: Path, **arguments) -> VLLMEngine:
    AutoModelForCausalLM.from_pretrained(tiny_model).save_pretrained(folder)
    tokenizer = byte_tokenizer([], chat_template=SWITCH)
    tokenizer.save_pretrained(folder)
    engine = VLLMEngine(folder, style="chat", max_new_tokens=9, **arguments)
    engine.llm.says = tokenizer("<think>so", add_special_tokens=False).input_ids
    return engine


def test_thinking_is_refused_in_the_prompt_and_in_the_answers(
    tiny_model: Path, tmp_path: Path
) -> None:
    asked = prompts(3)
    on = thinking(tiny_model, tmp_path)
    with pytest.raises(TabBenchError, match="forward scoring needs thinking off"):
        answers(on, requests("forward", asked))
    assert answers(on, requests("generation", asked))[0].text == "<think>so"
    off = thinking(tiny_model, tmp_path, template_args={"enable_thinking": False})
    with pytest.raises(TabBenchError, match="3 of 3 answers hold a thought"):
        answers(off, requests("generation", asked))


def test_a_first_token_that_opens_a_thought_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    engine = thinking(tiny_model, tmp_path, template_args={"enable_thinking": False})
    said = iter(["<think>"] * 3 + ["<think>", "1", "0"])
    engine._text = lambda _: next(said)
    with pytest.raises(TabBenchError, match="3 of 3 answers hold a thought"):
        answers(engine, requests("forward", prompts(3)))
    assert len(answers(engine, requests("forward", prompts(3)))) == 3


# Free texts ----------------------------------------------------------------------------------


def dialogue(text: str, decoding: Decoding | None, **fields) -> TextRequest:
    return TextRequest(f"dialogue/{text}", (Message("user", text),), decoding, **fields)


def texts(engine, asked):
    found = {}
    for some in engine.write(asked):
        found.update(some)
    return [found[index] for index in range(len(asked))]


def test_greedy_texts_equal_the_other_engine_in_process(tiny_model: Path) -> None:
    asked = [
        dialogue(text, Decoding(12, stop=stop), plain=plain)
        for text in ("one", "two three", "four")
        for stop in ((), ("e", "x"))
        for plain in (False, True)
    ]
    engine = VLLMEngine(tiny_model, style="completion", in_flight=5)
    found = texts(engine, asked)
    expected = texts(TransformersEngine(tiny_model, style="completion"), asked)
    assert [content(one) for one in found] == [content(one) for one in expected]
    handed_in = [tokens for tokens, _ in engine.llm.asked]
    assert handed_in == sorted(handed_in)  # what begins alike is together
    assert engine.usage.requests == 12
    assert engine.usage.completion_tokens == sum(one.completion_tokens for one in found)


def test_decoding_reaches_vllm(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="chat")
    sampled = Decoding(
        5, temperature=0.7, top_p=0.9, repetition_penalty=1.2, stop=("\n\n", "Table")
    )
    texts(engine, [dialogue("a", sampled, seed=3), dialogue("b", None, seed=4)])
    (_, stated), (tokens, own) = engine.llm.asked
    whole = fake_vllm.RequestOutputKind.FINAL_ONLY
    assert stated == fake_vllm.SamplingParams(0.7, 5, 0.9, 1.2, ["\n\n", "Table"], 3, None, whole)
    room = min(OWN_TOKENS, 512 - len(tokens))
    assert own == fake_vllm.SamplingParams(
        max_tokens=room, seed=4, output_kind=whole, **fake_vllm.FAMILY_DEFAULTS
    )


def test_too_long_a_dialogue_fails_alone(tiny_model: Path) -> None:
    engine = VLLMEngine(tiny_model, style="chat")
    asked = [dialogue(text, Decoding(5)) for text in ("long " * 200, "short", "long " * 200)]
    first, text, last = texts(engine, asked)
    assert {first.kind, last.kind} == {TOO_LONG}
    assert "the context of the model 512" in first.message
    assert [len(tokens) for tokens, _ in engine.llm.asked] == [text.prompt_tokens]


# Loading -------------------------------------------------------------------------------------


ENTRY = {
    "engine": "vllm",
    "weights": {"hub": "Org/Name", "revision": "0" * 40},
    "style": "completion",
    "dtype": "bfloat16",
    "context_length": 300,
    "generation": {"max_new_tokens": 3, "stop": ["\n"]},
}


def test_an_entry_reaches_vllm(tiny_model: Path, tmp_path: Path) -> None:
    engine = load_engine(parse_model("small", ENTRY), Setting(tiny_model, 1, tmp_path, gpus=2))
    assert engine.llm.arguments == {
        "model": str(tiny_model),
        "revision": None,
        "tokenizer_revision": None,
        "dtype": "bfloat16",
        "max_model_len": 300,
        "tensor_parallel_size": 2,
        "enable_prefix_caching": True,
        "enforce_eager": False,
        "seed": 0,
        "disable_log_stats": False,
    }
    assert engine.description == VLLMEngine(tiny_model, style="completion").description
    assert engine.description.engine == "vllm"


def test_weights_of_the_hub_are_taken_at_their_revision(tmp_path: Path, monkeypatch) -> None:
    asked = []

    def from_pretrained(source, revision):
        asked.append((source, revision))
        return byte_tokenizer([])

    def refuse(**arguments):
        asked.append((arguments["model"], arguments["revision"], arguments["tokenizer_revision"]))
        raise RuntimeError("Engine core initialization failed")

    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", from_pretrained)
    monkeypatch.setattr(fake_vllm, "LLM", refuse)
    with pytest.raises(TabBenchError, match=r"Org/Name: .*cannot be loaded by vLLM.*core init"):
        load(parse_model("small", ENTRY), Setting(None, 1, tmp_path))
    assert asked == [("Org/Name", "0" * 40), ("Org/Name", "0" * 40, "0" * 40)]


def test_without_vllm_the_error_says_what_to_do(tiny_model: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(TabBenchError, match="--use-conda"):
        VLLMEngine(tiny_model, style="completion")


def test_all_lone_labels_of_a_tokenizer() -> None:
    tokenizer = byte_tokenizer([("Ġ", "0"), ("Ġ", "1"), ("0", "Ġ"), ("1", "1")])
    ids = tokenizer.convert_tokens_to_ids(["0", "1", "Ġ0", "Ġ1"])
    assert LabelPairs(tokenizer).tokens() == sorted(ids)


def test_order_does_not_matter(tiny_model: Path) -> None:
    asked = requests("forward", prompts(6))
    engine = VLLMEngine(tiny_model, style="completion", in_flight=4)
    places = random.Random(1).sample(range(6), 6)
    shuffled: list[Request] = [asked[place] for place in places]
    found = answers(engine, shuffled)
    assert_equal(found, [answers(engine, asked)[place] for place in places])
