"""The dialogue: literal templates, chained answers, transcripts on disk, new seeds on failure."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.config.dataset_entry import TaskText
from tabbench.config.validation import load_yaml
from tabbench.core.errors import TabBenchError
from tabbench.core.transcripts import Turn, read_turn, write_turn
from tabbench.inference import models
from tabbench.inference.engines.base import Text
from tabbench.prompts.prompts import instruction
from tabbench.sandbox.model_code import UnusableAnswerError
from tabbench.synthetic.dialogue import (
    Messages,
    Topic,
    hold,
    hold_until_usable,
    messages,
    read_answers,
)

ROOT = Path(__file__).parents[1]

TOPIC = Topic("healthcare", "predict whether a patient has diabetes")
PARAMETERS = {"engine": "fake/1", "stop": []}


def test_the_templates_are_the_papers() -> None:
    last = messages(TOPIC, ["A1", "A2"])
    assert [message["role"] for message in last] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert [message["content"] for message in last] == [
        "You are a statistical expert who uses only clearly measurable data.",
        "Generate a prototype dataset from the healthcare domain. Use any number of features, the "
        "classification task should be to predict whether a patient has diabetes.",
        "A1",
        "Generate python functions to create a dataset with the same features following the given "
        "prototype.\nA1",
        "A2",
        "Generate python functions with 3 decision rules for determining a target label based on "
        "the features of this healthcare dataset.\nA2",
    ]
    assert messages(TOPIC, ["A1"]) == last[:4]
    assert messages(TOPIC, []) == last[:2]


@given(
    answer=st.text(st.characters(exclude_categories=["Cs"])),
    note=st.text(st.characters(categories=["L", "P", "Zs"])),
)
def test_a_turn_survives_its_file(tmp_path_factory, answer: str, note: str) -> None:
    path = tmp_path_factory.mktemp("turn") / "turn1.md"
    turn = Turn(answer, "model: x", "2026-11-29", {"seed": 1, **PARAMETERS}, note)
    write_turn(path, turn)
    assert read_turn(path) == turn


@pytest.mark.parametrize("text", ["", "An answer.", "---\nmodel: x\n", "---\n- a\n---\nb"])
def test_a_file_that_is_no_turn_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "turn1.md").write_text(text)
    with pytest.raises(TabBenchError, match=r"turn1\.md: not a turn"):
        read_turn(tmp_path / "turn1.md")


class FakeChat:
    """Answers that say which turn of which seed they are, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def __call__(self, asked: Messages, seed: int) -> str:
        turn = len(asked) // 2
        self.asked.append((seed, turn))
        return f"answer {turn} of seed {seed}"


def usable_from(seed: int):
    def check(answers) -> None:
        if int(answers[0].split()[-1]) < seed:
            raise UnusableAnswerError("no table")

    return check


def test_a_dialogue_that_makes_no_table_is_held_anew_with_the_next_seed(tmp_path: Path) -> None:
    chat = FakeChat()
    place = hold_until_usable(TOPIC, chat, 5, tmp_path, usable_from(2), "fake", PARAMETERS)
    assert place == tmp_path / "seed2"
    assert chat.asked == [(seed, turn) for seed in range(3) for turn in (1, 2, 3)]
    answers = read_answers(place / f"turn{number}.md" for number in (1, 2, 3))
    assert answers == [f"answer {number} of seed 2" for number in (1, 2, 3)]
    turn = read_turn(place / "turn1.md")
    assert (turn.model, turn.parameters["seed"], turn.parameters["engine"]) == ("fake", 2, "fake/1")

    again = FakeChat()
    hold_until_usable(TOPIC, again, 5, tmp_path, usable_from(3), "fake", PARAMETERS)
    assert {seed for seed, _ in again.asked} == {3}  # the first three are on disk


def test_attempts_are_bounded_and_the_error_names_the_transcripts(tmp_path: Path) -> None:
    chat = FakeChat()
    with pytest.raises(
        TabBenchError, match=rf"(?s)in 2 attempt.*{tmp_path}/seed1: no table"
    ) as raised:
        hold_until_usable(TOPIC, chat, 2, tmp_path, usable_from(9), "fake", PARAMETERS)
    assert not isinstance(raised.value, UnusableAnswerError)
    assert len(chat.asked) == 6


def test_a_fault_of_the_sandbox_is_not_the_models(tmp_path: Path) -> None:
    def check(_) -> None:
        raise TabBenchError("no bubblewrap")

    chat = FakeChat()
    with pytest.raises(TabBenchError, match="no bubblewrap"):
        hold_until_usable(TOPIC, chat, 5, tmp_path, check, "fake", PARAMETERS)
    assert len(chat.asked) == 3


def test_only_what_an_edit_touches_is_asked_again(tmp_path: Path) -> None:
    hold(TOPIC, FakeChat(), 0, tmp_path, "fake", PARAMETERS)
    second = read_turn(tmp_path / "turn2.md")
    write_turn(tmp_path / "turn2.md", Turn("edited", second.model, second.date, second.parameters))
    chat = FakeChat()
    assert hold(TOPIC, chat, 0, tmp_path, "fake", PARAMETERS)[1] == "edited"
    assert chat.asked == [(0, 3)]
    chat = FakeChat()
    hold(TOPIC, chat, 0, tmp_path, "fake", {**PARAMETERS, "engine": "fake/2"})
    assert chat.asked == [(0, 1), (0, 2), (0, 3)]


def test_rules_alone_say_nothing_of_the_task() -> None:
    text = instruction("rules", None, "1. Age > 50")
    assert text.startswith(instruction("context_free", None, None))
    assert text.endswith("\n\n1. Age > 50")
    with pytest.raises(TabBenchError, match="'rules' needs decision rules"):
        instruction("rules", None, None)


def test_the_knowledge_prompt_is_prompt_1_and_the_rules() -> None:
    task = TaskText("a patient", "whether T", "no", "yes")
    rules = "Rule 1: If Age > 50, then y = 1."
    text = instruction("knowledge", task, rules)
    assert text == (
        f"{instruction('contextual', task, None)} Here are the decision rules by which the classes "
        f"were generated:\n\n{rules}"
    )
    with pytest.raises(TabBenchError, match="needs decision rules"):
        instruction("knowledge", task, None)
    with pytest.raises(TabBenchError, match="needs a task text"):
        instruction("knowledge", None, rules)


class Files(list):
    """Named files of a job, as Snakemake gives them to a script."""

    def __init__(self, files=(), **named):
        super().__init__(files)
        self.__dict__.update(named)


def test_the_rule_asks_an_engine_until_the_table_is_there(tmp_path, monkeypatch) -> None:
    """The whole job with an engine that answers nonsense first, then as in this repository."""
    folder = ROOT / "resources/dialogues/repository/diabetes"
    good = read_answers(folder / f"turn{number}.md" for number in (1, 2, 3))

    class Engine:
        def write(self, requests):
            (request,) = requests
            answer = good[len(request.messages) // 2 - 1]
            text = "I cannot help with that." if request.seed == 0 else answer
            yield {0: Text(text, 1, 1, 0.0, True)}

    loaded = []
    monkeypatch.setattr(models, "load_engine", lambda *given: loaded.append(given) or Engine())
    monkeypatch.chdir(tmp_path)
    Path("model").mkdir()
    entry = {
        key: value
        for key, value in load_yaml(ROOT / "resources/models/smollm2_135m.yaml").items()
        if key not in ("title", "licence", "homepage", "notes")
    }
    Path("model/entry.json").write_text(json.dumps(entry))
    task = load_yaml(ROOT / "resources/datasets/diabetes.yaml")["task"]
    settings = {
        "topic": ["healthcare", "predict whether a patient has diabetes"],
        "task": task,
        "rows": 200,
        "attempts": 2,
        "sandbox": "process",
    }
    outputs = [f"out/turn{number}.md" for number in (1, 2, 3)]
    snakemake = SimpleNamespace(
        input=Files(published=[], model="model/entry.json", weights=["model/weights"]),
        output=Files(outputs),
        params=SimpleNamespace(benchmark="benchmark.tsv", settings=settings, serving={}),
        log=["log.txt"],
        resources=SimpleNamespace(gpu=0),
        threads=1,
    )
    script = str(ROOT / "workflow/scripts/dialogue.py")
    runpy.run_path(script, {"snakemake": snakemake})
    assert read_answers(outputs) == good
    assert read_turn(Path("out/seed0/turn3.md")).answer == "I cannot help with that."
    turn = read_turn(Path("out/turn2.md"))
    assert (turn.model, turn.parameters["seed"]) == ("model", 1)
    assert turn.parameters["weights"] == entry["weights"]["sha256"]
    assert len(loaded) == 1

    settings["attempts"] = 1
    with pytest.raises(SystemExit):
        runpy.run_path(script, {"snakemake": snakemake})
    assert "out/seed0: turn 2: no block of Python" in Path("log.txt").read_text()
    assert len(loaded) == 1, "all turns of seed 0 were on disk"
