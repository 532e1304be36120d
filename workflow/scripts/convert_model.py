"""Convert a GGUF file that an installed package carries into a local model folder."""

from pathlib import Path

from tabbench.core.errors import TabBenchError
from tabbench.core.files import package_folder
from tabbench.core.job import job
from tabbench.inference.gguf import convert

with job(snakemake.log[0]):
    weights = snakemake.params.weights
    folder = package_folder(weights["package"])
    if folder is None or not (folder / weights["file"]).is_file():
        raise TabBenchError(
            f"model '{snakemake.wildcards.model}': the package {weights['package']} with "
            f"{weights['file']} is not installed; `make setup` installs it"
        )
    convert(folder / weights["file"], weights["sha256"], Path(snakemake.output[0]))
