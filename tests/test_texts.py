"""Free texts: asked once, logged as they arrive, replayed from a folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.config.model_entry import parse_model
from tabbench.core.errors import TabBenchError
from tabbench.core.transcripts import Turn, write_turn
from tabbench.inference.engines.base import Decoding, Description, Message, Text, TextRequest
from tabbench.inference.engines.replay import ReplayEngine
from tabbench.inference.models import identity
from tabbench.inference.responses import Identity, text_key
from tabbench.inference.texts import AskTexts, text_asker

IDENTITY = Identity("m", "w", "e/1", "chat", "float32", "{}", True, 8, ())
GREEDY = Decoding(16)


def request(user: str, **other: object) -> TextRequest:
    given = TextRequest("a/b", (Message("user", user),), GREEDY)
    return replace(given, **other)  # type: ignore[arg-type]


class Echo:
    """Answers with what it is asked, two requests at a time; fails at "boom"."""

    description = Description("echo", "chat", "none", "none")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def write(self, requests: Sequence[TextRequest]):
        for start in range(0, len(requests), 2):
            texts = {}
            for index in range(start, min(start + 2, len(requests))):
                user = requests[index].messages[-1].content
                if user == "boom":
                    raise TabBenchError("a fault")
                self.asked.append(user)
                texts[index] = Text(user.upper(), 1, 1, 0.5, True)
            yield texts


def asker(path: Path, engine: Echo) -> AskTexts:
    return text_asker(IDENTITY, path, lambda: engine)


def test_each_text_is_asked_once(tmp_path: Path) -> None:
    engine = Echo()
    ask = asker(tmp_path / "log.jsonl", engine)
    texts = ask([request(user) for user in ("b", "a", "b", "ü\n", "a")])
    assert [text.text for text in texts] == ["B", "A", "B", "Ü\n", "A"]
    assert sorted(engine.asked) == ["a", "b", "ü\n"]
    ask([request("a"), request("c")])
    assert sorted(engine.asked) == ["a", "b", "c", "ü\n"]


def test_a_complete_log_loads_no_model(tmp_path: Path) -> None:
    asker(tmp_path / "log.jsonl", Echo())([request("a")])

    def load() -> Echo:
        raise AssertionError("loaded")

    (text,) = text_asker(IDENTITY, tmp_path / "log.jsonl", load)([request("a")])
    assert text == Text("A", 1, 1, 0.5, True)


def test_what_came_before_a_fault_is_kept(tmp_path: Path) -> None:
    engine = Echo()
    users = ["a", "b", "c", "boom"]
    with pytest.raises(TabBenchError, match="a fault"):
        asker(tmp_path / "log.jsonl", engine)([request(user) for user in users])
    engine.asked.clear()
    asker(tmp_path / "log.jsonl", engine)([request(user) for user in users[:3]])
    assert engine.asked == ["c"]


def test_the_key_holds_what_changes_the_text() -> None:
    first = text_key(IDENTITY, request("a"))
    same = [request("a", name="other"), request("a", seed=7)]  # greedy: no seed
    assert {text_key(IDENTITY, one) for one in same} == {first}
    assert text_key(replace(IDENTITY, max_new_tokens=99), request("a")) == first
    sampled = Decoding(16, temperature=0.1)
    others = [
        request("b"),
        request("a", plain=True),
        request("a", decoding=None),
        request("a", decoding=None, seed=1),
        request("a", decoding=sampled),
        request("a", decoding=sampled, seed=1),
        request("a", decoding=replace(GREEDY, stop=("x",))),
        request("a", messages=(Message("system", ""), Message("user", "a"))),
        request("a", messages=(Message("system", "a"),)),
    ]
    keys = {text_key(IDENTITY, one) for one in others} | {first}
    keys.add(text_key(replace(IDENTITY, weights="other"), request("a")))
    assert len(keys) == len(others) + 2


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_different_dialogues_have_different_keys(first: list[str], second: list[str]) -> None:
    def key(contents: list[str]) -> str:
        turns = tuple(Message("user", content) for content in contents)
        return text_key(IDENTITY, TextRequest("n", turns, GREEDY))

    assert (key(first) == key(second)) == (first == second)


def test_recorded_texts_are_found_by_name(tmp_path: Path) -> None:
    turn = Turn("Yes.\n", "nobody", "2026-11-30", {})
    write_turn(tmp_path / "a/b.md", turn)
    engine = ReplayEngine("recorded", tmp_path)
    assert list(engine.write([request("what?")])) == [{0: Text("Yes.\n", 0, 0, 0.0, True)}]
    with pytest.raises(TabBenchError, match=r"a/missing\.md: no recorded text.*'recorded'"):
        list(engine.write([request("what?", name="a/missing")]))
    with pytest.raises(TabBenchError, match=r"a/b2/c\.md: no recorded text"):
        list(engine.write([request("what?", name="a/b2/c")]))
    with pytest.raises(TabBenchError, match="classifies no rows"):
        engine.batches([])


def test_the_text_of_the_nearest_folder_answers_what_has_none(tmp_path: Path) -> None:
    for name in ("a", "a/b", "a/b/c/d"):
        write_turn(tmp_path / f"{name}.md", Turn(name, "nobody", "2026-11-30", {}))
    engine = ReplayEngine("recorded", tmp_path)
    names = ("a", "a/x/y", "a/b", "a/b/c", "a/b/c/e", "a/b/c/d", "a/b/c/d/e")
    (texts,) = zip(
        *(one.values() for one in engine.write([request("?", name=n) for n in names])), strict=True
    )
    assert [text.text for text in texts] == ["a", "a", "a/b", "a/b", "a/b", "a/b/c/d", "a/b/c/d"]


def test_an_edited_transcript_is_another_model(tmp_path: Path) -> None:
    entry = {
        "engine": "replay",
        "weights": {"folder": str(tmp_path)},
        "style": "chat",
        "dtype": "float32",
    }
    write_turn(tmp_path / "a/b.md", Turn("Yes.", "nobody", "2026-11-30", {}))
    before = identity(parse_model("recorded", entry))
    assert identity(parse_model("recorded", entry)) == before
    write_turn(tmp_path / "a/b.md", Turn("No.", "nobody", "2026-11-30", {}))
    assert identity(parse_model("recorded", entry)) != before
    with pytest.raises(TabBenchError, match="no such folder"):
        identity(parse_model("recorded", entry | {"weights": {"folder": str(tmp_path / "x")}}))
