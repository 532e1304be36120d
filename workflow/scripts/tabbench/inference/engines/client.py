"""One request to an OpenAI-compatible endpoint: paced, timed, tried again, charged."""

import asyncio
import datetime
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx2
import openai

from tabbench.config.endpoints import Endpoint, Limits, Prices
from tabbench.core.errors import TabBenchError
from tabbench.inference.engines.base import Failure, StopError, Usage
from tabbench.inference.engines.pace import Bucket
from tabbench.inference.engines.replies import (
    Reply,
    ReplyError,
    parse_json,
    read_reply,
    read_tokens,
)
from tabbench.inference.engines.retrying import backoff, is_transient, retry_after
from tabbench.inference.engines.spending import Spending

T = TypeVar("T")

UNUSABLE_RETRIES = {"malformed_json": 2, "no_choice": 2, "no_logprobs": 2, "no_usage": 2}
"""Retries after a charged reply that is no answer; other kinds would not change."""

HOPELESS = {
    401: "it does not accept the API key",
    402: "it wants to be paid",
    403: "it denies access with this API key",
    404: "it does not know this address or model",
}
LONGEST_ASKED_WAIT = 600.0
MESSAGE = 300


class GaveUpError(Exception):
    """A request without a response after all its tries."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def api_key(endpoint: Endpoint) -> str:
    """The key from the environment; it is never logged or stored.

    Raises
    ------
    TabBenchError
        When the variable is not set.
    """
    if endpoint.api_key_env is None:
        return "none"
    key = os.environ.get(endpoint.api_key_env, "")
    if not key:
        raise TabBenchError(
            f"{endpoint.url}: no API key; set the environment variable {endpoint.api_key_env}"
        )
    return key


@dataclass
class Meter:
    """Counters over all requests of an engine: usage, rates, money."""

    limits: Limits
    prices: Prices | None
    spending: Spending
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        clock = time.monotonic
        per_minute = self.limits.requests_per_minute, self.limits.tokens_per_minute
        self._requests, self._tokens = (rate and Bucket(rate, clock) for rate in per_minute)
        self._open_at = 0.0

    def hold(self, seconds: float) -> None:
        """Hold all requests for some seconds, as the server demands."""
        self._open_at = max(self._open_at, time.monotonic() + seconds)

    async def turn(self, tokens: float) -> None:
        """Wait until one more request, of about so many tokens, may be sent."""
        waits = [self._requests.take(1) if self._requests else 0.0]
        waits.append(self._tokens.take(tokens) if self._tokens else 0.0)
        await asyncio.sleep(max(waits))
        while (left := self._open_at - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def charge(self, body: Mapping[str, Any], estimated: float) -> None:
        """Count a reply's tokens and its cost; a reply without counts is no answer anyway."""
        try:
            tokens = read_tokens(body)
        except ReplyError:
            return
        self.usage.prompt_tokens += tokens.prompt
        self.usage.completion_tokens += tokens.completion
        if self._tokens:
            self._tokens.correct(tokens.prompt + tokens.completion - estimated)
        if self.prices:
            counts = tokens.prompt, tokens.cached, tokens.completion
            cost = self.prices.cost(*counts)
            self.usage.cost += cost
            self.spending.charge(*counts, cost)

    @property
    def spent_up(self) -> bool:
        budget = self.limits.budget
        return budget is not None and self.spending.total >= budget


class Client:
    """Ask an endpoint; use as ``async with``, for one event loop.

    Raises
    ------
    TabBenchError
        When the API key is missing.
    """

    def __init__(self, endpoint: Endpoint, meter: Meter, chance: random.Random) -> None:
        self._endpoint, self._meter, self._chance = endpoint, meter, chance
        self._key = api_key(endpoint)
        self._openai = openai.AsyncOpenAI(
            api_key=self._key,
            base_url=endpoint.url,
            max_retries=0,
            timeout=meter.limits.timeout,
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._openai.close()

    async def ask(self, path: str, body: Mapping[str, Any], read: Callable[[Reply, float], T]) -> T:
        """Send a request until it is answered.

        Parameters
        ----------
        read : from a reply and its seconds to the answer; may raise ReplyError

        Raises
        ------
        GaveUpError
            When all tries failed, or a retry cannot help.
        StopError
            When no request can succeed.
        """
        limits = self._meter.limits
        tokens = len(str(body)) / 4 + body.get("max_tokens", 0)
        unusable = 0
        attempt = 0
        while True:
            await self._meter.turn(tokens)
            wait = None
            try:
                return await self._try(path, body, read, tokens)
            except ReplyError as error:
                failure = Failure(error.kind, self._shown(str(error)))
                unusable += 1
                final = unusable > UNUSABLE_RETRIES.get(error.kind, 0)
            except openai.APIStatusError as error:
                failure, wait, final = self._refused(error)
            except (openai.APITimeoutError, TimeoutError):
                failure = Failure("timeout", f"no answer within {limits.timeout:g} s")
                final = False
            except (openai.APIConnectionError, httpx2.HTTPError) as error:
                failure = Failure("connection", self._shown(str(error.__cause__ or error)))
                final = False
            if final or attempt >= limits.retries:
                raise GaveUpError(failure)
            self._meter.usage.retries += 1
            pause = backoff(attempt, limits.backoff, self._chance)
            attempt += 1
            await asyncio.sleep(pause if wait is None else wait + pause / 10)

    async def _try(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[Reply, float], T],
        estimated: float,
    ) -> T:
        start = time.perf_counter()
        async with asyncio.timeout(self._meter.limits.timeout):
            response = await self._openai.post(path, body=dict(body), cast_to=httpx2.Response)
        seconds = time.perf_counter() - start
        content = parse_json(response.text)
        self._meter.charge(content, estimated)
        reply = read_reply(content)
        if not self._endpoint.names(reply.model):
            raise ReplyError(
                "wrong_model",
                f"'{reply.model}' answered, '{self._endpoint.model}' was asked; "
                f"if both are the same model, set endpoint.reports_as",
            )
        return read(reply, seconds)

    def _refused(self, error: openai.APIStatusError) -> tuple[Failure, float | None, bool]:
        """Interpret an HTTP error: the failure, seconds to wait, whether to give up."""
        status, headers = error.status_code, error.response.headers
        where = f"{self._endpoint.url}, model '{self._endpoint.model}'"
        said = self._shown(error.message)
        quota = "insufficient_quota" in (error.code or "")
        if status in HOPELESS or quota:
            why = "its quota is used up" if quota else HOPELESS[status]
            # What a server says to a wrong key may repeat a part of it.
            detail = "" if status in (401, 403) else f": {said}"
            raise StopError(f"{where}: HTTP {status}, {why}{detail}")
        wait = retry_after(headers.get("retry-after"), datetime.datetime.now(datetime.UTC))
        if wait is not None and wait > LONGEST_ASKED_WAIT:
            raise StopError(
                f"{where}: HTTP {status}, it asks to wait {wait:,.0f} s; run again after that"
            )
        if wait is not None:
            self._meter.hold(wait)
        kind = "rate_limit" if status == 429 else f"http_{status}"
        return Failure(kind, said), wait, not is_transient(status)

    def _shown(self, text: str) -> str:
        return text.replace(self._key, "***")[:MESSAGE]

    async def models(self) -> Mapping[str, Any]:
        """The endpoint's list of models; empty when it gives none."""
        try:
            async with asyncio.timeout(self._meter.limits.timeout):
                response = await self._openai.get("/models", cast_to=httpx2.Response)
            return parse_json(response.text)
        except (openai.APIError, httpx2.HTTPError, ReplyError, TimeoutError):
            return {}
