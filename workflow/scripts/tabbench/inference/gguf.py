"""Convert a GGUF file into a folder of safetensors, which loads in a second."""

import contextlib
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabbench.core.disk import writing
from tabbench.core.errors import TabBenchError


def convert(parts: Sequence[Path], out: Path) -> None:
    """Write the model and the tokenizer of a GGUF file as a float32 folder of transformers.

    Quantized weights are written as the numbers that they stand for. Reading GGUF takes half a
    minute each time, the folder a second.

    Parameters
    ----------
    parts
        The file, or all its parts in order.
    out
        Folder to write; made if need be.

    Raises
    ------
    TabBenchError
        When the file is no model that transformers can convert, or lacks weights of it.
    """
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        whole = parts[0]
        if len(parts) > 1:
            whole = Path(scratch) / "whole.gguf"
            join_parts(parts, whole)
        try:
            model, tokenizer = _load(whole)
        except (OSError, ValueError, KeyError, NotImplementedError) as error:
            raise TabBenchError(
                f"{parts[0]}: transformers cannot convert this file ({error})"
            ) from error
        with writing(out):
            model.save_pretrained(out)
            tokenizer.save_pretrained(out)


def join_parts(parts: Sequence[Path], whole: Path) -> None:
    """Write the parts of a GGUF file as one, which is what transformers reads.

    The first part holds all metadata, each part its tensors.
    """
    import gguf

    readers = [gguf.GGUFReader(path) for path in parts]
    fields = readers[0].fields
    architecture = fields[gguf.Keys.General.ARCHITECTURE].contents()
    writer = gguf.GGUFWriter(whole, architecture, endianess=readers[0].endianess)
    for field in fields.values():
        if field.name.startswith(("GGUF.", "split.")) or (
            field.name == gguf.Keys.General.ARCHITECTURE
        ):
            continue
        kind = field.types[0]
        within = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), kind, sub_type=within)
    tensors = [(reader, tensor) for reader in readers for tensor in reader.tensors]
    for _, tensor in tensors:
        data = tensor.data
        writer.add_tensor_info(tensor.name, data.shape, data.dtype, data.nbytes, tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for reader, tensor in tensors:
        writer.write_tensor_data(tensor.data, tensor_endianess=reader.endianess)
    writer.close()


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
        named = ", ".join([*sorted(lacking), *sorted(unknown)][:3])
        raise TabBenchError(
            f"{gguf_file}: {len(lacking)} weights of the model are missing, {len(unknown)} are "
            f"unknown ({named}, ...); this version of transformers cannot convert the file"
        )
    model.tie_weights()
    return model, transformers.AutoTokenizer.from_pretrained(**source)
