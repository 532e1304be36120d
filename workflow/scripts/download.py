"""Fetch a dataset's raw files from the first source that has them."""

import json
from pathlib import Path

from tabbench.registry import parse_sources
from tabbench.script import job
from tabbench.sources.fetch import fetch, hashes

with job(snakemake.log[0]):
    name = snakemake.wildcards.dataset
    sources = parse_sources(snakemake.params.sources)
    mirror = snakemake.params.mirror and Path(snakemake.params.mirror)
    folder = Path(snakemake.output[0])
    used = fetch(name, sources, mirror, folder)
    files = hashes(folder)
    source = sources[used]
    note = {"source": used, "label": source.label, "stand_in": source.stand_in, "sha256": files}
    (folder / "source.json").write_text(json.dumps(note, indent=1))
    print(f"{name}: {source.label}", *(f"{hash} {file}" for file, hash in files.items()))
    if source.stand_in:
        print(f"Not the paper's file: {source.stand_in}")
