"""The kinds of free texts, each as what its job asks: run with a `DryModel` in its model's place.

Arguments are plain values and paths, as a rule gives them to the job; ``plain`` says that prompts
are sent without the model's chat template.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tabbench.baselines.llm_written.ask import ask_dataset
from tabbench.config.dataset_entry import TaskText
from tabbench.core.frames import read_table, read_tables
from tabbench.core.schemas.shots import SHOTS
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.inference.engines.base import (
    OWN_TOKENS,
    Decoding,
    Message,
    Text,
    TextOutcome,
    TextRequest,
)
from tabbench.inference.texts import AskTexts
from tabbench.planning.dry_run import DryModel, unwritten
from tabbench.probes.completion import complete
from tabbench.probes.read import read_datasets
from tabbench.probes.recognition import request
from tabbench.probes.reconstruction import reconstruct
from tabbench.scitarc.frames import demonstrations_of, read_back
from tabbench.scitarc.judge import Item
from tabbench.scitarc.prompts import Condition
from tabbench.scitarc.responses import ask_conditions
from tabbench.scitarc.schemas.answers import SCITARC_ANSWERS
from tabbench.scitarc.schemas.demonstrations import SCITARC_DEMONSTRATIONS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.verdicts import judge_by_model, judge_named, score_answers
from tabbench.synthetic.dialogue import TURNS, Topic, messages, read_answers, turn_path


def recognition(ask: DryModel, plain: bool, datasets: Mapping[str, Any]) -> None:
    """The probe for column names."""
    ask([request(one, plain) for one in read_datasets(**datasets)])


def reconstruction(
    ask: DryModel, plain: bool, datasets: Mapping[str, Any], rows: int, cells: int
) -> None:
    """The probe for hidden cells; of all datasets where ``datasets`` name no recognition."""
    reconstruct(read_datasets(**datasets), ask, plain, rows, cells)


def completion(ask: DryModel, plain: bool, datasets: Mapping[str, Any], rows: int) -> None:
    """The probe for rows; of all datasets where ``datasets`` name no recognition."""
    complete(read_datasets(**datasets), ask, plain, rows)


def logic(
    ask: DryModel,
    plain: bool,
    dataset: str,
    table: str,
    split: str,
    shots: Sequence[str],
    task: Mapping[str, Any],
    methods: Sequence[str],
    zero_shot: Sequence[int],
    counts: Mapping[str, int],
) -> None:
    """FeatLLM and LLM trees of a dataset."""
    ask_dataset(
        dataset,
        read_table(table, TABLE),
        read_table(split, SPLIT),
        [read_table(path, SHOTS) for path in shots],
        TaskText(**task),
        methods,
        zero_shot,
        counts,
        ask,
        plain,
    )


def dialogue(ask: DryModel, topic: Sequence[str], attempts: int, folder: str) -> None:
    """Dialogues until one makes a table: all attempts, or those held where it is made.

    Their answers are kept as files.
    """
    made = turn_path(Path(folder), TURNS).exists()
    for seed in range(attempts):
        place = Path(folder) / f"seed{seed}"
        paths = [turn_path(place, number) for number in range(1, TURNS + 1)]
        there = [path for path in paths if path.exists()]
        answers = read_answers(there) + [unwritten(one, OWN_TOKENS) for one in range(TURNS)]
        for turn in range(len(there) if made else TURNS):
            asked = tuple(Message(**one) for one in messages(Topic(*topic), answers[:turn]))
            ask.note(TextRequest(str(place), asked, None, seed), turn < len(there))


def questions(
    ask: AskTexts,
    plain: bool,
    questions: str,
    demonstrations: str,
    conditions: Sequence[Sequence[Any]],
    decoding: Mapping[str, Any],
    prompts: Any,
    seeds: Sequence[int],
) -> pd.DataFrame:
    """SciTaRC's plans, answers and programs of a model; see `ask_conditions`."""
    frame = read_table(questions, SCITARC_QUESTIONS)
    return ask_conditions(
        read_back(frame[frame["asked"]]),
        demonstrations_of(read_table(demonstrations, SCITARC_DEMONSTRATIONS)),
        [Condition(*one) for one in conditions],
        ask,
        Decoding(**decoding),
        plain,
        prompts,
        seeds,
    )


def judge(
    ask: DryModel,
    plain: bool,
    given: str,
    answers: Sequence[str],
    expected: Sequence[Mapping[str, Any]],
    name: str,
    prompts: Any,
) -> None:
    """A judge of SciTaRC's answers; each verdict may be asked for once more.

    Parameters
    ----------
    given : file of the questions
    answers : files of all models' answers; empty where some are not there
    expected : arguments of `questions` for each model, for answers that are not there
    name : of the judge
    """
    asked = read_back(read_table(given, SCITARC_QUESTIONS))
    by_model = judge_by_model(ask, plain, prompts)
    if answers:
        read = read_tables(answers, SCITARC_ANSWERS)
        score_answers(read, asked, judge_named(name, by_model), name)
        return
    by_row = {one.row: one for one in asked}
    rows = [
        (row, one["decoding"]["max_new_tokens"])
        for one in expected
        for row in questions(_nobody, **one)["row"]
    ]
    by_model(
        [
            Item(by_row[row].question, by_row[row].answer or "", unwritten(number, most))
            for number, (row, most) in enumerate(rows)
        ]
    )


def _nobody(requests: Sequence[TextRequest]) -> list[TextOutcome]:
    return [Text("", 0, 0, 0.0, True) for _ in requests]


KINDS: Mapping[str, Callable[..., object]] = {
    "recognition": recognition,
    "reconstruction": reconstruction,
    "completion": completion,
    "rules and trees": logic,
    "dialogues": dialogue,
    "SciTaRC": questions,
    "SciTaRC's judge": judge,
}
"""By the name that the plan shows."""
