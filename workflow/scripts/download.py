"""Fetch a dataset's raw files from the first source that has them."""

import json
from pathlib import Path

from tabbench.config.dataset_entry import parse_sources
from tabbench.core.job import job
from tabbench.data.sources.fetch import fetch, hashes

with job(snakemake.log[0]):
    name = snakemake.wildcards.dataset
    sources = parse_sources(snakemake.params.sources)
    mirror = snakemake.params.mirror and Path(snakemake.params.mirror)
    folder = Path(snakemake.output[0])
    used = fetch(name, sources, mirror, folder)
    files = hashes(folder)
    stand_in = sources[used.source].stand_in
    note = {**used._asdict(), "stand_in": stand_in, "sha256": files}
    (folder / "source.json").write_text(json.dumps(note, indent=1) + "\n")
    print(f"{name}: {used.label}", *(f"{hash} {file}" for file, hash in files.items()), sep="\n")
    if stand_in:
        print(f"Not the paper's file: {stand_in}")
