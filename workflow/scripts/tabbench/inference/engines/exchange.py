"""HTTP exchanges with an endpoint: no redirect is followed, and no reply outgrows a limit."""

import asyncio
import contextlib
import os
import urllib.request
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import openai

from tabbench.core.disk import writing
from tabbench.core.secrets import keep_secret, masked
from tabbench.inference.engines.base import StopError
from tabbench.inference.engines.steps import ReplyError

MOST_BYTES = 64 * 2**20
"""Largest reply, unpacked. The longest that is asked for, 4,096 tokens with 20 alternatives each,
takes about a tenth of it."""

LONGEST_TRANSFER = 3600.0
"""Seconds that a file may take to come or go; the time-out of a try is for each of its pieces."""

MOST_CONNECTIONS = 1024

NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Errors after which the endpoint cannot have seen the request."""


@dataclass(frozen=True)
class Exchange:
    """A reply as it came: its text is unpacked, and unreadable bytes are replaced."""

    status: int
    headers: httpx2.Headers
    text: str


def unpack(raw: bytes, encoding: str) -> bytes:
    """Undo a reply's Content-Encoding.

    Raises
    ------
    ReplyError
        ``too_large`` for more than `MOST_BYTES`, ``bad_encoding`` for what is no gzip.
    """
    if encoding in ("", "identity"):
        return raw
    if encoding not in ("gzip", "x-gzip"):
        raise ReplyError("bad_encoding", f"the reply is packed as {encoding!r}, which is not asked")
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = stream.decompress(raw, MOST_BYTES + 1)
    except zlib.error as error:
        raise ReplyError("bad_encoding", f"the reply is no gzip as it says: {error}") from error
    if len(content) > MOST_BYTES:
        raise _too_large()
    return content


def _too_large() -> ReplyError:
    return ReplyError("too_large", f"the reply is larger than {MOST_BYTES // 2**20} MiB")


class _Bounded(httpx2.AsyncBaseTransport):
    """Below the openai package's client: reads whole replies, up to `MOST_BYTES` unpacked."""

    def __init__(self, timeout: float) -> None:
        # A client of its own, as only clients know the proxies that the environment names.
        self._http = httpx2.AsyncClient(
            timeout=timeout, limits=httpx2.Limits(max_connections=MOST_CONNECTIONS)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raw = bytearray()
        reply = await self._http.send(request, stream=True, follow_redirects=False)
        try:
            async for piece in reply.aiter_raw():
                raw += piece
                if len(raw) > MOST_BYTES:
                    raise _too_large()
        finally:
            await reply.aclose()
        content = unpack(bytes(raw), reply.headers.get("content-encoding", "").strip().lower())
        framing = ("content-encoding", "content-length", "transfer-encoding")
        headers = [one for one in reply.headers.multi_items() if one[0].lower() not in framing]
        return httpx2.Response(reply.status_code, headers=headers, content=content)

    @contextlib.asynccontextmanager
    async def stream(self, url: str, headers: dict[str, str]) -> AsyncIterator[httpx2.Response]:
        """A reply whose content is not read yet."""
        request = self._http.build_request("GET", url, headers=headers)
        reply = await self._http.send(request, stream=True, follow_redirects=False)
        try:
            yield reply
        finally:
            await reply.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()


class Connection:
    """Connections to one endpoint; use as ``async with``, for one event loop.

    Parameters
    ----------
    url : the address that paths are added to
    key : sent with each request, see `tabbench.core.secrets`
    timeout : seconds that one exchange may take in all

    Raises
    ------
    StopError
        When a proxy or certificate file that the environment names cannot be used.
    """

    def __init__(self, url: str, key: str, timeout: float) -> None:
        self._url, self._key, self._timeout = url, key, timeout
        try:
            for proxy in urllib.request.getproxies().values():
                keep_secret(urlsplit(proxy).password or "")
            self._transport = _Bounded(timeout)
        except (ValueError, ImportError, OSError) as error:
            raise StopError(_blame(error)) from error
        self._openai = openai.AsyncOpenAI(
            api_key=key,
            base_url=url,
            max_retries=0,
            timeout=timeout,
            default_headers={"Accept-Encoding": "gzip"},
            http_client=httpx2.AsyncClient(transport=self._transport, follow_redirects=False),
        )

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._openai.close()

    async def send(self, method: str, path: str, content: bytes | None = None) -> Exchange:
        """Send one request and read the whole reply.

        Raises
        ------
        httpx2.HTTPError, TimeoutError
            When no whole reply comes.
        ReplyError
            When it is too large or cannot be unpacked.
        """
        try:
            async with asyncio.timeout(self._timeout):
                if method == "GET":
                    reply = await self._openai.get(path, cast_to=httpx2.Response)
                else:
                    headers = {"Content-Type": "application/json"}
                    reply = await self._openai.post(
                        path, content=content, cast_to=httpx2.Response, options={"headers": headers}
                    )
        except openai.APIStatusError as error:
            reply = error.response
        except openai.APIConnectionError as error:
            # What the package wraps says more: which part of the exchange failed.
            raise (error.__cause__ or error) from None
        return _exchange(reply)

    async def upload(self, file: Path) -> Exchange:
        """Send a file of requests; raises as `send`."""
        try:
            async with asyncio.timeout(LONGEST_TRANSFER):
                with file.open("rb") as content:
                    raw = self._openai.files.with_raw_response
                    sent = await raw.create(file=(file.name, content), purpose="batch")
                    return _exchange(sent.http_response)
        except openai.APIStatusError as error:
            return _exchange(error.response)
        except openai.APIConnectionError as error:
            raise (error.__cause__ or error) from None

    async def download(self, path: str, target: Path, most: int) -> Exchange:
        """Write the content of a reply to a file, piece by piece, where it is not an error's.

        Parameters
        ----------
        most : bytes

        Raises
        ------
        httpx2.HTTPError, TimeoutError
            When no whole reply comes.
        ReplyError
            When it is too large or packed.
        """
        headers = {"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
        size = 0
        async with (
            asyncio.timeout(LONGEST_TRANSFER),
            self._transport.stream(self._url.rstrip("/") + path, headers) as reply,
        ):
            if reply.status_code >= 300:
                text = b""
                async for piece in reply.aiter_raw():
                    text = (text + piece)[:MOST_BYTES]
                return Exchange(reply.status_code, reply.headers, text.decode(errors="replace"))
            packed = reply.headers.get("content-encoding", "identity").strip().lower()
            if packed not in ("", "identity"):
                raise ReplyError("bad_encoding", f"the file is packed as {packed!r}, not asked for")
            with writing(target), target.open("wb") as file:
                async for piece in reply.aiter_raw():
                    size += len(piece)
                    if size > most:
                        raise ReplyError("too_large", f"the file is larger than {most:,} bytes")
                    file.write(piece)
        return Exchange(reply.status_code, reply.headers, "")


def _exchange(reply: httpx2.Response) -> Exchange:
    text = reply.content.decode("utf-8-sig", "replace")
    return Exchange(reply.status_code, reply.headers, text)


def _blame(error: Exception) -> str:
    """Name the environment variables that keep a client from being made."""
    if isinstance(error, OSError):
        named = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if name in os.environ]
        names = [name for name in named if not Path(os.environ[name]).exists()] or named
        what = "these certificates cannot be read"
    else:
        proxies = ("all_proxy", "http_proxy", "https_proxy")
        named = [name for name in sorted(os.environ) if name.lower() in proxies]
        known = ("http://", "https://")
        names = [n for n in named if not os.environ[n].lower().startswith(known)] or named
        what = "this proxy cannot be used; name one by http:// or https://"
    values = ", ".join(f"{name}={os.environ[name]}" for name in names)
    return masked(f"environment {values}: {what}, or unset the variable ({error})")
