"""The transformers engine against one plain pass per prompt, on a tiny and on the real model."""

import ctypes
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import torch
from fixtures_model import TINY_SIZES, byte_tokenizer
from scipy.special import expit
from scipy.stats import spearmanr
from transformers import AutoModelForCausalLM, AutoTokenizer, MistralConfig, MistralForCausalLM

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines import attention, packed_model, packing, processor
from tabbench.inference.engines.base import (
    Answer,
    Batch,
    Decoding,
    Generation,
    LabelScore,
    Message,
    Mode,
    Prompt,
    Request,
    TextRequest,
)
from tabbench.inference.engines.decoding import LabelPairs, Stream
from tabbench.inference.engines.lengths import context_length
from tabbench.inference.engines.rendering import Renderer, Style, label_tokens
from tabbench.inference.engines.transformers import TransformersEngine

TOLERANCE = 1e-4


def row(rng: random.Random) -> str:
    colour = rng.choice(["red", "green", "ultramarine"])
    return f"x = {rng.randint(-99, 99)}, c = {colour}. Answer is "


def prompts(count: int, shots: int = 3, seed: int = 0, system: str = "Be brief.") -> list[Prompt]:
    rng = random.Random(seed)
    examples = "".join(f"{row(rng)}{label % 2}\n" for label in range(shots))
    return [Prompt(system, f"Is it 0 or 1?\n{examples}", row(rng)) for _ in range(count)]


def requests(mode: Mode, asked: Sequence[Prompt]) -> list[Request]:
    return [Request(mode, prompt) for prompt in asked]


def answers(engine: TransformersEngine, asked: Sequence[Request]) -> list[Answer]:
    by_index: dict[int, Answer] = {}
    for batch in engine.batches(asked):
        for outcomes in engine.answer(batch):
            by_index.update(outcomes)
    assert sorted(by_index) == list(range(len(asked)))
    return [by_index[index] for index in range(len(asked))]


def content(answer: Answer) -> tuple[object, ...]:
    """All of an answer but the time."""
    fields = vars(answer)
    return tuple(fields[name] for name in fields if name != "seconds")


class Plain:
    """One plain pass per prompt, by transformers alone."""

    def __init__(self, folder: Path, style: Style = "completion") -> None:
        self.model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.renderer = Renderer(self.tokenizer, style)

    @torch.inference_mode()
    def score(self, prompt: Prompt) -> tuple[float, float]:
        (found,) = label_tokens(self.renderer.tokens, [self.renderer.text(prompt)])
        zero, one = (self._logp(found.context, label) for label in found.labels)
        return zero, one

    def _logp(self, context: list[int], label: list[int]) -> float:
        logps = self.model(input_ids=torch.tensor([context + label])).logits[0].log_softmax(-1)
        places = range(len(context) - 1, len(context) + len(label) - 1)
        return sum(float(logps[at, token]) for at, token in zip(places, label, strict=True))

    def generate(self, prompt: Prompt, max_new_tokens: int) -> str:
        ids = torch.tensor(self.renderer.tokens([self.renderer.text(prompt)]))
        whole = self.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=max_new_tokens,
        )
        ends = self.model.generation_config.eos_token_id
        ends = [ends] if isinstance(ends, int) else ends
        new = [token for token in whole[0, ids.shape[1] :].tolist() if token not in ends]
        return str(self.tokenizer.decode(new, skip_special_tokens=True))


def assert_logps_equal(found: Sequence[Answer], plain: Plain, asked: Sequence[Prompt]) -> None:
    """For random weights, whose labels have probabilities near zero."""
    for answer, prompt in zip(found, asked, strict=True):
        assert isinstance(answer, LabelScore)
        assert (answer.logp_0, answer.logp_1) == pytest.approx(plain.score(prompt), abs=1e-3)


def assert_probabilities_equal(
    found: Sequence[Answer], plain: Plain, asked: Sequence[Prompt]
) -> None:
    for answer, prompt in zip(found, asked, strict=True):
        assert isinstance(answer, LabelScore)
        expected = torch.tensor(plain.score(prompt)).exp()
        got = torch.tensor([answer.logp_0, answer.logp_1]).exp()
        assert got.sum() > 0.5
        assert torch.allclose(got, expected, rtol=0, atol=TOLERANCE)


# The tiny model ------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["completion", "chat"])
@pytest.mark.parametrize("pack_tokens", [1, 60, 10_000])
def test_scores_equal_a_plain_pass(tiny_model: Path, style: Style, pack_tokens: int) -> None:
    asked = prompts(7)
    engine = TransformersEngine(tiny_model, style=style, pack_tokens=pack_tokens)
    found = answers(engine, requests("forward", asked))
    assert len({content(answer) for answer in found}) == len(asked)
    assert_logps_equal(found, Plain(tiny_model, style), asked)


def test_one_prompt_and_equal_prompts(tiny_model: Path) -> None:
    (prompt,) = prompts(1)
    plain = Plain(tiny_model)
    for asked in ([prompt], [prompt] * 3):
        found = answers(
            TransformersEngine(tiny_model, style="completion"), requests("forward", asked)
        )
        assert_logps_equal(found, plain, asked)


def test_order_does_not_matter(tiny_model: Path) -> None:
    asked = prompts(6)
    shuffled = random.Random(1).sample(asked, len(asked))
    engine = TransformersEngine(tiny_model, style="completion", pack_tokens=60)
    plain = Plain(tiny_model)
    assert_logps_equal(answers(engine, requests("forward", shuffled)), plain, shuffled)


def test_long_prefixes_are_computed_in_chunks(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_model, "PREFIX_CHUNK", 16)
    asked = prompts(3)
    found = answers(TransformersEngine(tiny_model, style="completion"), requests("forward", asked))
    assert_logps_equal(found, Plain(tiny_model), asked)


def test_the_masked_way_equals_the_split_one(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other devices than the CPU have no kernel that gives the log-sum-exp."""
    asked = prompts(5)
    both = requests("forward", asked) + requests("generation", asked)
    split = answers(TransformersEngine(tiny_model, style="completion"), both)
    monkeypatch.setattr(attention, "_split", lambda *args: attention._masked(*args, None))
    masked = answers(TransformersEngine(tiny_model, style="completion"), both)
    for one, other in zip(split, masked, strict=True):
        if isinstance(one, LabelScore) and isinstance(other, LabelScore):
            assert one.logp_0 == pytest.approx(other.logp_0, abs=1e-4)
        elif isinstance(one, Generation) and isinstance(other, Generation):
            assert one.text == other.text


@pytest.mark.parametrize("window", [7, 40, 4000])
def test_sliding_windows(tmp_path: Path, window: int) -> None:
    tokenizer = byte_tokenizer([])
    torch.manual_seed(1)
    config = MistralConfig(vocab_size=len(tokenizer), sliding_window=window, **TINY_SIZES)
    MistralForCausalLM(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    asked = prompts(4)
    engine = TransformersEngine(tmp_path, style="completion", pack_tokens=100)
    plain = Plain(tmp_path)
    found = answers(engine, requests("forward", asked) + requests("generation", asked))
    assert_logps_equal(found[:4], plain, asked)
    for answer, prompt in zip(found[4:], asked, strict=True):
        assert isinstance(answer, Generation)
        assert answer.text == plain.generate(prompt, 8)


@pytest.mark.parametrize("term", ["softcap", "s_aux", "position_bias"])
def test_attention_with_terms_that_are_not_computed_is_refused(term: str) -> None:
    states = torch.zeros(1, 1, 2, 4)
    with pytest.raises(TabBenchError, match=term):
        attention.attend(torch.nn.Module(), states, states, states, None, **{term: states})


def test_every_window_has_a_mask_of_its_own() -> None:
    layout = packing.Layout.of(3, [4, 2])
    asked = attention.Pass(attention.KeyValues(1, 3), layout, torch.device("cpu"))
    for window in (2, None, 4, 2):
        where = (layout.prefix, layout.row, layout.column, layout.rows, layout.width)
        expected = packing.visible(*where, window)
        assert asked.mask(window)[0, 0].tolist() == expected.tolist()


@pytest.mark.parametrize("size", [4, 6])
def test_values_may_be_of_another_size_than_keys(size: int) -> None:
    torch.manual_seed(0)
    query, key = torch.randn(2, 1, 2, 5, 4)
    value = torch.randn(1, 2, 5, size)
    layer = torch.nn.Module()
    layer.layer_idx = 0  # type: ignore[assignment]
    layout = packing.Layout.of(0, [5])
    pack = attention.Pass(attention.KeyValues(1, 0), layout, torch.device("cpu"))
    found, _ = attention.attend(layer, query, key, value, None, pack=pack)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    torch.testing.assert_close(found, expected.transpose(1, 2))


@pytest.mark.parametrize("scale", [None, 0.3])
def test_attention_by_products_equals_one_softmax(
    monkeypatch: pytest.MonkeyPatch, scale: float | None
) -> None:
    monkeypatch.setattr(attention, "QUERY_BLOCK", 4)
    monkeypatch.setattr(attention, "KEY_BLOCK", 3)
    torch.manual_seed(0)
    query, keys, values = (torch.randn(1, 2, length, 6) for length in (10, 8, 8))
    keys[0, 0, 5] *= 40  # a key that outweighs whole blocks
    found, weight = attention._by_products(query, keys, values, scale)
    exact = [states.double() for states in (query, keys, values)]
    attended = torch.nn.functional.scaled_dot_product_attention(*exact, scale=scale)
    scores = exact[0] @ exact[1].mT * (6**-0.5 if scale is None else scale)
    torch.testing.assert_close(found.double(), attended, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(weight.double(), scores.logsumexp(-1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("tokens", [4, 8, 10])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_causal_attention_by_products_equals_one_softmax(
    monkeypatch: pytest.MonkeyPatch, scale: float | None, tokens: int
) -> None:
    monkeypatch.setattr(attention, "CAUSAL_BLOCK", 4)
    torch.manual_seed(0)
    # Laid out as a layer makes them: tokens before heads.
    query, keys, values = (torch.randn(1, tokens, heads, 6).transpose(1, 2) for heads in (6, 2, 2))
    keys[0, 0, 2] *= 40  # a key that outweighs whole blocks
    found, weight = attention._causal_by_products(query, keys, values, scale)
    exact = [query.double(), *(part.double().repeat_interleave(3, 1) for part in (keys, values))]
    attended = torch.nn.functional.scaled_dot_product_attention(*exact, is_causal=True, scale=scale)
    scores = exact[0] @ exact[1].mT * (6**-0.5 if scale is None else scale)
    hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    expected = scores.masked_fill(hidden, -torch.inf).logsumexp(-1)
    torch.testing.assert_close(found.double(), attended, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(weight.double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
def test_a_weight_laid_out_multiplies_like_itself(bias: bool) -> None:
    torch.manual_seed(0)
    layer = torch.nn.Linear(72, 40, bias)
    states = torch.randn(3, 50, 72)
    expected = layer(states)
    ordered = processor.laid_out(layer.weight)
    assert ordered.layout == torch._mkldnn
    found = processor.product(states, ordered, layer.bias)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_an_embedding_that_is_the_output_layer_stays_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processor, "onednn_products", lambda: True)
    table, output = torch.nn.Embedding(5, 4), torch.nn.Linear(4, 5, bias=False)
    output.weight = table.weight
    states = torch.randn(2, 4)
    expected = output(states)
    processor.use_onednn(torch.nn.ModuleList([table, output]))
    assert table.weight.layout == torch.strided
    torch.testing.assert_close(output(states), expected)


@pytest.mark.parametrize("faster", [True, False])
def test_both_ways_to_multiply_give_the_scores_of_a_plain_pass(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, faster: bool
) -> None:
    for module in (attention, processor):
        monkeypatch.setattr(module, "onednn_products", lambda: faster)
    asked = prompts(5)
    engine = TransformersEngine(tiny_model, style="completion")
    layers = {type(part) for part in engine._model._model.modules()}
    assert (processor._Linear in layers, torch.nn.Linear in layers) == (faster, not faster)
    assert_logps_equal(answers(engine, requests("forward", asked)), Plain(tiny_model), asked)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library is not glibc")
def test_freed_memory_is_kept_for_the_next_pass() -> None:
    program = (
        "import resource, torch\n"
        "from tabbench.inference.engines.processor import keep_freed_memory\n"
        "def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "def used():\n"
        "    before = faults()\n"
        "    for _ in range(10): torch.ones(10_000_000)\n"
        "    return faults() - before\n"
        "given_back = used()\n"
        "keep_freed_memory()\n"
        "used()\n"
        "print(given_back, used())"
    )
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.check_output(
        [sys.executable, "-c", program], text=True, env={**os.environ, **path}
    )
    given_back, kept = map(int, ran.split())
    assert kept < given_back / 10


@pytest.mark.parametrize("off", [True, False])
def test_a_model_that_thinks_although_it_must_not_is_refused(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, off: bool
) -> None:
    arguments = {"enable_thinking": False} if off else {}
    engine = TransformersEngine(tiny_model, style="chat", template_args=arguments)
    says = property(lambda _: "<think>so", lambda *_: None)
    monkeypatch.setattr(Stream, "text", says, raising=False)
    asked = requests("generation", prompts(3))
    if off:
        with pytest.raises(TabBenchError, match="3 of 3 answers hold a thought"):
            answers(engine, asked)
    else:
        assert [vars(one)["text"] for one in answers(engine, asked)] == ["<think>so"] * 3


def test_greedy_text_equals_generate(tiny_model: Path) -> None:
    asked = prompts(8)
    engine = TransformersEngine(tiny_model, style="completion", max_new_tokens=12, pack_tokens=120)
    plain = Plain(tiny_model)
    found = answers(engine, requests("generation", asked))
    assert any(isinstance(a, Generation) and a.completion_tokens < 12 for a in found)
    for answer, prompt in zip(found, asked, strict=True):
        assert isinstance(answer, Generation)
        assert answer.text == plain.generate(prompt, 12)


def test_a_step_attends_from_one_token_a_row() -> None:
    """Not from as many as the longest row has, which took four fifths of generation's time."""
    layout = packing.Layout.at(3, [70, 20])
    kept = attention.KeyValues(2, 80)
    step = attention.Pass(attention.KeyValues(1, 3), layout, torch.device("cpu"), kept, [0, 1])
    query = torch.randn(1, 3, 2, 4)
    assert step.pad(query).shape == (2, 3, 1, 4)
    assert torch.equal(step.unpad(step.pad(query)), query)


def half_precision(
    tiny_model: Path, dtype: str, records: Path | None = None
) -> tuple[TransformersEngine, list[Answer]]:
    engine = TransformersEngine(tiny_model, style="completion", dtype=dtype, records=records)
    return engine, answers(engine, requests("forward", prompts(6)))


def test_half_precision_on_a_cpu_is_compared_with_float32(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, exact = half_precision(tiny_model, "float32", tmp_path)
    assert capsys.readouterr().out == "" and not list(tmp_path.iterdir())
    for _ in range(2):
        engine, found = half_precision(tiny_model, "bfloat16", tmp_path)
    assert capsys.readouterr().out.count("WARNING: bfloat16") == 2
    table = pd.read_csv(tmp_path / "precision.csv")
    p = {name: [p_1(one) for one in scored] for name, scored in (("a", found), ("b", exact))}
    largest = max(abs(a - b) for a, b in zip(p["a"], p["b"], strict=True))
    assert table["largest_difference"].tolist() == pytest.approx([largest] * 2, rel=1e-3)
    assert 0 < largest < 0.01
    assert table["rank_correlation"].tolist() == pytest.approx(
        [spearmanr(p["a"], p["b"]).statistic] * 2
    )
    assert table["prompts"].tolist() == [6, 6]
    answers(engine, requests("forward", prompts(3, seed=5)))  # compared once
    assert len(pd.read_csv(tmp_path / "precision.csv")) == 2


def p_1(answer: Answer) -> float:
    assert isinstance(answer, LabelScore)
    return float(expit(answer.logp_1 - answer.logp_0))


def test_half_precision_is_that_of_the_products_alone(tiny_model: Path) -> None:
    engine, _ = half_precision(tiny_model, "bfloat16")
    model = engine._model._model
    half = {name for name, part in model.named_parameters() if part.dtype == torch.bfloat16}
    linear = {
        f"{name}.weight"
        for name, part in model.named_modules()
        if isinstance(part, torch.nn.Linear)
    }
    assert half == {name for name in linear if "lm_head" not in name}
    assert model.get_output_embeddings().weight.dtype == torch.float32


def test_labels_of_two_tokens_are_scored_over_all(tiny_model: Path, tmp_path: Path) -> None:
    """ " 0" is one token here and " 1" is two: their contexts end before the space."""
    model = AutoModelForCausalLM.from_pretrained(tiny_model)
    model.save_pretrained(tmp_path)
    # The merged token takes the id of the tiny tokenizer's own first merge.
    byte_tokenizer([("Ġ", "0")]).save_pretrained(tmp_path)
    asked = prompts(5)
    engine = TransformersEngine(tmp_path, style="completion", pack_tokens=90)
    assert_logps_equal(answers(engine, requests("forward", asked)), Plain(tmp_path), asked)


def test_modes_of_a_group_share_the_prefix(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = TransformersEngine(tiny_model, style="completion", pack_tokens=60)
    computed: list[int] = []
    compute = engine._model.prefix
    monkeypatch.setattr(
        engine._model, "prefix", lambda tokens: computed.append(len(tokens)) or compute(tokens)
    )
    asked = prompts(4)
    batches = list(engine.batches(requests("forward", asked) + requests("generation", asked)))
    assert len(batches) > 1
    assert computed == []
    for batch in batches:
        engine.answer(batch)
    assert len(computed) == 1


def tokens_run(
    engine: TransformersEngine, asked: Sequence[Request], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Answer], int]:
    """Answers, and the tokens behind the prefix that passes took (steps are not counted)."""
    counted: list[int] = []
    run = engine._model.rows

    def rows(prefix: Any, rows: Any, *rest: Any, **named: Any) -> Any:
        counted.append(sum(map(len, rows)))
        return run(prefix, rows, *rest, **named)

    monkeypatch.setattr(engine._model, "rows", rows)
    return answers(engine, asked), sum(counted)


def test_both_modes_take_one_pass_and_answer_as_each_alone(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = prompts(6)
    forward, generation = requests("forward", asked), requests("generation", asked[1:5])

    def run(wanted: Sequence[Request]) -> tuple[list[Answer], int]:
        engine = TransformersEngine(tiny_model, style="completion", pack_tokens=60)
        return tokens_run(engine, wanted, monkeypatch)

    (scores, alone), (texts, _) = run(forward), run(generation)
    together, tokens = run(forward + generation)
    assert tokens == alone
    plain = Plain(tiny_model)
    assert_logps_equal(together[:6], plain, asked)
    assert_logps_equal(scores, plain, asked)
    for one, other in zip(texts, together[6:], strict=True):
        assert isinstance(one, Generation) and isinstance(other, Generation)
        assert (one.text, one.prompt_tokens, one.completion_tokens) == (
            other.text,
            other.prompt_tokens,
            other.completion_tokens,
        )
        assert other.label_logps == pytest.approx(one.label_logps, abs=1e-4)


def test_both_modes_with_labels_of_two_tokens(tiny_model: Path, tmp_path: Path) -> None:
    """The scored context ends before the space with which the prompt to be continued ends."""
    AutoModelForCausalLM.from_pretrained(tiny_model).save_pretrained(tmp_path)
    byte_tokenizer([("Ġ", "0")]).save_pretrained(tmp_path)
    asked = prompts(5)
    engine = TransformersEngine(tmp_path, style="completion", pack_tokens=90)
    found = answers(engine, requests("generation", asked) + requests("forward", asked))
    plain = Plain(tmp_path)
    assert_logps_equal(found[5:], plain, asked)
    assert [vars(one)["text"] for one in found[:5]] == [plain.generate(one, 8) for one in asked]


def test_equal_prompts_of_a_group_are_run_once(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = prompts(4)
    engine = TransformersEngine(tiny_model, style="completion")
    once, alone = tokens_run(engine, requests("forward", asked), monkeypatch)
    engine = TransformersEngine(tiny_model, style="completion")
    found, tokens = tokens_run(engine, requests("forward", asked + asked[:3]), monkeypatch)
    assert tokens == alone
    assert [content(one) for one in found] == [content(one) for one in once + once[:3]]


def test_each_mode_is_charged_what_it_would_cost_alone(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    engine = TransformersEngine(tiny_model, style="completion", pack_tokens=60)
    for name, seconds in {"prefix": 12.0, "rows": 6.0, "step": 1.0}.items():
        compute = getattr(engine._model, name)

        def taking(
            *given: Any, compute: Any = compute, seconds: float = seconds, **named: Any
        ) -> Any:
            clock[0] += seconds
            return compute(*given, **named)

        monkeypatch.setattr(engine._model, name, taking)
    asked = prompts(4)
    wanted = [requests("forward", asked), requests("generation", asked)]
    alone = []
    for one in wanted:
        engine._kept = None
        alone += answers(engine, one)
    engine._kept = None
    together = answers(engine, wanted[0] + wanted[1])
    assert [one.seconds for one in together] == [one.seconds for one in alone]
    assert [one.seconds for one in together[:4]] == [12 / 4 + 6 / 2] * 4
    assert all(one.seconds > 6 for one in together[4:])


def test_groups_are_consecutive_and_batches_deterministic(tiny_model: Path) -> None:
    engine = TransformersEngine(tiny_model, style="completion", pack_tokens=60)
    first, second = prompts(3), prompts(3, seed=1)
    asked = requests("forward", first) + requests("forward", second) + requests("forward", first)
    batches = list(engine.batches(asked))
    assert batches == list(engine.batches(asked))
    assert [index for batch in batches for index in batch.indices] == list(range(9))
    for batch in batches:
        assert len({asked[index].prompt.prefix for index in batch.indices}) == 1


def test_every_group_gets_its_own_prefix(tiny_model: Path) -> None:
    asked = [*prompts(3), *prompts(3, seed=1), *prompts(3, system="Be exact.")]
    engine = TransformersEngine(tiny_model, style="completion")
    found = answers(engine, requests("forward", asked))
    assert_logps_equal(found, Plain(tiny_model), asked)


def test_skipped_batches_change_no_bit(tiny_model: Path) -> None:
    asked = prompts(9)
    both = requests("forward", asked) + requests("generation", asked)

    def run(wanted: int | None) -> dict[int, list[tuple[object, ...]]]:
        engine = TransformersEngine(tiny_model, style="completion", pack_tokens=60)
        numbered: list[tuple[int, Batch]] = list(enumerate(engine.batches(both)))
        return {
            number: [
                repr(content(outcome))
                for outcomes in engine.answer(batch)
                for outcome in outcomes.values()
            ]
            for number, batch in numbered
            if wanted in (None, number)
        }

    whole = run(None)
    assert len(whole) > 4
    for number in whole:
        assert run(number)[number] == whole[number]


def test_too_long_a_prompt_names_the_request(tiny_model: Path) -> None:
    asked = requests("forward", prompts(3)) + requests("forward", prompts(2, shots=40))
    engine = TransformersEngine(tiny_model, style="completion", pack_tokens=100)
    with pytest.raises(TabBenchError, match=r"request 3: the prompt has [\d,]+ tokens.* 512"):
        answers(engine, asked)


def test_the_answer_needs_room_too(tiny_model: Path) -> None:
    asked = prompts(1)
    (length,) = (
        a.prompt_tokens
        for a in answers(
            TransformersEngine(tiny_model, style="completion"), requests("forward", asked)
        )
    )
    engine = TransformersEngine(tiny_model, style="completion", context_length=length + 1)
    answers(engine, requests("forward", asked))
    with pytest.raises(TabBenchError, match="its answer up to 8"):
        answers(engine, requests("generation", asked))


def test_longrope_is_limited_to_the_original_context() -> None:
    rope = {"rope_type": "longrope", "original_max_position_embeddings": 4096}
    config = SimpleNamespace(max_position_embeddings=131072, rope_parameters=rope)
    assert context_length(config) == 4096
    config.rope_parameters = {"rope_type": "default"}
    assert context_length(config) == 131072


def test_description(tiny_model: Path) -> None:
    completion = TransformersEngine(tiny_model, style="completion").description
    chat = TransformersEngine(tiny_model, style="chat").description
    assert (completion.engine, completion.style, completion.dtype) == (
        "transformers",
        "completion",
        "float32",
    )
    assert chat.template != completion.template


def test_other_kinds_of_layers_are_refused(tiny_model: Path, tmp_path: Path) -> None:
    for file in tiny_model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config["layer_types"] = ["full_attention", "chunked_attention", "full_attention"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(TabBenchError, match="chunked_attention"):
        TransformersEngine(tmp_path, style="completion")


def test_a_missing_folder_and_an_unknown_dtype(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(TabBenchError, match="cannot be loaded"):
        TransformersEngine(tmp_path, style="completion")
    with pytest.raises(TabBenchError, match="float7"):
        TransformersEngine(tiny_model, style="completion", dtype="float7")


# Growing answers -----------------------------------------------------------------------------


def stream_of(text: str, stop: Sequence[str] = (), end: bool = False) -> Stream:
    """The stream of a text whose tokens are its bytes; token t has log-probability -t."""
    tokenizer = byte_tokenizer([])
    ends = {tokenizer.eos_token_id}
    stream = Stream(tokenizer, LabelPairs(tokenizer), ends, stop)
    logps = -torch.arange(len(tokenizer), dtype=torch.float32)
    for token in tokenizer(text, add_special_tokens=False).input_ids:
        stream.add(token, logps)
    if end:
        stream.add(tokenizer.eos_token_id, logps)
    return stream


def test_labels_are_recorded_at_their_digit() -> None:
    stream = stream_of("a 1, 0, 1")
    tokenizer = byte_tokenizer([])
    zero, one = tokenizer.convert_tokens_to_ids(["0", "1"])
    assert stream.label_logps == dict.fromkeys([2, 5, 8], (-zero, -one))


def test_an_end_token_finishes_and_is_counted() -> None:
    stream = stream_of("1", end=True)
    assert (stream.finished, stream.text, len(stream.tokens)) == (True, "1", 2)


def test_stop_strings_cut_text_and_labels() -> None:
    stream = stream_of("1\n0", stop=["\n"])
    assert (stream.finished, stream.text, set(stream.label_logps)) == (True, "1", {0})


def test_the_text_ends_before_the_first_of_its_stop_strings() -> None:
    assert stream_of("1ab", stop=["b", "ab"]).text == "1"


def test_label_pairs_keep_the_surface_form() -> None:
    tokenizer = byte_tokenizer([("Ġ", "0"), ("Ġ", "1"), ("0", "Ġ")])
    pairs = LabelPairs(tokenizer)
    ids = tokenizer.convert_tokens_to_ids
    assert pairs.of(ids("Ġ1")) == (ids("Ġ0"), ids("Ġ1"))
    assert pairs.of(ids("0")) == (ids("0"), ids("1"))
    assert pairs.of(ids("0Ġ")) is None  # "1Ġ" is no token
    assert pairs.of(ids("2")) is None


# The real model ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(smollm2: Path) -> Plain:
    return Plain(smollm2)


@pytest.mark.slow
@pytest.mark.parametrize("pack_tokens", [1, 200, 2000])
def test_real_scores_equal_a_plain_pass(smollm2: Path, real: Plain, pack_tokens: int) -> None:
    asked = random.Random(pack_tokens).sample(prompts(8, shots=16), 8)
    engine = TransformersEngine(smollm2, style="completion", pack_tokens=pack_tokens)
    found = answers(engine, requests("forward", asked))
    assert_probabilities_equal(found, real, asked)


@pytest.mark.slow
@pytest.mark.parametrize("shots", [0, 8])
def test_real_greedy_text_equals_generate(smollm2: Path, real: Plain, shots: int) -> None:
    asked = prompts(5, shots=shots)
    engine = TransformersEngine(smollm2, style="completion", max_new_tokens=10)
    scores = answers(engine, requests("forward", asked))
    for answer, score, prompt in zip(
        answers(engine, requests("generation", asked)), scores, asked, strict=True
    ):
        assert isinstance(answer, Generation) and isinstance(score, LabelScore)
        assert answer.text == real.generate(prompt, 10)
        if answer.text[0] in "01":
            assert answer.label_logps[0] == pytest.approx((score.logp_0, score.logp_1), abs=1e-4)


@pytest.mark.slow
def test_conversion_keeps_the_tokenizer(smollm2_gguf: Path, real: Plain) -> None:
    from_gguf = AutoTokenizer.from_pretrained(smollm2_gguf.parent, gguf_file=smollm2_gguf.name)
    texts = ["Answer is 0\n", " 1  10\t3.5é ü 漢字 🙂", "<|im_start|>user\nx<|im_end|>", "a|b<td>"]
    for text in [*texts, *map(real.renderer.text, prompts(3))]:
        assert from_gguf(text).input_ids == real.tokenizer(text).input_ids
    assert from_gguf.chat_template == real.tokenizer.chat_template


def sampled(engine: TransformersEngine, asked: list[tuple[str, int]]) -> list[str]:
    decoding = Decoding(12, temperature=0.9, top_p=0.95, repetition_penalty=1.05)
    texts = [
        TextRequest("text", (Message("user", text),), decoding, seed, plain=True)
        for text, seed in asked
    ]
    found = {index: text.text for part in engine.write(texts) for index, text in part.items()}
    return [found[index] for index in range(len(asked))]


def test_a_seed_gives_the_same_sample_whatever_else_is_asked(tiny_model: Path) -> None:
    asked = [(text, seed) for text in ("One, two", "A table") for seed in (0, 1, 2)]
    engine = TransformersEngine(tiny_model, style="completion")
    state = torch.random.get_rng_state()
    first = sampled(engine, asked)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert len(set(first)) == len(asked)
    assert sampled(engine, asked[::-1])[::-1] == first
    torch.manual_seed(5)
    fresh = TransformersEngine(tiny_model, style="completion")
    assert sampled(fresh, asked[4:]) == first[4:]
