"""Make a local model folder: of a GGUF file by converting it, of a folder by links to its files."""

from pathlib import Path

from tabbench.core.errors import TabBenchError
from tabbench.core.job import job
from tabbench.inference.gguf import convert
from tabbench.inference.local_weights import check_weights, link_folder, weight_files

with job(snakemake.log[0]):
    weights, out = snakemake.params.weights, Path(snakemake.output[0])
    try:
        files = weight_files(weights)
        check_weights(files, weights["sha256"])
        if files[0].suffix == ".safetensors":
            link_folder(files[0].parent, out)
        else:
            convert(files, out)
    except TabBenchError as error:
        raise TabBenchError(f"model '{snakemake.wildcards.model}': {error}") from error
