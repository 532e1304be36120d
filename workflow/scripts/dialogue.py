"""Hold the dialogue that makes a table, or take the one that ships with the workflow."""

import json
import shutil
from pathlib import Path

from tabbench.dialogue import Topic, hold_until_usable, turn_path
from tabbench.engines.base import Message, Setting, TextRequest
from tabbench.llm_table import make_table
from tabbench.measure import measured
from tabbench.models import LazyEngine, identity, read_model
from tabbench.registry import TaskText
from tabbench.script import job
from tabbench.texts import write_one

with job(snakemake.log[0]):
    turns = list(map(Path, snakemake.input.published))
    if not turns:
        # Transcripts are no declared output: Snakemake would delete them when the job fails.
        folder = Path(snakemake.output[0]).parent
        entry = Path(snakemake.input.model[0])
        model = read_model(entry, snakemake.params.asking)
        weights = next(map(Path, snakemake.input.weights), None)
        setting = Setting(weights, snakemake.threads, entry.parent, snakemake.resources.gpu)
        settings = snakemake.params.settings
        task = TaskText(**settings["task"])
        engine = LazyEngine(model, setting)

        def chat(messages, seed):
            turns = tuple(Message(**message) for message in messages)
            return write_one(engine(), TextRequest(str(folder), turns, None, seed)).text

        _, parameters = json.loads(identity(model).as_key("text"))
        with measured(Path(snakemake.params.benchmark), lambda: engine.loaded):
            place = hold_until_usable(
                Topic(*settings["topic"]),
                chat,
                settings["attempts"],
                folder,
                lambda answers: make_table(answers, task, settings["rows"], settings["sandbox"]),
                model.id,
                {**parameters, "decoding": "the model's own defaults"},
            )
        turns = [turn_path(place, number) for number in (1, 2, 3)]
    for source, target in zip(turns, snakemake.output, strict=True):
        shutil.copyfile(source, target)
        print(f"{source} -> {target}")
