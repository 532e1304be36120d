"""Free texts in the plan: as many as are then asked, to the letter, or no fewer than that."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from test_llm_baselines import TASK, split, table
from workflow_copy import ROOT

from tabbench.config.model_entry import parse_model
from tabbench.core.frames import write_table
from tabbench.core.schemas.split import SPLIT
from tabbench.core.schemas.table import TABLE
from tabbench.inference.context import Context
from tabbench.inference.cost_estimate import EXACT, Line, Terms, priced
from tabbench.inference.engines.base import (
    OWN_TOKENS,
    Decoding,
    Description,
    Message,
    Text,
    TextRequest,
)
from tabbench.inference.job_resources import LIGHT
from tabbench.inference.responses import Identity, read_responses
from tabbench.inference.texts import text_asker
from tabbench.inference.token_counts import EstimatedTokens
from tabbench.planning.dry_run import SEAMS, DryModel, unwritten
from tabbench.planning.kinds import KINDS
from tabbench.planning.text_lines import in_one
from tabbench.reporting.tables.cost_estimate import plan_table
from tabbench.scitarc.dataset import read_questions
from tabbench.scitarc.demonstrations import read_demonstrations
from tabbench.scitarc.frames import demonstrations_frame, questions_frame
from tabbench.scitarc.schemas.demonstrations import SCITARC_DEMONSTRATIONS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.synthetic.dialogue import Topic, hold_until_usable

WHO = Identity("m", "w", "e/1", "chat", "float32", "{}", True, 8, ())
DESCRIPTION = Description("fake", "chat", "none", "none")
FOLDER = ROOT / "resources/scitarc"


class Letters:
    """A token a letter."""

    exact = True

    def count(self, prompts):
        raise NotImplementedError

    def count_text(self, request):
        return sum(len(message.content) for message in request.messages)


CONTEXT = Context(None, Letters(), 8, DESCRIPTION)


class Fake:
    """Writes as many letters as it may, of all that it is asked."""

    description = DESCRIPTION

    def __init__(self) -> None:
        self.read = self.written = 0

    def write(self, requests: Sequence[TextRequest]):
        for index, request in enumerate(requests):
            most = OWN_TOKENS if request.decoding is None else request.decoding.max_new_tokens
            text = f"{self.read} {request.seed} ".ljust(most, "y")[:most]
            self.read += CONTEXT.counter.count_text(request)
            self.written += most
            yield {index: Text(text, 1, 1, 0.0, True)}


def of_tables(folder: Path):
    write_table(table(), folder / "ships/table.parquet", TABLE)
    write_table(split(), folder / "ships/split.parquet", SPLIT)
    return {
        "tables": [str(folder / "ships/table.parquet")],
        "metadata": {"ships": {"title": "Ships", "others": ["y"], "renames": []}},
        "planted": True,
    }


def of_questions(folder: Path):
    asked = read_questions(FOLDER / "questions.json").questions
    chosen = frozenset(one.row for one in asked if one.answer and one.plan)
    few = frozenset(sorted(chosen)[:3])
    shown = {
        one: read_demonstrations(FOLDER / "demonstrations.json", asked, one)
        for one in ("language", "code")
    }
    paths = {name: str(folder / f"{name}.parquet") for name in ("questions", "demonstrations")}
    write_table(questions_frame(asked, few), Path(paths["questions"]), SCITARC_QUESTIONS)
    write_table(demonstrations_frame(shown), Path(paths["demonstrations"]), SCITARC_DEMONSTRATIONS)
    return {
        **paths,
        "conditions": [["none", "language", 0], ["self", "language", 0], ["self", "code", 0]],
        "decoding": vars(Decoding(20, temperature=0.1)) | {"stop": ()},
        "plain": True,
        "prompts": "paper",
        "seeds": [0, 1],
    }


def given(kind: str, folder: Path):
    if kind == "SciTaRC":
        return of_questions(folder)
    if kind == "SciTaRC's judge":
        expected = of_questions(folder)
        return {
            "given": expected["questions"],
            "answers": [],
            "expected": [expected],
            "name": "j",
            "prompts": "paper",
            "plain": False,
        }
    datasets = {"datasets": of_tables(folder)}
    sizes = {"rows": 6, "cells": 5}
    return {
        "recognition": datasets,
        "reconstruction": datasets | sizes,
        "completion": datasets | {"rows": 4},
        "rules and trees": {
            "dataset": "ships",
            "table": str(folder / "ships/table.parquet"),
            "split": str(folder / "ships/split.parquet"),
            "shots": [],
            "task": vars(TASK),
            "methods": ["featllm", "llm_tree"],
            "zero_shot": [3, 4],
            "counts": {"members": 2, "trees": 3},
        },
    }[kind] | {"plain": True}


@pytest.mark.parametrize(
    "kind",
    ["recognition", "reconstruction", "completion", "rules and trees", "SciTaRC"],
)
def test_as_many_are_planned_as_are_asked(tmp_path, kind):
    (tmp_path / "ships").mkdir()
    arguments = given(kind, tmp_path)
    log = tmp_path / "log.jsonl"
    dry = DryModel(WHO, log)
    KINDS[kind](dry, **arguments)
    planned = dry.count(CONTEXT)
    engine = Fake()
    KINDS[kind](text_asker(WHO, log, lambda: engine), **arguments)
    assert planned.prompts == planned.open == len(read_responses(log)) > 0
    # Texts are here as long as they may be, and count so where they are part of a prompt: SciTaRC's
    # plans in twice as many prompts, FeatLLM's rules in one each.
    later = {"SciTaRC": 3 * 2 * 2, "rules and trees": 2 * 2}.get(kind, 0)
    assert planned.read == planned.open_read == engine.read + later * SEAMS
    assert planned.open_known <= engine.read
    assert planned.written == engine.written
    again = DryModel(WHO, log)
    KINDS[kind](again, **arguments)
    after = again.count(CONTEXT)
    assert (after.prompts, after.answered, after.open) == (planned.prompts, planned.prompts, 0)
    assert (after.read, after.open_read, after.written) == (engine.read, 0, 0)


def test_a_judge_is_asked_no_more_than_planned(tmp_path):
    arguments = given("SciTaRC's judge", tmp_path)
    dry = DryModel(WHO, tmp_path / "log.jsonl")
    KINDS["SciTaRC's judge"](dry, **arguments)
    planned = dry.count(CONTEXT)
    # Three questions under three conditions with two seeds, each verdict asked for twice at most.
    assert planned.prompts == 2 * 3 * 3 * 2
    assert planned.read > planned.open_known
    assert planned.read - planned.open_known == planned.prompts * (20 + SEAMS)
    assert planned.written == planned.prompts * 512


def test_dialogues_are_counted_by_their_files(tmp_path):
    topic = ["trade", "predict a sale"]

    def counted():
        dry = DryModel(WHO, None)
        KINDS["dialogues"](dry, topic=topic, attempts=3, folder=str(tmp_path))
        return dry.count(CONTEXT)

    before = counted()
    assert (before.prompts, before.answered, before.open) == (9, 0, 9)
    read = []

    def chat(messages, seed):
        asked = tuple(Message(**one) for one in messages)
        read.append(CONTEXT.counter.count_text(TextRequest("", asked, None, seed)))
        return f"{seed}".ljust(OWN_TOKENS, "y")

    hold_until_usable(Topic(*topic), chat, 3, tmp_path, lambda _: None, "m", {})
    after = counted()
    assert (after.prompts, after.answered, after.open) == (9, 3, 6)
    # A dialogue's answers are in six places of its later prompts.
    assert before.read == 3 * (sum(read) + 6 * SEAMS) == after.read + 6 * SEAMS
    for number in (1, 2, 3):
        (tmp_path / f"turn{number}.md").write_text("---\nmade\n")
    made = counted()
    assert (made.prompts, made.answered, made.open, made.written) == (3, 3, 0, 0)


def test_what_does_not_fit_is_not_asked():
    dry = DryModel(WHO, None)
    short, long = ("a" * 10, "b" * 30)
    dry(
        [
            TextRequest("x", (Message("user", text),), Decoding(5))
            for text in (short, long, short + unwritten(1, 15))
        ]
    )
    found = dry.count(Context(20, Letters(), 8, DESCRIPTION))
    # What is yet to be written may be short.
    assert (found.prompts, found.too_long, found.open, found.open_read) == (3, 1, 2, 35 + SEAMS)
    guessed = dry.count(Context(10, EstimatedTokens(), 8, DESCRIPTION))
    assert (guessed.too_long, guessed.open) == (1, 3)


def test_a_model_without_prices_leaves_the_others_theirs():
    entry = {
        **{"title": "x", "engine": "openai", "style": "chat", "dtype": "undisclosed"},
        **{"weights": {"served": "x"}, "server": "t", "endpoint": {"url": "http://x/v1"}},
    }
    prices = {"currency": "USD", "as_of": "2026-01-01", "input": 3.0, "output": 1.0, "batch": 0.5}
    entries = {"free": entry, "paid": entry | {"prices": prices}}
    terms = {name: Terms(parse_model(name, one), LIGHT) for name, one in entries.items()}
    counts = 1, 0, 0, 1, *[10**6] * 5
    rows = [priced("free", Line("rows", "d", 0, "text", *counts), EXACT, terms["free"], 1000)]
    texts = [
        priced(name, Line("SciTaRC", "d", None, "text", *counts), EXACT, one, None)
        for name, one in terms.items()
    ]
    lines = in_one(pd.DataFrame(rows), pd.DataFrame(texts), list(terms))
    assert lines["model"].tolist() == ["free", "free", "paid"]
    assert lines["cost_at_most"].sum() == 4.0
    assert lines.to_csv(columns=["k", "context"], index=False) == "k,context\n0,1000\n,\n,\n"
    table = plan_table(lines, terms, {"free": "Free", "paid": "Paid"}, {}, None, 0.0)
    assert [row[-2] for row in table.rows[:3]] == ["–"] * 3
    assert "in batches" in table.rows[3][-2]
