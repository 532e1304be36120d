"""Run the script of one target in this process, without its inputs being made or anything recorded.

    python workflow/run_script.py results/rq1/scores.parquet [--configfile config/config.yaml]

For a debugger, breakpoints and prints: what the script prints and raises comes here, not to its log
file. Snakemake keeps no record of such a run; make the target with ``snakemake --force`` after it.
"""

import argparse
import importlib
import os
import runpy
import sys
from contextlib import nullcontext
from pathlib import Path

from snakemake.api import SnakemakeApi
from snakemake.exceptions import CliException, RuleException, WorkflowError
from snakemake.iocontainers import Snakemake
from snakemake.jobs import Job
from snakemake.settings.types import (
    ConfigSettings,
    DAGSettings,
    OutputSettings,
    Quietness,
    ResourceSettings,
)

SNAKEFILE = Path(__file__).parents[1] / "Snakefile"
REFUSALS = (WorkflowError, RuleException, CliException)


def planned_job(target: str, configfiles: list[Path]) -> Job:
    """The job that makes a target, as Snakemake plans it in the present folder.

    Raises
    ------
    REFUSALS
        When the target has no rule, or the workflow cannot be planned.
    """
    target = os.path.relpath(target)  # as Snakemake writes it
    # Snakemake's public API runs jobs, but hands none out: what plans them is private.
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            ResourceSettings(cores=1), ConfigSettings(configfiles=configfiles), snakefile=SNAKEFILE
        )._workflow
        workflow.dag_settings = DAGSettings(targets={target})
        workflow._prepare_dag(forceall=False, ignore_incomplete=True, lock_warn_only=True)
        workflow._build_dag()
    for job in workflow.dag.jobs:
        if target in job.output and job.rule.script:
            return job
    raise WorkflowError(f"no rule with a script makes {target}")


def script_object(job: Job) -> Snakemake:
    """The object ``snakemake`` of a job's script."""
    return Snakemake(
        job.input,
        job.output,
        job.params,
        job.wildcards,
        job.threads,
        job.resources,
        job.log,
        job.rule.workflow.config,
        job.rule.name,
        bench_iteration=None,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("target", help="a file made by a rule")
    parser.add_argument("--configfile", type=Path, nargs="+", default=[])
    given = parser.parse_args()
    try:
        job = planned_job(given.target, given.configfile)
    except REFUSALS as error:
        sys.exit(str(error))
    missing = [path for path in job.input if not Path(path).exists()]
    if missing:
        sys.exit(
            f"{job.rule.name} needs {missing[0]}, which is not there; make it with "
            f"snakemake --cores 1 {missing[0]}"
        )
    for path in job.output:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    script = job._path_to_source_file(job.rule.script).get_path_or_uri(secret_free=True)
    # The package is found because the Snakefile put its folder into sys.path. In its frame around
    # a script, the log would take what is printed, and a debugger's prompt.
    importlib.import_module("tabbench.core.job").job = lambda _: nullcontext()
    runpy.run_path(script, {"snakemake": script_object(job)}, run_name="__main__")


if __name__ == "__main__":
    main()
