"""What a model's own files say without its weights: how prompts become tokens, and how many fit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import transformers

from tabbench.inference.engines.lengths import context_length
from tabbench.inference.engines.rendering import Renderer, Style


class OwnFiles(NamedTuple):
    """``positions`` are the tokens of the model's own context; None where it sets no limit."""

    renderer: Renderer
    positions: int | None


def read_renderer(
    source: str | Path,
    style: Style,
    template_args: Mapping[str, object] | None,
    system_role: bool,
    **arguments: Any,
) -> Renderer:
    """Read the tokenizer.

    Parameters
    ----------
    source : a folder, or a name on the hub
    style, template_args, system_role : see `Renderer`
    arguments : further ones of ``from_pretrained``, such as ``revision``

    Raises
    ------
    OSError
        When it cannot be had.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, **arguments)
    return Renderer(tokenizer, style, template_args, system_role)


def read_own_files(source: str | Path, *how: Any, **arguments: Any) -> OwnFiles:
    """Read tokenizer and configuration; see `read_renderer`."""
    transformers.logging.set_verbosity_error()
    renderer = read_renderer(source, *how, **arguments)
    config = transformers.AutoConfig.from_pretrained(source, **arguments)
    return OwnFiles(renderer, context_length(config.get_text_config()))
