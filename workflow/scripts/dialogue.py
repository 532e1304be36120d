"""Hold the dialogue that makes a table, or take the one that ships with the workflow."""

import json
import shutil
from pathlib import Path

from tabbench.config.dataset_entry import TaskText
from tabbench.core.job import job
from tabbench.inference.engines.base import Message, TextRequest
from tabbench.inference.models import ModelFiles, identity, lazy_model
from tabbench.inference.texts import LastingError, write_one
from tabbench.sandbox.model_code import UnusableAnswerError
from tabbench.synthetic.dialogue import Topic, hold_until_usable, turn_path
from tabbench.synthetic.llm_table import make_table

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    turns = list(map(Path, given.published))
    if not turns:
        # Transcripts are no declared output: Snakemake would delete them when the job fails.
        folder = Path(snakemake.output[0]).parent
        settings = params.settings
        task = TaskText(**settings["task"])
        files = ModelFiles(given.model, given.weights, params.serving, params.benchmark)
        with lazy_model(files, snakemake.threads, snakemake.resources.gpu) as (model, engine):

            def chat(messages, seed):
                asked = tuple(Message(**message) for message in messages)
                try:
                    return write_one(engine(), TextRequest(str(folder), asked, None, seed)).text
                except LastingError as error:
                    raise UnusableAnswerError(str(error)) from error

            _, parameters = json.loads(identity(model).as_key("text"))
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
