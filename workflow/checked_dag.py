"""Where Snakemake's own planning falls short."""

from collections.abc import Callable

import snakemake.workflow
from snakemake.dag import DAG
from snakemake.exceptions import CliException


def plan_checked(refusal: Callable[[str], str | None]) -> None:
    """Make Snakemake count missing files, and refuse an unknown target in one sentence.

    Snakemake passes over a missing file where everything that was made from it is there. After a
    job has failed, which deletes its outputs and forgets their parameters, the next call would
    find "nothing to be done" behind it. Here, missing outputs of any job are a reason to run, as
    they are for requested files.

    Parameters
    ----------
    refusal : from a requested file to what is wrong with it, or None
    """

    class CheckedDAG(DAG):
        async def init(self, progress: bool = False) -> None:
            if self.workflow.is_main_process:
                for target in self.targetfiles:
                    if wrong := refusal(str(target)):
                        raise CliException(wrong)
            await super().init(progress)

        async def check_incomplete(self) -> None:
            """Called when all jobs are known, and before it is decided which of them run."""
            await super().check_incomplete()
            if self.workflow.is_main_process:
                for job in self.jobs:
                    missing = [file async for file in job.missing_output(job.output)]
                    if missing:
                        self.reason(job).missing_output.update(missing)

    snakemake.workflow.DAG = CheckedDAG
