"""Counters over all requests of an engine: usage, rates, money."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tabbench.config.endpoints import Endpoint
from tabbench.config.model_entry import Model
from tabbench.inference.engines.base import OWN_TOKENS, StopError, Usage
from tabbench.inference.engines.pace import Pace
from tabbench.inference.engines.replies import Tokens, read_tokens
from tabbench.inference.engines.spending import Spending, State
from tabbench.inference.engines.steps import ReplyError

LONGEST_LOOK = 1.0
"""Seconds after which a request that waits for its turn looks again."""

ADDED_PROMPT, ADDED_COMPLETION = 10_000, 100_000
"""Tokens that a server may add to a prompt, and to an answer by thinking, unseen. A count beyond
them is a fault, not a price."""

_LOOK = 0.02


def most_tokens(body: Mapping[str, Any], content: bytes) -> Tokens:
    """The most tokens that a request can be charged for.

    A token is at least one byte of the prompt. What a chat template adds is less than the names of
    the fields, which count here as well.

    Parameters
    ----------
    body, content : a request's fields, and as they are sent
    """
    limits = (body.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return Tokens(len(content), 0, next((n for n in limits if isinstance(n, int)), OWN_TOKENS))


def checked_tokens(body: Mapping[str, Any], most: Tokens) -> Tokens:
    """Token counts of a reply.

    Raises
    ------
    ReplyError
        When it has none that can be true of a request of at most ``most`` tokens.
    """
    tokens = read_tokens(body)
    if (
        tokens.prompt > most.prompt + ADDED_PROMPT
        or tokens.completion > most.completion + ADDED_COMPLETION
    ):
        raise ReplyError(
            "no_usage",
            f"{tokens.prompt} and {tokens.completion} tokens are counted for a request of "
            f"{most.prompt} bytes and an answer of at most {most.completion} tokens",
        )
    return tokens


@dataclass(frozen=True)
class Bill:
    """How a request is settled: by the counts of a reply, by the most it may cost, or for free.

    ``count`` raises ReplyError where the reply has no counts that can be true; then it is settled
    by the most it may cost.
    """

    count: Callable[[Mapping[str, Any]], None]
    estimate: Callable[[], None]
    refuse: Callable[[], None]


@dataclass
class Charge:
    """A request that was charged ahead; ``name`` is None where the model has no prices."""

    name: str | None
    most: Tokens
    piece: int
    estimated_tokens: float


class Meter:
    """Grants requests and counts what they cost.

    Parameters
    ----------
    records
        Folder of the model, for ``spending.csv``. Rates are kept next to it, in one file for all
        entries that ask the endpoint for the same model.
    """

    def __init__(self, model: Model, records: Path) -> None:
        assert model.endpoint is not None
        self._model, self._limits, self._prices = model, model.limits, model.prices
        self.usage = Usage()
        self._path = records / "spending.csv"
        self._spending = Spending(self._path, self._limits.total_budget)
        rates = {
            "requests": self._limits.requests_per_minute,
            "tokens": self._limits.tokens_per_minute,
        }
        kept = {kind: rate for kind, rate in rates.items() if rate is not None}
        self._pace = Pace(_rates_path(records, model.endpoint), kept) if kept else None
        self._tokens_per_byte = 0.5
        self._open = self._settled = 0
        self._hold_until = 0.0

    def hold(self, seconds: float) -> None:
        """Hold all requests for some seconds, as the server demands."""
        self._hold_until = max(self._hold_until, time.monotonic() + seconds)

    async def charge_ahead(self, most: Tokens, turn: asyncio.Lock) -> Charge:
        """Wait until one more request may be sent, and charge the most that it may cost.

        Parameters
        ----------
        turn : of the event loop; whoever waits first is granted first

        Raises
        ------
        StopError
            When the budget does not hold it.
        """
        estimate = most.prompt * self._tokens_per_byte + most.completion
        piece = 0
        async with turn:
            while (left := self._hold_until - time.monotonic()) > 0:
                await asyncio.sleep(left)
            name = await self._within_budget(most)
            try:
                while self._pace is not None:
                    wait, piece = self._pace.take({"requests": 1, "tokens": estimate})
                    if wait == 0:
                        break
                    await asyncio.sleep(min(wait, LONGEST_LOOK))
            except BaseException:
                self._settle(name, "refused", Tokens())
                raise
        return Charge(name, most, piece, estimate)

    async def _within_budget(self, most: Tokens) -> str | None:
        """Charge ahead. Where the budget lacks it, requests in flight may give some back."""
        if self._prices is None:
            return None
        cost = self._cost(most)
        while True:
            settled = self._settled
            name = self._spending.charge_ahead(most, cost, self._limits.budget)
            if name is not None:
                self._open += 1
                return name
            if not self._open:
                raise self._spent(cost)
            while self._settled == settled:
                await asyncio.sleep(_LOOK)

    def _spent(self, cost: float) -> StopError:
        assert self._prices is not None
        spending, currency, limits = self._spending, self._prices.currency, self._limits
        unsettled = (
            f", of which {spending.open:.4f} for its requests in flight or of jobs that were killed"
            if spending.open
            else ""
        )
        if limits.budget is not None and spending.total + cost > limits.budget:
            whose, budget, key = "its budget", limits.budget, "limits.budget in the model's entry"
            charged = f"{spending.total:.4f} is charged{unsettled} (see {self._path})"
        else:
            assert limits.total_budget is not None
            whose, budget, key = (
                "the budget of all models",
                limits.total_budget,
                "budget in the configuration",
            )
            charged = (
                f"{spending.all_models:.4f} is charged or in flight, {spending.total:.4f} of it "
                f"for this model{unsettled} (see {self._path} and the other models' beside it)"
            )
        return StopError(
            f"model '{self._model.id}': {whose} of {budget:g} {currency} is spent: {charged}, and "
            f"the next request may cost up to {cost:.4f}. All answers are kept. To continue, raise "
            f"{key} and run again: only missing responses are requested"
        )

    def count(self, charge: Charge, body: Mapping[str, Any]) -> None:
        """Settle a request by the counts of its reply, whatever else the reply holds.

        Raises
        ------
        ReplyError
            When it has none that can be true; then the charge is an estimate.
        """
        try:
            tokens = checked_tokens(body, charge.most)
        except ReplyError:
            self.estimate(charge)
            raise
        self._settle(charge.name, "counted", tokens)
        self.usage.prompt_tokens += tokens.prompt
        self.usage.completion_tokens += tokens.completion
        if self._pace is not None:
            self._tokens_per_byte = max(self._tokens_per_byte, tokens.prompt / charge.most.prompt)
            more = tokens.prompt + tokens.completion - charge.estimated_tokens
            self._pace.correct("tokens", charge.piece, more)

    def estimate(self, charge: Charge) -> None:
        """Settle a request whose cost is unknown: by the most that it may be."""
        self._settle(charge.name, "estimated", charge.most)

    def refuse(self, charge: Charge) -> None:
        """Settle a request that the endpoint did not answer: it costs nothing."""
        self._settle(charge.name, "refused", Tokens())

    def bill(self, charge: Charge) -> Bill:
        """How a charged request is settled."""
        settled = (partial(settle, charge) for settle in (self.count, self.estimate, self.refuse))
        return Bill(*settled)

    def charge_batch(self, name: str, most: Sequence[Tokens]) -> int:
        """Charge a batch ahead with the most that it may cost.

        Parameters
        ----------
        name : of the charge, for `settle_batch`
        most : of each request

        Returns
        -------
        int
            For how many of the requests, from the first on: all, or so many halvings of them that
            the budget holds the rest; 0 where it holds none.
        """
        count = len(most)
        while count and self._prices is not None:
            whole = sum(most[:count], Tokens())
            cost = self._prices.in_batch.cost(whole.prompt, whole.cached, whole.completion)
            if self._spending.charge_ahead(whole, cost, self._limits.budget, name):
                break
            count //= 2
        return count

    def batch_spent(self, most: Tokens) -> StopError:
        """The error that the budget does not hold one more request in a batch."""
        assert self._prices is not None
        return self._spent(self._prices.in_batch.cost(most.prompt, most.cached, most.completion))

    def settle_batch(self, name: str, counted: Tokens, estimated: Tokens) -> None:
        """Settle a batch, unless another run has.

        Parameters
        ----------
        counted : by the endpoint
        estimated : the most of those requests whose cost is unknown
        """
        self.usage.prompt_tokens += counted.prompt
        self.usage.completion_tokens += counted.completion
        if self._prices is None:
            return
        prices, whole = self._prices.in_batch, counted + estimated
        spent = prices.cost(whole.prompt, whole.cached, whole.completion)
        nothing = Tokens()
        state: State = "estimated" if estimated != nothing else "counted"
        if whole == nothing:
            state = "refused"
        if self._spending.settle(name, state, whole, spent, once=True):
            self.usage.cost += spent
            self.usage.estimated_cost += prices.cost(
                estimated.prompt, estimated.cached, estimated.completion
            )

    def _settle(self, name: str | None, state: State, tokens: Tokens) -> None:
        if name is None:
            return
        cost = self._cost(tokens)
        self._spending.settle(name, state, tokens, cost)
        self.usage.cost += cost
        if state == "estimated":
            self.usage.estimated_cost += cost
        self._open -= 1
        self._settled += 1

    def _cost(self, tokens: Tokens) -> float:
        assert self._prices is not None
        return self._prices.cost(tokens.prompt, tokens.cached, tokens.completion)


def _rates_path(records: Path, endpoint: Endpoint) -> Path:
    """One file per endpoint and name of a model there, for all entries that ask it."""
    digest = hashlib.sha256(f"{endpoint.url}\0{endpoint.model}".encode()).hexdigest()[:12]
    return records.parent / ".rates" / f"{urlsplit(endpoint.url).hostname}-{digest}.json"
