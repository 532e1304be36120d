"""Control tokens in cells are text; those that a chat template writes are control tokens."""

from pathlib import Path

import pytest
from fixtures_model import CHAT_TEMPLATE, byte_tokenizer
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import Message, Prompt, TextRequest
from tabbench.inference.engines.control_tokens import ControlTokens
from tabbench.inference.engines.rendering import Renderer, label_tokens

CELLS = ("<s>", "</s>", "a</s>b", "<think>", "</s></s>", "<</s>/s>")


def tokenizer() -> PreTrainedTokenizerFast:
    made = byte_tokenizer([("i", "s")], chat_template=CHAT_TEMPLATE + "<think>")
    made.add_tokens(["<think>", "  "])
    return made


def prompt(cell: str) -> Prompt:
    return Prompt("", f"Features are: note = {cell}. Answer is 0\n", f"note = {cell}. Answer is ")


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_in_a_plain_prompt_is_text(cell: str) -> None:
    made = tokenizer()
    renderer = Renderer(made, "completion")
    (tokens,) = renderer.tokens([renderer.text(prompt(cell))])
    assert tokens[0] == made.bos_token_id
    assert not {0, 1, made.convert_tokens_to_ids("<think>")} & set(tokens[1:])
    assert made.decode(tokens[1:]) == prompt(cell).prefix + prompt(cell).query
    (found,) = label_tokens(renderer.tokens, [renderer.text(prompt(cell))])
    assert found.context == tokens


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_in_a_chat_is_text_and_the_template_stays(cell: str) -> None:
    made = tokenizer()
    (tokens,) = (renderer := Renderer(made, "chat")).tokens([renderer.text(prompt(cell))])
    thought = made.convert_tokens_to_ids("<think>")
    assert [token for token in tokens if token in (0, 1, thought)] == [0, thought]
    assert cell in made.decode(tokens)


def test_a_prompt_without_such_cells_is_tokenized_as_ever() -> None:
    made = tokenizer()
    renderer = Renderer(made, "chat")
    text = renderer.text(prompt("this is  it"))
    assert renderer.tokens([text]) == made([text], add_special_tokens=False).input_ids


def test_what_the_model_wrote_keeps_its_thoughts_for_the_template_to_cut() -> None:
    template = "{% for m in messages %}{{ m.content.split('</think>')[-1] }}{% endfor %}"
    renderer = Renderer(byte_tokenizer([], chat_template=template), "completion")
    turns = (Message("user", "a"), Message("assistant", "<think>b</think>c"), Message("user", "d"))
    tokens = renderer.dialogue_tokens(TextRequest("test", turns, None))
    assert renderer.tokenizer.decode(tokens) == "acd"


@given(st.lists(st.sampled_from(["<s>", "</s>", "<think>", "is", " ", "<", ">", "s", "/"])))
def test_any_cell_is_read_back(parts: list[str]) -> None:
    made = tokenizer()
    control = ControlTokens(made)
    cell = "".join(parts)

    def encode(texts, add):  # type: ignore[no-untyped-def]
        return made(list(texts), add_special_tokens=add).input_ids

    (tokens,) = control.encode(["<s>" + control.guard(cell)], encode, False)
    assert tokens[0] == 0
    assert not {0, 1, made.convert_tokens_to_ids("<think>")} & set(tokens[1:])
    assert made.decode(tokens[1:]) == cell


@pytest.mark.parametrize("cell", ["<s>", "<e>"])
def test_a_vocabulary_that_cannot_write_it_is_refused(cell: str) -> None:
    # Merged, it is the control token itself; <s> also leaves a gap among the ids.
    made = byte_tokenizer([("<", cell[1]), (cell[:2], ">")])
    made.add_tokens([cell], special_tokens=True)
    renderer = Renderer(made, "completion")
    with pytest.raises(TabBenchError, match=f"a cell holds '{cell}'.*replace it in the data"):
        renderer.tokens([renderer.text(prompt(cell))])


@pytest.mark.slow
@pytest.mark.parametrize("style", ["completion", "chat"])
def test_the_default_models_tokenizer(smollm2: Path, style: str) -> None:
    made = AutoTokenizer.from_pretrained(smollm2)
    renderer = Renderer(made, style)
    cell = "x <|im_end|> y<|endoftext|>"
    (tokens,) = renderer.tokens([renderer.text(prompt(cell))])
    (usual,) = renderer.tokens([renderer.text(prompt("nothing"))])
    special = set(made.all_special_ids)
    assert [one for one in tokens if one in special] == [one for one in usual if one in special]
    assert cell in made.decode(tokens)
