"""One request to an OpenAI-compatible endpoint: paced, timed, tried again, charged."""

import asyncio
import contextlib
import datetime
import json
import os
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2

from tabbench.config.endpoints import Endpoint, Limits
from tabbench.core.secrets import keep_secret, masked
from tabbench.inference.engines.base import BAD_REQUEST, TOO_LONG, Failure, StopError
from tabbench.inference.engines.exchange import NEVER_SENT, Connection, Exchange
from tabbench.inference.engines.meter import Bill, Charge, Meter, most_tokens
from tabbench.inference.engines.refusals import Refusal, exceeds_context, read_refusal
from tabbench.inference.engines.replies import Reply, parse_json, read_reply
from tabbench.inference.engines.retrying import backoff, is_transient, patience, retry_after
from tabbench.inference.engines.steps import ReplyError

T = TypeVar("T")

Send = Callable[[Connection], Awaitable[Exchange]]

UNUSABLE_RETRIES = {
    **{"malformed_json": 2, "no_choice": 2, "no_logprobs": 2, "no_usage": 2},
    **{"bad_encoding": 2, "error_reply": 2},
}
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
    """A request without a response after all its tries.

    Attributes
    ----------
    transient
        Whether it failed by something that passes, and was tried for as long as that may take.
    """

    def __init__(self, failure: Failure, transient: bool) -> None:
        super().__init__(str(failure))
        self.failure, self.transient = failure, transient


class RefusedError(StopError):
    """A refusal that every further request would meet; ``failure`` is that of the one request."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message)


@dataclass(frozen=True)
class Unanswered:
    """A request of a file without an answer, and how often it may be handed in again."""

    failure: Failure
    retries: int


class TryError(Exception):
    """A try without an answer, to be tried again unless ``final``."""

    def __init__(self, failure: Failure, final: bool = False, wait: float = 0.0) -> None:
        super().__init__(str(failure))
        self.failure, self.final, self.wait = failure, final, wait


def api_key(endpoint: Endpoint) -> str:
    """The key from the environment, without blanks and line ends around it; kept secret.

    Raises
    ------
    StopError
        When the variable is not set, or holds what no header can.
    """
    if endpoint.api_key_env is None:
        return "none"
    key = os.environ.get(endpoint.api_key_env, "").strip()
    keep_secret(key)
    if not key:
        raise StopError(
            f"{endpoint.url}: no API key; set the environment variable {endpoint.api_key_env}"
        )
    if odd := re.search(r"[^!-~]", key):
        raise StopError(
            f"{endpoint.url}: the API key in the environment variable {endpoint.api_key_env} "
            f"cannot be sent: its character {odd.start() + 1} of {len(key)} is a blank, a control "
            "character or not ASCII; set it again"
        )
    return key


class Client:
    """Ask an endpoint; use as ``async with``, for one event loop.

    Raises
    ------
    StopError
        When the API key, a proxy or the certificates cannot be used.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, meter: Meter, chance: random.Random):
        self._endpoint, self._limits, self._meter, self._chance = endpoint, limits, meter, chance
        self._turn = asyncio.Lock()
        self._connection = Connection(endpoint.url, api_key(endpoint), limits.timeout)

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connection.__aexit__()

    async def ask(self, path: str, body: Mapping[str, Any], read: Callable[[Reply, float], T]) -> T:
        """Send a request until it is answered.

        Parameters
        ----------
        read : from a reply and its seconds to the answer; may raise ReplyError

        Raises
        ------
        GaveUpError
            When it was tried as often and as long as the limits say, or a retry cannot help.
        StopError
            When no request can succeed.
        """
        return await self._until_answered(lambda: self._try(path, body, read))

    async def call(self, send: Send) -> Mapping[str, Any]:
        """Make a call that costs nothing until it is answered; raises as `ask`."""

        async def once() -> Mapping[str, Any]:
            return parse_json((await self.call_once(send)).text)

        return await self._until_answered(once)

    async def fetch(self, send: Send) -> None:
        """Have a file written by a call that costs nothing; raises as `ask`."""
        await self._until_answered(lambda: self.call_once(send))

    async def call_once(self, send: Send) -> Exchange:
        """Make a call that costs nothing, once.

        Raises
        ------
        TryError, ReplyError
            When it is not answered.
        StopError
            When no call can succeed.
        """
        try:
            exchange = await send(self._connection)
        except (httpx2.TimeoutException, TimeoutError) as error:
            within = f"no answer within {self._limits.timeout:g} s"
            raise TryError(self._failure("timeout", within)) from error
        except httpx2.HTTPError as error:
            raise TryError(self._failure("connection", _reason(error))) from error
        if exchange.status >= 300:
            try:
                refusal = read_refusal(parse_json(exchange.text))
            except ReplyError:
                refusal = None
            raise self._refused(exchange, refusal)
        return exchange

    async def _until_answered(self, once: Callable[[], Awaitable[T]]) -> T:
        longest = patience(self._limits.retries, self._limits.backoff)
        unusable = attempt = 0
        failing_since: float | None = None
        while True:
            try:
                return await once()
            except ReplyError as error:
                unusable += 1
                final = unusable > UNUSABLE_RETRIES.get(error.kind, 0)
                failed = TryError(self._failure(error.kind, str(error)), final)
            except TryError as error:
                failed = error
            now = time.monotonic()
            failing_since = failing_since or now
            worn = attempt >= self._limits.retries and now - failing_since >= longest
            if failed.final or worn:
                raise GaveUpError(failed.failure, not failed.final)
            self._meter.usage.retries += 1
            pause = backoff(attempt, self._limits.backoff, self._chance)
            attempt += 1
            # Requests that wait for the same moment do not come back at one moment.
            await asyncio.sleep(max(pause, failed.wait) + pause / 10)

    async def _try(
        self, path: str, body: Mapping[str, Any], read: Callable[[Reply, float], T]
    ) -> T:
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        charge = await self._meter.charge_ahead(most_tokens(body, content), self._turn)
        start = time.perf_counter()
        exchange = await self._send(path, content, charge)
        seconds = time.perf_counter() - start
        bill = self._meter.bill(charge)
        return self._read(exchange, bill, lambda reply: read(reply, seconds))

    async def _send(self, path: str, content: bytes, charge: Charge) -> Exchange:
        """Send it once; where no whole reply comes, its cost stays unknown."""
        try:
            return await self._connection.send("POST", path, content)
        except NEVER_SENT as error:
            self._meter.refuse(charge)
            raise TryError(self._failure("connection", _reason(error))) from error
        except (httpx2.TimeoutException, TimeoutError) as error:
            self._meter.estimate(charge)
            within = f"no answer within {self._limits.timeout:g} s"
            raise TryError(self._failure("timeout", within)) from error
        except httpx2.HTTPError as error:
            self._meter.estimate(charge)
            raise TryError(self._failure("connection", _reason(error))) from error
        except BaseException:
            self._meter.estimate(charge)
            raise

    def read_line(
        self, status: int, body: Mapping[str, Any], bill: Bill, read: Callable[[Reply], T]
    ) -> "T | Unanswered":
        """The answer of a reply that came in a file; raises RefusedError as `ask`.

        Parameters
        ----------
        status, body : the reply's HTTP status and its object
        """
        try:
            return self._read(Exchange(status, httpx2.Headers(), json.dumps(body)), bill, read)
        except ReplyError as error:
            failure = self._failure(error.kind, str(error))
            return Unanswered(failure, UNUSABLE_RETRIES.get(error.kind, 0))
        except TryError as error:
            return Unanswered(error.failure, 0 if error.final else self._limits.retries)

    def _read(self, exchange: Exchange, bill: Bill, read: Callable[[Reply], T]) -> T:
        """The answer of a reply; the request is settled whatever the reply holds."""
        failing = exchange.status >= 300
        try:
            body = parse_json(exchange.text)
            refusal = read_refusal(body)
        except ReplyError:
            body, refusal = {}, None
            if not failing:
                bill.estimate()
                raise
        except BaseException:
            bill.estimate()
            raise
        if failing or refusal is not None:
            if body.get("usage"):
                with contextlib.suppress(ReplyError):
                    bill.count(body)
            else:
                bill.refuse()
            raise self._refused(exchange, refusal)
        bill.count(body)
        try:
            reply = read_reply(body)
            if not self._endpoint.names(reply.model):
                raise ReplyError(
                    "wrong_model",
                    f"'{reply.model}' answered a request for '{self._endpoint.model}'; if both "
                    "are the same model, set endpoint.reports_as",
                )
            return read(reply)
        except ReplyError:
            raise
        except Exception as error:
            raise ReplyError("bad_reply", f"it cannot be read ({_reason(error)})") from error

    def _refused(self, exchange: Exchange, refusal: Refusal | None) -> Exception:
        """Interpret an error of the endpoint, by its HTTP status or by what its body says."""
        status, headers = exchange.status, exchange.headers
        where = f"{self._endpoint.url}, model '{self._endpoint.model}'"
        if 300 <= status < 400:
            target = masked(headers.get("location", "nowhere"))[:MESSAGE]
            return RefusedError(
                f"{where}: HTTP {status}, it sends requests on to {target}. They are not sent "
                "there, with prompts and key; if that is right, set endpoint.url accordingly",
                f"http_{status}",
            )
        code = refusal.code if refusal else ""
        said = (refusal.message if refusal else exchange.text.strip()) or "without a text"
        if status < 300:
            stated = refusal.status if refusal else None
            if stated is None:
                return ReplyError("error_reply", f"the endpoint reports an error: {code} {said}")
            status = stated
        if code and code != str(status):
            said = f"{said} ({code})"
        kind = "rate_limit" if status == 429 else f"http_{status}"
        if kind in BAD_REQUEST and exceeds_context(said):
            kind = TOO_LONG
        failure = self._failure(kind, said)
        quota = "insufficient_quota" in code
        if status in HOPELESS or quota:
            why = "its quota is used up" if quota else HOPELESS[status]
            # What a server says to a wrong key may repeat a part of it.
            detail = "" if status in (401, 403) else f": {failure.message}"
            return RefusedError(f"{where}: HTTP {status}, {why}{detail}", failure.kind)
        wait = retry_after(headers.get("retry-after"), datetime.datetime.now(datetime.UTC))
        if wait is not None and wait > LONGEST_ASKED_WAIT:
            return RefusedError(
                f"{where}: HTTP {status}, it asks to wait {wait:,.0f} s; run again after that",
                failure.kind,
            )
        if wait is not None:
            self._meter.hold(wait)
        return TryError(failure, not is_transient(status), wait or 0.0)

    def _failure(self, kind: str, message: str) -> Failure:
        return Failure(kind, masked(message)[:MESSAGE])

    async def models(self) -> Mapping[str, Any]:
        """The endpoint's list of models; empty when it gives none."""
        try:
            return parse_json((await self._connection.send("GET", "/models")).text)
        except (httpx2.HTTPError, ReplyError, TimeoutError):
            return {}


def _reason(error: BaseException) -> str:
    """What an exception says, of its cause where it says nothing itself; never empty."""
    for one in (error.__cause__, error):
        if one is not None and str(one):
            return f"{type(one).__name__}: {one}"
    return type(error).__name__
