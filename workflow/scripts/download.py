"""Fetch a dataset's raw files from the first source that is there."""

import json
from pathlib import Path

from tabbench.registry import parse_sources
from tabbench.script import job
from tabbench.sources import fetch

with job(snakemake.log[0]):
    name = snakemake.wildcards.dataset
    sources = parse_sources(snakemake.params.sources)
    mirror = snakemake.params.mirror and Path(snakemake.params.mirror)
    folder = Path(snakemake.output[0])
    source = fetch(name, sources, mirror, folder)
    (folder / "source.json").write_text(json.dumps({"source": source}))
    print(f"{name}: source {source} ({sources[source].kind})")
