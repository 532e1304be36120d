"""Attention of packed rows to a shared prefix, as an attention function of transformers.

The prefix part needs no mask and no copy per row, so the heads of a key/value group are
stacked as further queries on it; the rows' own parts are causal and small. Both are combined
by their log-sum-exp, which equals one softmax over all keys.

The function keeps the keys and values itself. Thus no cache class of transformers takes part,
whose interfaces change between releases, and the prefix is never copied.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AttentionInterface

from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.packing import Layout, visible
from tabbench.inference.engines.processor import onednn_products, product

NAME = "tabbench_packed"

# Arguments of other models' attention that this function does not support.
_UNKNOWN_TERMS = ("softcap", "s_aux", "position_bias")

# Scores that are computed at once: they should stay in the cache.
QUERY_BLOCK, KEY_BLOCK, CAUSAL_BLOCK = 512, 1024, 256


class KeyValues:
    """Keys and values of every layer, in buffers of a fixed size that fill up.

    Each is of shape (rows, key/value heads, capacity, head size). ``length`` counts the filled
    places of a prefix, which has one row; rows of a pack count their own.
    """

    def __init__(self, rows: int, capacity: int) -> None:
        self.rows, self.capacity, self.length = rows, capacity, 0
        self.layers: dict[int, tuple[Tensor, Tensor]] = {}

    def layer(self, index: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Return the buffers of a layer, made on first use in the style of ``key``, ``value``."""
        if index not in self.layers:
            self.layers[index] = (
                key.new_zeros(self.rows, key.shape[1], self.capacity, key.shape[3]),
                value.new_zeros(self.rows, value.shape[1], self.capacity, value.shape[3]),
            )
        return self.layers[index]


class Pass:
    """One forward pass of packed rows, handed to `attend` by way of the model's arguments.

    Parameters
    ----------
    prefix
        What every row sees.
    layout
        Where the tokens of the pass are.
    keep
        Where to keep the rows' own keys and values; without it they are discarded afterwards.
    keep_rows
        Which rows of ``keep`` go on, by one token each; without it the rows start in this pass.
    split
        Whether attention may be computed in two parts, which needs a kernel of the CPU.
    """

    def __init__(
        self,
        prefix: KeyValues,
        layout: Layout,
        device: torch.device,
        keep: KeyValues | None = None,
        keep_rows: Sequence[int] | None = None,
        split: bool = True,
    ) -> None:
        self.prefix, self.layout, self.keep, self.split = prefix, layout, keep, split
        self.resumes = keep_rows is not None
        self.all_kept = keep is not None and list(keep_rows or []) == list(range(keep.rows))
        self.keep_rows = torch.tensor(keep_rows or [], dtype=torch.long, device=device)
        self.column = torch.from_numpy(layout.column).to(device)
        self.cells = torch.from_numpy(layout.cells).to(device)
        self.tokens = torch.from_numpy(layout.tokens).to(device)
        self.layers_seen = 0
        self._masks: dict[int | None, Tensor] = {}
        self._device = device

    def own(self, index: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store a layer's new keys and values and return all keys and values of the rows, padded.

        ``key`` and ``value`` are of shape (1, heads, tokens, size); the result of shape
        (rows, heads, width, size).
        """
        self.layers_seen += 1
        if self.resumes:
            assert self.keep is not None
            buffers = self.keep.layer(index, key, value)
            for buffer, new in zip(buffers, (key, value), strict=True):
                buffer[self.keep_rows, :, self.column] = new[0].transpose(0, 1)
            filled = self.layout.width
            if self.all_kept:
                return buffers[0][:, :, :filled], buffers[1][:, :, :filled]
            return buffers[0][self.keep_rows, :, :filled], buffers[1][self.keep_rows, :, :filled]
        padded = self.pad(key), self.pad(value)
        if self.keep is not None:
            for buffer, new in zip(self.keep.layer(index, *padded), padded, strict=True):
                start = self.keep.length
                buffer[:, :, start : start + new.shape[2]] = new
        return padded

    def pad(self, states: Tensor) -> Tensor:
        """(1, heads, tokens, size) to (rows, heads, width, size); 1 wide where rows go on."""
        if self.resumes:
            return states[0].transpose(0, 1)[:, :, None]
        rows, width = self.layout.rows, self.layout.width
        if rows == 1:
            return states
        grid = states[0].index_select(1, self.tokens)
        return grid.view(-1, rows, width, grid.shape[-1]).transpose(0, 1)

    def unpad(self, states: Tensor) -> Tensor:
        """(rows, heads, width, ...) back to (1, heads, tokens, ...)."""
        if self.resumes:
            return states[:, :, 0].transpose(0, 1)[None]
        if self.layout.rows == 1:
            return states
        return states.transpose(0, 1).flatten(1, 2).index_select(1, self.cells)[None]

    def mask(self, window: int | None) -> Tensor:
        """Mask of the visible keys, of the prefix and the padded rows: (1, 1, tokens, keys)."""
        if window not in self._masks:
            where = self.layout
            seen = visible(where.prefix, where.row, where.column, where.rows, where.width, window)
            self._masks[window] = torch.from_numpy(seen).to(self._device)[None, None]
        return self._masks[window]

    @functools.cached_property
    def filled(self) -> Tensor:
        """Additive mask of the places that each row has filled: (rows, 1, 1, width)."""
        filled = np.arange(self.layout.width) <= self.layout.column[:, None]
        bias = np.where(filled, 0.0, -np.inf)[:, None, None]
        return torch.from_numpy(bias).to(self._device)


def attend(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,  # noqa: ARG001 (the pack knows what is visible)
    scaling: float | None = None,
    sliding_window: int | None = None,
    pack: Pass | None = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Attention of the tokens of a pack, in the form that transformers expects.

    Parameters
    ----------
    query, key, value
        Of shape (1, heads, tokens, size), positions already encoded.
    pack
        The pass this is part of.

    Returns
    -------
    tensor
        Of shape (1, tokens, heads, size).
    """
    extras = [name for name in _UNKNOWN_TERMS if kwargs.get(name) is not None]
    if extras or pack is None:
        raise TabBenchError(
            f"the transformers engine cannot run this model's attention ({extras or 'no pack'}); "
            "use the vllm or the openai engine for it"
        )
    index: int = module.layer_idx  # type: ignore[assignment]
    keys, values = pack.own(index, key, value)
    prefix = pack.prefix.length
    before = [part[:, :, :prefix] for part in pack.prefix.layers[index]] if prefix else []
    slides = sliding_window is not None and prefix + keys.shape[2] > sliding_window
    # The kernel wants keys and values of one size.
    if pack.split and not slides and keys.shape[-1] == values.shape[-1]:
        output = _split(pack, query, keys, values, before, scaling)
    else:
        window = sliding_window if slides else None
        output = _masked(pack, query, keys, values, before, scaling, window)
    return output.transpose(1, 2).contiguous(), None


def _flash(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    causal: bool,
    bias: Tensor | None,
    scale: float | None,
) -> tuple[Tensor, Tensor]:
    """The CPU kernel behind scaled_dot_product_attention, which also gives the log-sum-exp."""
    output, logsumexp = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query, key, value, 0.0, causal, attn_mask=bias, scale=scale
    )
    return output, logsumexp


def _by_onednn(query: Tensor) -> bool:
    """Whether products of oneDNN are worth it: for them queries and values are laid out anew."""
    long = query.shape[0] == 1 and query.shape[2] >= QUERY_BLOCK
    return long and query.dtype == torch.float32 and onednn_products()


def _to_all(
    query: Tensor, keys: Tensor, values: Tensor, scale: float | None
) -> tuple[Tensor, Tensor]:
    """Attention of every query to every key: output and log-sum-exp, as of `_flash`."""
    if _by_onednn(query):
        return _by_products(query, keys, values, scale)
    return _flash(query, keys, values, False, None, scale)


def _to_earlier(
    query: Tensor, keys: Tensor, values: Tensor, scale: float | None
) -> tuple[Tensor, Tensor]:
    """Attention of every token of a row to itself and those before it, as of `_flash`."""
    if _by_onednn(query):
        return _causal_by_products(query, keys, values, scale)
    return _flash(query, keys, values, True, None, scale)


def _scaled(query: Tensor, scale: float | None) -> Tensor:
    return query.contiguous() * (query.shape[-1] ** -0.5 if scale is None else scale)


def _by_products(
    query: Tensor, keys: Tensor, values: Tensor, scale: float | None
) -> tuple[Tensor, Tensor]:
    """`_to_all` by products of oneDNN, for one row of queries; torch's kernel is bound to MKL."""
    output, logsumexp = torch.empty_like(query), query.new_empty(query.shape[:3])
    scaled = _scaled(query, scale)
    for head in range(keys.shape[1]):
        blocks = [
            (
                keys[0, head, start : start + KEY_BLOCK],
                values[0, head, start : start + KEY_BLOCK].t().contiguous(),
            )
            for start in range(0, keys.shape[2], KEY_BLOCK)
        ]
        for start in range(0, query.shape[2], QUERY_BLOCK):
            asked = slice(start, start + QUERY_BLOCK)
            parts = [_block(scaled[0, head, asked], *block) for block in blocks]
            output[0, head, asked], logsumexp[0, head, asked] = functools.reduce(_joined, parts)
    return output, logsumexp


def _causal_by_products(
    query: Tensor, keys: Tensor, values: Tensor, scale: float | None
) -> tuple[Tensor, Tensor]:
    """`_to_earlier` likewise; each key head serves several heads of queries."""
    output, logsumexp = torch.empty_like(query), query.new_empty(query.shape[:3])
    scaled, keys = _scaled(query, scale), keys.contiguous()
    later = query.new_full((CAUSAL_BLOCK, CAUSAL_BLOCK), -math.inf).triu(1)
    heads, tokens = query.shape[1:3]
    each = heads // keys.shape[1]
    for start in range(0, tokens, CAUSAL_BLOCK):
        end = min(start + CAUSAL_BLOCK, tokens)
        for group in range(keys.shape[1]):
            value = values[0, group, :end].t().contiguous()
            for head in range(group * each, (group + 1) * each):
                output[0, head, start:end], logsumexp[0, head, start:end] = _block(
                    scaled[0, head, start:end], keys[0, group, :end], value, later
                )
    return output, logsumexp


def _block(
    query: Tensor, key: Tensor, value: Tensor, later: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention of (queries, size) to (keys, size) with values (size, keys), by two products.

    ``later`` is added to the scores of the last keys, which are the queries' own tokens.
    """
    scores = product(query, key)
    if later is not None:
        own = len(query)
        scores[:, -own:] += later[:own, :own]
    shares = scores.softmax(-1)
    # The largest share is 1 / sum(exp(score - largest score)).
    return product(shares, value), scores.amax(-1) - shares.amax(-1).log()


def _joined(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """One attention over the keys of both, from outputs and log-sum-exps."""
    share = torch.sigmoid(other[1] - one[1]).unsqueeze(-1).to(one[0].dtype)
    return torch.lerp(one[0], other[0], share), torch.logaddexp(one[1], other[1])


def _split(
    pack: Pass,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    before: list[Tensor],
    scale: float | None,
) -> Tensor:
    if pack.resumes:
        bias = pack.filled.to(keys.dtype)
        own, own_weight = _flash(pack.pad(query), keys, values, False, bias, scale)
    else:
        own, own_weight = _to_earlier(pack.pad(query), keys, values, scale)
    own, own_weight = pack.unpad(own), pack.unpad(own_weight)
    if not before:
        return own
    _, heads, tokens, _ = query.shape
    groups = before[0].shape[1]
    # The heads that share keys become further queries: nothing is repeated.
    stacked = query.reshape(1, groups, heads // groups * tokens, -1)
    shared, shared_weight = _to_all(stacked, before[0], before[1], scale)
    shared = shared.reshape(1, heads, tokens, -1)
    shared_weight = shared_weight.reshape(1, heads, tokens)
    return _joined((shared, shared_weight), (own, own_weight))[0]


def _masked(
    pack: Pass,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    before: list[Tensor],
    scale: float | None,
    window: int | None,
) -> Tensor:
    """The same by one masked attention over all keys: other devices, active sliding windows."""
    flat = [part.transpose(0, 1).flatten(1, 2)[None] for part in (keys, values)]
    if before:
        flat = [torch.cat(pair, dim=2) for pair in zip(before, flat, strict=True)]
    repeats = query.shape[1] // flat[0].shape[1]
    key, value = (part.repeat_interleave(repeats, dim=1) for part in flat)
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=pack.mask(window), scale=scale
    )


AttentionInterface.register(NAME, attend)
