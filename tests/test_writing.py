"""Free texts of the transformers engine: packed or alone, the same words."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tabbench.inference.engines.base import TOO_LONG, Decoding, Message, Text, TextRequest
from tabbench.inference.engines.transformers import TransformersEngine


def asking(user: str, decoding: Decoding | None, seed: int = 0, plain: bool = False) -> TextRequest:
    turns = (Message("system", "Be brief."), Message("user", user))
    return TextRequest("test/" + user[:5], turns, decoding, seed, plain)


def written(engine: TransformersEngine, requests: Sequence[TextRequest]) -> list[Text]:
    found = {index: text for texts in engine.write(requests) for index, text in texts.items()}
    return [found[index] for index in range(len(requests))]


def test_dialogues_depend_on_the_seed_alone(tiny_model: Path) -> None:
    engine = TransformersEngine(tiny_model, style="completion", context_length=80)
    once, again, other = written(
        engine, [asking("Make a table.", None, seed) for seed in (1, 1, 2)]
    )
    assert once.text == again.text != other.text
    assert once.prompt_tokens + once.completion_tokens <= 80


def test_a_sampled_text_ends_with_the_context(tiny_model: Path) -> None:
    engine = TransformersEngine(tiny_model, style="completion", context_length=60)
    texts = written(engine, [asking("Make a table.", None, seed) for seed in range(5)])
    assert all(text.prompt_tokens + text.completion_tokens <= 60 for text in texts)
    cut = [text for text in texts if text.prompt_tokens + text.completion_tokens == 60]
    assert cut
    assert not any(text.ended for text in cut)


@pytest.mark.parametrize("plain", [True, False])
def test_texts_in_packs_are_those_of_one_greedy_run_each(tiny_model: Path, plain: bool) -> None:
    engine = TransformersEngine(tiny_model, style="completion", pack_tokens=64)
    users = [f"Row {number}: {'x' * (3 * number)}" for number in range(7)]
    texts = written(engine, [asking(user, Decoding(9), plain=plain) for user in users])
    # A penalty of one part in a million changes no choice here and takes the other road.
    alone = Decoding(9, repetition_penalty=1.000001)
    plainly = written(engine, [asking(user, alone, plain=plain) for user in users])
    for packed, single in zip(texts, plainly, strict=True):
        assert replace(packed, seconds=0) == replace(single, seconds=0)
    assert {text.ended for text in texts} == {text.completion_tokens < 9 for text in texts}


def test_a_text_ends_before_its_stop_string(tiny_model: Path) -> None:
    engine = TransformersEngine(tiny_model, style="completion")
    (whole,) = written(engine, [asking("Go on.", Decoding(12))])
    stop = whole.text[4:6]
    for decoding in (Decoding(12, stop=(stop,)), Decoding(12, 0, 1, 1.000001, (stop,))):
        (text,) = written(engine, [asking("Go on.", decoding)])
        assert (text.text, text.ended) == (whole.text[: whole.text.index(stop)], True)


def test_a_dialogue_longer_than_the_context_is_named(tiny_model: Path) -> None:
    engine = TransformersEngine(tiny_model, style="completion", context_length=80)
    short = [asking("Go on.", Decoding(4)), asking("Stop.", Decoding(4))]
    long = [asking("Tell " + "me more " * 20, decoding) for decoding in (Decoding(4), None)]
    first, failed, own, last = written(engine, [short[0], *long, short[1]])
    for failure in (failed, own):
        assert failure.kind == TOO_LONG
        assert "the context of the model 80" in failure.message
    alone = written(engine, short)
    assert [replace(one, seconds=0) for one in (first, last)] == [
        replace(one, seconds=0) for one in alone
    ]
