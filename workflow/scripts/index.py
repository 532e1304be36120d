"""Build the page of results."""

from pathlib import Path

from tabbench.config.endpoints import Prices
from tabbench.core.frames import read_table
from tabbench.core.job import job
from tabbench.core.schemas.scores import SCORES
from tabbench.reporting.page.page import build_page
from tabbench.reporting.page.versions import package_versions, workflow_hash

with job(snakemake.log[0]):
    template = Path(snakemake.input.template[0])
    page = Path(snakemake.output[0])
    text = build_page(
        template,
        page=page,
        artifacts=snakemake.input.artifacts,
        scores=read_table(snakemake.input.scores, SCORES),
        asked=snakemake.params.questions,
        models=snakemake.params.models,
        prices={name: Prices(**entry) for name, entry in snakemake.params.prices.items()},
        settings=snakemake.params.settings,
        versions=package_versions()
        | {"workflow files (sha256)": workflow_hash(Path(snakemake.params.root))},
    )
    page.write_text(text, encoding="utf-8")
