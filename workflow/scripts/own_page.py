"""Make the decision page of one dataset of the user's own."""

from pathlib import Path

from tabbench.core.frames import read_table, read_tables
from tabbench.core.job import job
from tabbench.core.schemas.decision import EVIDENCE
from tabbench.core.schemas.own import AUDIT, CLASSES, PARTS, SHARING
from tabbench.core.schemas.probe_completion import PROBE_COMPLETIONS
from tabbench.core.schemas.probe_recognition import PROBE_RECOGNITION
from tabbench.core.schemas.probe_reconstruction import PROBE_LIFTS
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.decision.data_sentences import seen_sentences
from tabbench.decision.sentences import Evidence
from tabbench.reporting.page.own import Asked, Data, Subject, build_own_page, whole_prompt
from tabbench.reporting.page.versions import package_versions, workflow_hash
from tabbench.reporting.reader import read_markdown

with job(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    tables = {Path(path).stem: path for path in files.evidence}
    evidence = Evidence(
        **{name: read_table(tables[name], schema) for name, schema in EVIDENCE.items()},
        models=params.models,
        baselines=params.baselines,
    )
    data = Data(*(read_table(tables[one.name], one) for one in (CLASSES, PARTS, AUDIT, SHARING)))
    subject = Subject(
        name=snakemake.wildcards.dataset,
        title=params.title,
        negative=params.task["negative"],
        positive=params.task["positive"],
        data=data,
        prompt=whole_prompt(read_table(files.prompts, PROMPTS)),
        asked=Asked(**params.asked),
        probes=seen_sentences(
            snakemake.wildcards.dataset,
            params.probed,
            read_tables(files.recognition, PROBE_RECOGNITION),
            read_tables(files.lifts, PROBE_LIFTS),
            read_tables(files.completions, PROBE_COMPLETIONS),
        ),
        placement=read_markdown(files.placement[0]) if files.placement else None,
    )
    versions = package_versions() | {"workflow files (sha256)": workflow_hash(Path(params.root))}
    page = build_own_page(files.template[0], subject, evidence, versions)
    Path(snakemake.output.page).write_text(page, encoding="utf-8")
