"""What a model's YAML says (resources/models/)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tabbench.config.endpoints import (
    Endpoint,
    Limits,
    Prices,
    parse_endpoint,
    parse_limits,
    parse_prices,
)


@dataclass(frozen=True)
class Model:
    """What determines a language model's responses; its display is defined elsewhere."""

    id: str
    engine: str
    weights: Mapping[str, Any]
    style: str
    dtype: str
    template_args: Mapping[str, Any]
    system_role: bool
    context_length: int | None
    max_new_tokens: int
    stop: tuple[str, ...]
    server: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    endpoint: Endpoint | None = None
    limits: Limits = field(default_factory=Limits)
    prices: Prices | None = None
    zero_shot_repeats: int = 1
    batch: bool = False

    @property
    def paid_prices(self) -> Prices | None:
        """Prices of its prompts as they are asked: in batches or one by one."""
        return self.prices.in_batch if self.prices and self.batch else self.prices

    def repeats(self, k: int) -> int:
        """Return how often each prompt with ``k`` examples is sent."""
        return 1 if k else self.zero_shot_repeats


def model_card(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return what SciTaRC's leaderboard says of a model: developer, access and size.

    Access is the licence's: ``proprietary``, or ``open weights``. Texts are "" where unknown.

    Examples
    --------
    >>> model_card({"licence": "proprietary, under OpenAI's terms of use", "developer": "OpenAI"})
    {'developer': 'OpenAI', 'access': 'proprietary', 'size': ''}
    """
    closed = entry["licence"].casefold().startswith("proprietary")
    return {
        "developer": entry.get("developer", ""),
        "access": "proprietary" if closed else "open weights",
        "size": entry.get("size", ""),
    }


def parse_model(name: str, entry: Mapping[str, Any]) -> Model:
    """Turn a validated mapping into a Model."""
    generation = entry.get("generation", {})
    return Model(
        id=name,
        engine=entry["engine"],
        weights=entry["weights"],
        style=entry["style"],
        dtype=entry["dtype"],
        template_args=entry.get("template_args", {}),
        system_role=entry.get("system_role", True),
        context_length=entry.get("context_length"),
        max_new_tokens=generation.get("max_new_tokens", 8),
        stop=tuple(generation.get("stop", ())),
        server=entry.get("server"),
        request=entry.get("request", {}),
        endpoint=parse_endpoint(entry),
        limits=parse_limits(entry),
        prices=parse_prices(entry),
        zero_shot_repeats=entry.get("zero_shot_repeats", 1),
        batch=entry.get("batch", False),
    )
