"""Count the seven complexity metrics of every question."""

from pathlib import Path

from tabbench.core.frames import read_table, write_table
from tabbench.core.job import job
from tabbench.scitarc.complexity import complexity_frame
from tabbench.scitarc.frames import read_back
from tabbench.scitarc.schemas.complexity import SCITARC_COMPLEXITY
from tabbench.scitarc.schemas.questions import SCITARC_QUESTIONS
from tabbench.scitarc.tokenizers import folder_counter, gpt2_counter

with job(snakemake.log[0]):
    given, name = snakemake.input, snakemake.params.tokenizer
    count = folder_counter(Path(given.tokenizer[0])) if given.tokenizer else gpt2_counter()
    questions = read_back(read_table(given.questions, SCITARC_QUESTIONS))
    frame = complexity_frame(questions, count, name)
    write_table(frame, snakemake.output.complexity, SCITARC_COMPLEXITY)
    for fault in ("latex_fault", "plan_fault"):
        print(*frame.loc[frame[fault] != "", ["row", fault]].values.tolist(), sep="\n")
