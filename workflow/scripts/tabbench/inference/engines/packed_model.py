"""A causal language model of transformers that runs packs of rows behind a shared prefix."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.attention import NAME, KeyValues, Pass
from tabbench.inference.engines.base import Decoding
from tabbench.inference.engines.lengths import context_length
from tabbench.inference.engines.packing import Layout
from tabbench.inference.engines.processor import (
    keep_freed_memory,
    use_half_products,
    use_onednn,
)

# Tokens of a prefix per pass: long enough for the matrix products, short enough for the caches.
PREFIX_CHUNK = 1024
_LAYER_TYPES = {"full_attention", "sliding_attention"}


def load_model(source: str | Path, revision: str | None, dtype: str, device: str) -> Any:
    """Load a causal language model with the packed attention.

    Raises
    ------
    TabBenchError
        When it cannot be loaded, or has layers that are no attention over all earlier tokens.
    """
    from transformers import AutoModelForCausalLM

    number_type = getattr(torch, dtype, None)
    if not isinstance(number_type, torch.dtype):
        raise TabBenchError(f"{source}: unknown dtype '{dtype}'; use float32, bfloat16 or float16")
    try:
        model = AutoModelForCausalLM.from_pretrained(
            source, revision=revision, dtype=number_type, attn_implementation=NAME
        )
    except (OSError, ValueError) as error:
        raise TabBenchError(f"{source}: the model cannot be loaded: {error}") from error
    config = model.config.get_text_config()
    unknown = set(getattr(config, "layer_types", None) or ()) - _LAYER_TYPES
    if unknown:
        raise TabBenchError(
            f"{source}: layers of type {sorted(unknown)} cannot share a prefix in the transformers "
            "engine; use the vllm or the openai engine for this model"
        )
    model = model.to(device).eval()
    if device == "cpu":
        if number_type != torch.float32:
            use_half_products(model)
        use_onednn(model)
        keep_freed_memory()
    return model


class PackedModel:
    """Runs prefixes, packs of rows, and decoding steps; all results are float32 logits.

    Parameters
    ----------
    model
        From `load_model`.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._device: torch.device = model.device
        config = model.config.get_text_config()
        self._layers: int = config.num_hidden_layers
        self.context_length = context_length(config)

    def prefix(self, tokens: Sequence[int]) -> KeyValues:
        """Compute the keys and values of a prefix, behind which rows can then be run."""
        kept = KeyValues(rows=1, capacity=len(tokens))
        for start in range(0, len(tokens), PREFIX_CHUNK):
            chunk = tokens[start : start + PREFIX_CHUNK]
            # A chunk of the prefix is a row behind the part before it.
            part = self._pass(kept, Layout.of(start, [len(chunk)]), keep=kept)
            self._run(chunk, part, [0])
            kept.length += len(chunk)
        return kept

    def rows(
        self,
        prefix: KeyValues,
        rows: Sequence[Sequence[int]],
        read: Sequence[int] | None = None,
        keep: KeyValues | None = None,
    ) -> Tensor:
        """Run rows of tokens behind a prefix.

        Parameters
        ----------
        read
            Places in the concatenated rows after which to predict; the ends of the rows if None.
        keep
            Where to keep the rows' keys and values for `step`.

        Returns
        -------
        tensor
            Logits of shape (places, vocabulary).
        """
        layout = Layout.of(prefix.length, [len(row) for row in rows])
        tokens = [token for row in rows for token in row]
        places = layout.last.tolist() if read is None else read
        return self._run(tokens, self._pass(prefix, layout, keep=keep), places)

    def step(
        self,
        prefix: KeyValues,
        keep: KeyValues,
        rows: Sequence[int],
        lengths: Sequence[int],
        tokens: Sequence[int],
    ) -> Tensor:
        """Append one token to each of some kept rows.

        Parameters
        ----------
        rows
            Which rows of ``keep``.
        lengths
            Tokens that each of them has already, behind the prefix.
        tokens
            The next token of each.

        Returns
        -------
        tensor
            Logits of shape (rows, vocabulary).
        """
        layout = Layout.at(prefix.length, lengths)
        part = self._pass(prefix, layout, keep=keep, keep_rows=rows)
        return self._run(tokens, part, range(len(rows)))

    def sample(
        self, tokens: Sequence[int], seed: int, max_new_tokens: int, decoding: Decoding | None
    ) -> list[int]:
        """Continue one prompt; without ``decoding`` by the model's own defaults, sampling."""
        settings: dict[str, Any] = {"do_sample": True}
        if decoding is not None:
            settings = {
                "do_sample": decoding.temperature > 0,
                "temperature": decoding.temperature or None,
                "top_p": decoding.top_p,
                "top_k": 0,
                "repetition_penalty": decoding.repetition_penalty,
            }
        ids = torch.tensor([tokens], device=self._device)
        self._model.set_attn_implementation("sdpa")
        devices = [self._device] if self._device.type == "cuda" else []
        try:
            with torch.random.fork_rng(devices), torch.inference_mode():
                torch.manual_seed(seed)
                whole = self._model.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    max_new_tokens=max_new_tokens,
                    **settings,
                )
        finally:
            self._model.set_attn_implementation(NAME)
        new: list[int] = whole[0, len(tokens) :].tolist()
        return new

    def _pass(
        self,
        prefix: KeyValues,
        layout: Layout,
        keep: KeyValues | None,
        keep_rows: Sequence[int] | None = None,
    ) -> Pass:
        split = self._device.type == "cpu"
        return Pass(prefix, layout, self._device, keep, keep_rows, split)

    @torch.inference_mode()
    def _run(self, tokens: Sequence[int], part: Pass, read: Sequence[int]) -> Tensor:
        output = self._model(
            input_ids=torch.tensor([tokens], device=self._device),
            position_ids=torch.from_numpy(part.layout.positions)[None].to(self._device),
            use_cache=False,
            pack=part,
            logits_to_keep=torch.tensor(read, device=self._device),
        )
        if part.layers_seen != self._layers:
            raise TabBenchError(
                f"{self._model.name_or_path}: {part.layers_seen} of {self._layers} layers use the "
                "packed attention; use the vllm or the openai engine for this model"
            )
        logits: Tensor = output.logits[0].float()
        return logits
