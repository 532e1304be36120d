"""From prompts to text and tokens, and the tokens of labels."""

from dataclasses import asdict

import pytest
from fixtures_model import CHAT_TEMPLATE, byte_tokenizer
from tokenizers import processors
from transformers import PreTrainedTokenizerFast

from tabbench.core.errors import TabBenchError
from tabbench.core.thinking import leaves_thinking_on
from tabbench.inference.engines.base import Message, Prompt, TextRequest
from tabbench.inference.engines.messages import chat_messages, completion_text, template_hash
from tabbench.inference.engines.rendering import Renderer, label_tokens

PROMPT = Prompt("Be brief.", "a = 1. Answer is 0\n", "a = 2. Answer is ")


def test_completion_keeps_the_cue_and_its_space() -> None:
    assert completion_text(PROMPT) == "Be brief.\n\na = 1. Answer is 0\na = 2. Answer is "
    assert completion_text(Prompt("", "p", "q ")) == "pq "


def test_completion_takes_braces_as_they_are() -> None:
    assert completion_text(Prompt("{system}", "{0}", "{}")) == "{system}\n\n{0}{}"


def test_chat_messages() -> None:
    user = "a = 1. Answer is 0\na = 2. Answer is"
    assert chat_messages(PROMPT) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": user},
    ]
    folded = chat_messages(PROMPT, system_role=False)
    assert folded == [{"role": "user", "content": f"Be brief.\n\n{user}"}]


@pytest.mark.parametrize("style", ["completion", "chat"])
def test_exactly_one_bos(style: str) -> None:
    tokenizer = byte_tokenizer([], chat_template=CHAT_TEMPLATE)
    renderer = Renderer(tokenizer, style)
    (tokens,) = renderer.tokens([renderer.text(PROMPT)])
    assert tokens.count(tokenizer.bos_token_id) == 1
    assert tokens[0] == tokenizer.bos_token_id


def test_chat_uses_the_models_template_and_its_arguments() -> None:
    template = CHAT_TEMPLATE + "{% if not enable_thinking %}<think></think>{% endif %}"
    tokenizer = byte_tokenizer([], chat_template=template)
    text = Renderer(tokenizer, "chat", {"enable_thinking": False}).text(PROMPT)
    assert text == (
        "<s>[system]Be brief.\n[user]a = 1. Answer is 0\na = 2. Answer is\n"
        "[assistant]<think></think>"
    )


def test_chat_needs_a_template() -> None:
    with pytest.raises(TabBenchError, match="style: completion"):
        Renderer(byte_tokenizer([]), "chat")


@pytest.mark.parametrize(
    ("text", "template", "arguments", "on"),
    [
        ("[assistant]", "plain", {}, False),
        ("[assistant]<think>\n", "plain", {}, True),
        ("[assistant]<think>\n</think>\n", "plain", {}, False),
        ("[assistant][THINK]", "plain", {}, True),
        ("a cell with <think> in it [assistant]", "plain", {}, False),
        ("[assistant]", "<|start|>assistant<|channel|>analysis", {}, True),
        ("[assistant]", "{{ thinking_budget }}", {}, True),
        ("[assistant]", "{{ thinking_budget }}", {"thinking_budget": 0}, False),
        ("[assistant]", "{% if enable_thinking %}", {}, True),
        ("[assistant]", "{% if enable_thinking %}", {"enable_thinking": True}, True),
        ("[assistant]", "{% if enable_thinking %}", {"enable_thinking": False}, False),
    ],
)
def test_thinking_is_noticed(
    text: str, template: str, arguments: dict[str, object], on: bool
) -> None:
    assert leaves_thinking_on(text, template, arguments) is on


def test_forward_scoring_refuses_thinking() -> None:
    tokenizer = byte_tokenizer([], chat_template=CHAT_TEMPLATE + "<think>")
    renderer = Renderer(tokenizer, "chat")
    with pytest.raises(TabBenchError, match="thinking off"):
        renderer.refuse_thinking(renderer.text(PROMPT))
    Renderer(tokenizer, "completion").refuse_thinking("<think>")


def pieces(tokenizer, tokens: list[int]) -> str:  # type: ignore[no-untyped-def]
    return "|".join(tokenizer.convert_ids_to_tokens(tokens))


def derive(merges: list[tuple[str, str]], text: str, labels: tuple[str, str]) -> tuple[str, ...]:
    """Context and labels as readable tokens."""
    tokenizer = byte_tokenizer(merges)
    (found,) = label_tokens(Renderer(tokenizer, "completion").tokens, [text], labels)
    return tuple(pieces(tokenizer, tokens) for tokens in (found.context, *found.labels))


def test_labels_of_one_token() -> None:
    assert derive([], "is ", ("0", "1")) == ("<s>|i|s|Ġ", "0", "1")


def test_a_label_that_takes_the_space_leaves_it_out_of_the_context() -> None:
    merges = [("Ġ", "0"), ("Ġ", "1")]
    assert derive(merges, "is ", ("0", "1")) == ("<s>|i|s", "Ġ0", "Ġ1")


def test_a_label_that_merges_alone_makes_the_other_longer() -> None:
    assert derive([("Ġ", "0")], "is ", ("0", "1")) == ("<s>|i|s", "Ġ0", "Ġ|1")


def test_labels_of_several_tokens() -> None:
    assert derive([], "is ", ("no", "yes")) == ("<s>|i|s|Ġ", "n|o", "y|e|s")


def test_a_label_that_begins_another_is_refused() -> None:
    with pytest.raises(TabBenchError, match="be distinguished"):
        derive([], "is ", ("1", "10"))


def test_template_hash() -> None:
    chat = Renderer(byte_tokenizer([], chat_template=CHAT_TEMPLATE), "chat")
    assert chat.template == template_hash(CHAT_TEMPLATE)
    assert len(chat.template) == 12
    assert chat.template != Renderer(byte_tokenizer([]), "completion").template


def test_dialogues_fold_the_system_text_too() -> None:
    tokenizer = byte_tokenizer([], chat_template=CHAT_TEMPLATE)
    renderer = Renderer(tokenizer, "completion", system_role=False)
    turns = (Message("system", "S"), Message("user", "U"), Message("assistant", "A"))
    text = renderer.dialogue([asdict(turn) for turn in turns])
    assert text == "<s>[user]S\n\nU\n[assistant]A\n[assistant]"
    tokens = renderer.dialogue_tokens(TextRequest("test", turns, None))
    assert tokens.count(tokenizer.bos_token_id) == 1


def test_what_the_tokenizer_appends_is_taken_off_again() -> None:
    tokenizer = byte_tokenizer([])
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    ends = tokenizer("is ").input_ids
    assert ends[-1] == tokenizer.eos_token_id
    renderer = Renderer(tokenizer, "completion")
    assert renderer.tokens(["is "]) == [ends[:-1]]
    (found,) = label_tokens(renderer.tokens, ["is "])
    assert [pieces(tokenizer, label) for label in found.labels] == ["0", "1"]
    assert found.context == ends[:-1]
    request = TextRequest("test", (Message("user", "is "),), None, plain=True)
    assert renderer.dialogue_tokens(request) == ends[:-1]


def test_a_tokenizer_that_changes_the_text_itself_is_refused() -> None:
    class Changing(PreTrainedTokenizerFast):
        def __call__(self, text, add_special_tokens=True, **_):  # type: ignore[no-untyped-def]
            return {"input_ids": [[0, 9, 1] if add_special_tokens else [8] for _ in text]}

    tokenizer = Changing(tokenizer_object=byte_tokenizer([]).backend_tokenizer)
    with pytest.raises(TabBenchError, match=r"changes a text.*\[0, 9, 1\] instead of \[8\]"):
        Renderer(tokenizer, "completion")


RAISING = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
)
IGNORING = "{% for m in messages if m.role != 'system' %}{{ m.content }}{% endfor %}[assistant]"


@pytest.mark.parametrize(
    ("template", "message"),
    [(RAISING, "System role not supported"), (IGNORING, "leaves the system message out")],
)
def test_a_template_without_a_system_role_is_found_when_it_is_loaded(
    template: str, message: str
) -> None:
    tokenizer = byte_tokenizer([], chat_template=template)
    with pytest.raises(TabBenchError, match=f"{message}.*'system_role: false'"):
        Renderer(tokenizer, "chat")
    text = Renderer(tokenizer, "chat", system_role=False).text(PROMPT)
    assert text.endswith("Be brief.\n\na = 1. Answer is 0\na = 2. Answer is[assistant]")


def test_a_template_that_refuses_everything_is_named() -> None:
    tokenizer = byte_tokenizer([], chat_template="{{ raise_exception('no') }}")
    with pytest.raises(TabBenchError, match="the chat template refuses the messages \\(no\\)"):
        Renderer(tokenizer, "chat", system_role=False)


def test_of_several_templates_the_default_or_the_named_one_counts() -> None:
    several = {"default": CHAT_TEMPLATE, "rag": CHAT_TEMPLATE + "[documents]"}
    tokenizer = byte_tokenizer([], chat_template=several)
    assert Renderer(tokenizer, "chat").template == template_hash(CHAT_TEMPLATE)
    named = Renderer(tokenizer, "chat", {"chat_template": "rag"})
    assert named.template == template_hash(several["rag"])
    assert named.text(PROMPT).endswith("[assistant][documents]")
    tokenizer.chat_template = {"rag": CHAT_TEMPLATE, "tool_use": CHAT_TEMPLATE}
    with pytest.raises(TabBenchError, match=r"rag, tool_use, and none is called 'default'.*rag}"):
        Renderer(tokenizer, "chat")
