"""Take SciTaRC's questions from a file or from the hub, check them and draw those to be asked."""

from pathlib import Path

from tabbench.core.frames import write_table
from tabbench.core.job import job
from tabbench.scitarc.dataset import fetch_records, parse_questions, read_questions
from tabbench.scitarc.demonstrations import read_demonstrations
from tabbench.scitarc.frames import asked_rows, demonstrations_frame, questions_frame
from tabbench.scitarc.prompts import EXECUTIONS
from tabbench.scitarc.schemas.demonstrations import SCITARC_DEMONSTRATIONS
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS

with job(snakemake.log[0]):
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    if given.questions:
        read = read_questions(Path(given.questions[0]))
    else:
        name, revision = params.hub["hub"], params.hub.get("revision")
        read = parse_questions(fetch_records(name, revision=revision), name)
    counted = given.demonstrated
    demonstrated = read_questions(Path(counted[0])).questions if counted else read.questions
    shown = {
        one: read_demonstrations(Path(given.demonstrations), demonstrated, one)
        for one in EXECUTIONS
    }
    asked = asked_rows(read.questions, params.rows, [one.question for one in shown["language"]])
    write_table(questions_frame(read.questions, asked), made.questions, SCITARC_QUESTIONS)
    write_table(demonstrations_frame(shown), made.demonstrations, SCITARC_DEMONSTRATIONS)
    print(f"{len(read.questions)} questions, {len(asked)} of them asked; sha256 {read.sha256}")
    print(*read.faults, sep="\n")
