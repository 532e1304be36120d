"""The three-turn dialogue that makes an LLM-synthetic dataset (sections A-D and C-D)."""

import datetime
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabbench.core.errors import TabBenchError
from tabbench.core.transcripts import Turn, read_turn, write_turn
from tabbench.sandbox.model_code import UnusableAnswerError

SYSTEM = "You are a statistical expert who uses only clearly measurable data."
SCHEMA = (
    "Generate a prototype dataset from the {domain} domain. Use any number of features, the "
    "classification task should be to {task}."
)
FUNCTION = (
    "Generate python functions to create a dataset with the same features following the given "
    "prototype."
)
RULES = (
    "Generate python functions with 3 decision rules for determining a target label based on the "
    "features of this {domain} dataset."
)
TURNS = 3

Messages = list[dict[str, str]]
Chat = Callable[[Messages, int], str]


@dataclass(frozen=True)
class Topic:
    """Values for the templates.

    Attributes
    ----------
    domain : of the real dataset, such as ``healthcare``
    task : what to predict, such as ``predict whether the patient has diabetes``
    """

    domain: str
    task: str


def messages(topic: Topic, answers: Sequence[str]) -> Messages:
    """Return the messages of the next turn, the turns before it included.

    As in the paper, the answer before is appended to the user's message word for word.
    """
    users = [SCHEMA.format(domain=topic.domain, task=topic.task)]
    templates = (FUNCTION, RULES.format(domain=topic.domain))
    users += [f"{text}\n{answer}" for text, answer in zip(templates, answers, strict=False)]
    dialogue = [{"role": "system", "content": SYSTEM}]
    for user, answer in zip(users, answers, strict=False):
        dialogue += [{"role": "user", "content": user}, {"role": "assistant", "content": answer}]
    return [*dialogue, {"role": "user", "content": users[len(answers)]}]


def read_answers(paths: Iterable[str | Path]) -> list[str]:
    return [read_turn(Path(path)).answer for path in paths]


def turn_path(folder: Path, number: int) -> Path:
    return folder / f"turn{number}.md"


def hold(
    topic: Topic, chat: Chat, seed: int, folder: Path, model: str, parameters: Mapping[str, Any]
) -> list[str]:
    """Request the three turns; each answered turn is a file and is not requested again.

    Parameters
    ----------
    chat : from messages and a seed to an answer
    folder : where the turns of this seed are
    parameters : everything about the model that can change an answer
    """
    answers: list[str] = []
    for number in range(1, TURNS + 1):
        path = turn_path(folder, number)
        asked = messages(topic, answers)
        digest = hashlib.sha256(json.dumps([asked, dict(parameters)]).encode()).hexdigest()[:12]
        known = {**parameters, "seed": seed, "asked": digest}
        turn = read_turn(path) if path.exists() else None
        if turn is None or turn.parameters != known:
            today = datetime.date.today().isoformat()
            turn = Turn(chat(asked, seed), model, today, known)
            write_turn(path, turn)
        answers.append(turn.answer)
    return answers


def hold_until_usable(
    topic: Topic,
    chat: Chat,
    attempts: int,
    folder: Path,
    check: Callable[[Sequence[str]], object],
    model: str,
    parameters: Mapping[str, Any],
) -> Path:
    """Hold dialogues, seed after seed, until one makes a table.

    Parameters
    ----------
    attempts : most dialogues; their seeds are 0, 1, ...
    folder : each dialogue gets a folder ``seed<n>`` in it
    chat : raises UnusableAnswerError when there will be no answer, as the endpoint refuses
    check : raises UnusableAnswerError when the answers make no table

    Returns
    -------
    Path
        Folder of the dialogue that does.

    Raises
    ------
    TabBenchError
        When none makes a table; the message says why, and where the transcripts are.
    """
    faults = []
    for seed in range(attempts):
        place = folder / f"seed{seed}"
        try:
            check(hold(topic, chat, seed, place, model, parameters))
        except UnusableAnswerError as error:
            faults.append(f"{place}: {error}")
            continue
        return place
    listed = "\n  ".join(faults)
    raise TabBenchError(
        f"no usable dialogue of {model} in {attempts} attempt(s):\n  {listed}\nRead the "
        f"transcripts; raise llm_synthetic.attempts, name another model, or put a dialogue of your "
        f"own under resources/dialogues/"
    )
