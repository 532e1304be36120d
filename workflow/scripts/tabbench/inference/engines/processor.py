"""What the CPU gives beyond torch's defaults: oneDNN's products, and memory that is kept.

torch hands float32 products to MKL, which leaves the wider half of AVX-512 unused on processors
of other makers than its own (120 instead of 265 GFLOP per second were measured on an EPYC).
oneDNN does not ask who made the processor.
"""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

# Rows of a product for which weights are laid out; that order suits few rows, too.
_TOKENS = 1024

# Settings of glibc's mallopt, from malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


@cache
def onednn_products() -> bool:
    """Whether oneDNN's float32 products are at hand and faster than MKL's."""
    return (
        torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and torch.backends.cpu.get_cpu_capability().startswith("AVX512")
        and not _made_by_intel()
    )


def _made_by_intel() -> bool:
    described = Path("/proc/cpuinfo")
    return not described.exists() or "GenuineIntel" in described.read_text()


def product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """``left @ right.T + bias`` by oneDNN; ``right`` is a contiguous matrix, or one `laid_out`."""
    result: Tensor = torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")
    return result


def laid_out(weight: Tensor) -> Tensor:
    """A weight in the order in which `product` reads it, which else is made for each product."""
    ordered: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), _TOKENS)
    return ordered


class _Linear(torch.nn.Linear):
    def forward(self, states: Tensor) -> Tensor:
        return product(states, self.weight, self.bias)


def use_onednn(model: Any) -> None:
    """Let the float32 linear layers of a model on a CPU use oneDNN where it is faster."""
    if not onednn_products():
        return
    for module in model.modules():
        if type(module) is torch.nn.Linear and module.weight.dtype == torch.float32:
            module.__class__ = _Linear
            # An embedding that is the output layer's weight as well keeps its own.
            module.weight = torch.nn.Parameter(laid_out(module.weight), requires_grad=False)


class _HalfLinear(torch.nn.Linear):
    def forward(self, states: Tensor) -> Tensor:
        return super().forward(states.to(self.weight.dtype)).float()


def use_half_products(model: Any) -> None:
    """Let linear layers, of which a model mostly consists, multiply in half precision, on a CPU.

    The output layer and everything between the products (sums of layers, norms, attention) are
    float32.
    """
    output = model.get_output_embeddings()
    for module in model.modules():
        if type(module) is torch.nn.Linear and module is not output:
            module.__class__ = _HalfLinear
        else:
            for part in (*module.parameters(recurse=False), *module.buffers(recurse=False)):
                if part.is_floating_point():
                    part.data = part.data.float()


def keep_freed_memory() -> None:
    """Keep what is freed for the next pass: giving it back costs a page fault for each 4 KiB.

    Works from here on, where the C library is glibc; elsewhere nothing changes.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, -1)
