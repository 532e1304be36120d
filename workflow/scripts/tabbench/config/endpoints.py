"""Address, limits and prices of an endpoint: parts of a model's entry.

Nothing here is part of a response's key: another address, limit or price keeps all cached
responses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

MILLION = 1_000_000


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible address.

    Attributes
    ----------
    url
        Up to and with ``/v1``.
    model
        Name to ask for.
    reports_as
        Name that answers carry, where it is another.
    api_key_env
        Environment variable that holds the key; None when none is needed.
    """

    url: str
    model: str
    reports_as: str | None = None
    api_key_env: str | None = None

    def names(self, reported: str) -> bool:
        """Tell whether an answer is from the model that was asked; a dated version of it is."""
        expected = self.reports_as or self.model
        return reported == expected or reported.startswith(f"{expected}-20")


@dataclass(frozen=True)
class Limits:
    """How an endpoint may be asked.

    Attributes
    ----------
    in_flight
        Most requests at a time.
    timeout
        Seconds that one try may take in all.
    retries
        Further tries of a request.
    backoff
        Seconds before the first of them; they double from try to try.
    requests_per_minute, tokens_per_minute
        None: no limit.
    budget
        Most money to spend on the model, over all runs; None: no limit.
    total_budget
        Most money to spend on all models together: ``budget`` of the configuration.
    tolerate_errors
        Largest share of a job's prompts that may stay without an answer.
    poll_seconds
        Most seconds between two looks at a batch.
    """

    in_flight: int = 16
    timeout: float = 120.0
    retries: int = 6
    backoff: float = 1.0
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    budget: float | None = None
    total_budget: float | None = None
    tolerate_errors: float = 0.0
    poll_seconds: float = 60.0


@dataclass(frozen=True)
class Prices:
    """Money per million tokens, as published at the date ``as_of``.

    ``batch`` is the share of it that requests cost in a batch; None where nothing is said of them.
    """

    currency: str
    as_of: str
    input: float
    output: float
    cached_input: float | None = None
    batch: float | None = None

    @property
    def in_batch(self) -> "Prices":
        """Prices of requests in a batch; the same where nothing is said of them.

        Examples
        --------
        >>> Prices("USD", "2026-11-29", 0.15, 0.60, batch=0.5).in_batch.cost(1_000_000, 0, 0)
        0.075
        """
        share = 1.0 if self.batch is None else self.batch
        cached = None if self.cached_input is None else share * self.cached_input
        return replace(
            self, input=share * self.input, output=share * self.output, cached_input=cached
        )

    def cost(self, prompt_tokens: int, cached_tokens: int, completion_tokens: int) -> float:
        """Cost of a request; ``cached_tokens`` of its prompt have a price of their own.

        Examples
        --------
        >>> Prices("USD", "2026-11-29", 0.15, 0.60, 0.075).cost(1_000_000, 500_000, 0)
        0.1125
        """
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = prompt_tokens - cached_tokens
        total = fresh * self.input + cached_tokens * cached + completion_tokens * self.output
        return total / MILLION


def parse_endpoint(entry: Mapping[str, Any]) -> Endpoint | None:
    """The endpoint of a validated model's entry; by default it is asked for the weights' name."""
    if "endpoint" not in entry:
        return None
    name = next((entry["weights"][key] for key in ("served", "hub") if key in entry["weights"]), "")
    return Endpoint(**{"model": name, **entry["endpoint"]})


def parse_limits(entry: Mapping[str, Any]) -> Limits:
    return Limits(**entry.get("limits", {}))


def parse_prices(entry: Mapping[str, Any]) -> Prices | None:
    return Prices(**entry["prices"]) if "prices" in entry else None
