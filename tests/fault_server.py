"""A small OpenAI-compatible endpoint that answers, or fails in a way that a test chooses.

python tests/fault_server.py FAULT ...    prints its address; ends when its input ends
"""

import contextlib
import gzip
import hashlib
import json
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "faulty-1"
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
PROBE = "Repeat the digit"


def prompt_of(body: dict[str, Any]) -> str:
    if "prompt" in body:
        return str(body["prompt"])
    return "\n".join(message["content"] for message in body["messages"])


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """A reply with logprobs; the label depends on the prompt's text alone."""
    text = prompt_of(body)
    label = text.split()[3] if PROBE in text else str(hashlib.sha256(text.encode()).digest()[0] % 2)
    other = "10"[int(label)]
    listed = [
        {"token": token, "logprob": logp, "bytes": list(token.encode())}
        for token, logp in ((label, -0.25), (other, -1.75), ("yes", -4.0))
    ]
    logprobs = {"content": [{**listed[0], "top_logprobs": listed}]}
    choice = {"index": 0, "finish_reason": "stop"}
    if body.get("logprobs"):
        choice["logprobs"] = logprobs
    if "prompt" in body:
        choice["text"] = label
    else:
        choice["message"] = {"role": "assistant", "content": label}
    tokens = len(text.split())
    usage = dict(zip(COUNTS, (tokens, 1, tokens + 1), strict=True))
    return {"id": "x", "model": body["model"], "choices": [choice], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    server: "FaultServer"
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def send(
        self, text: str | bytes, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        content = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def refuse(self, status: int, headers: dict[str, str] | None = None, **error: str) -> None:
        self.send(json.dumps({"error": {"message": "refused", **error}}), status, headers)

    def answered(self, body: dict[str, Any]) -> dict[str, Any]:
        """An answer, which the server bills from here on, whatever becomes of it."""
        reply = answer(body)
        counts = [reply["usage"][name] for name in COUNTS[:2]]
        with self.server.lock:
            self.server.billed = [
                sum(pair) for pair in zip(self.server.billed, counts, strict=True)
            ]
        return reply

    def do_GET(self) -> None:
        card = {"id": MODEL, "object": "model", "max_model_len": 2048}
        self.send(json.dumps({"object": "list", "data": [card]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            text = prompt_of(body)
            self.server.keys.add(self.headers.get("Authorization", ""))
            self.server.bodies.append(body)
            self.server.asked[text] += 1
            self.server.in_flight += 1
            self.server.most_in_flight = max(self.server.in_flight, self.server.most_in_flight)
            fails = self.server.fails(text, self.server.asked[text])
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if self.server.delay:
                time.sleep(self.server.delay)
            with self.server.lock:
                self.server.in_flight -= 1  # before the client hears of it
                self.server.answered[text] += not fails
            if fails:
                FAULTS[self.server.fault](self, body)
            else:
                self.send(json.dumps(self.answered(body)))


def _changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[Handler, dict[str, Any]], None]:
    def send(handler: Handler, body: dict[str, Any]) -> None:
        reply = handler.answered(body)
        change(reply)
        handler.send(json.dumps(reply))

    return send


def _choice(**changes: Any) -> Callable[[Handler, dict[str, Any]], None]:
    return _changed(lambda reply: reply["choices"][0].update(changes))


def _usage(**changes: Any) -> Callable[[Handler, dict[str, Any]], None]:
    return _changed(lambda reply: reply["usage"].update(changes))


def _text(content: Any, **others: Any) -> Callable[[Handler, dict[str, Any]], None]:
    """Another text of the answer; in a message also other fields."""

    def change(reply: dict[str, Any]) -> None:
        choice = reply["choices"][0]
        if "message" in choice:
            choice["message"].update(content=content, **others)
        else:
            choice.update(text=content)

    return _changed(change)


def _step(change: Callable[[dict[str, Any]], Any]) -> Callable[[Handler, dict[str, Any]], None]:
    """Another first token, with its alternatives."""
    return _changed(lambda reply: change(reply["choices"][0]["logprobs"]["content"][0]))


def _alternative(
    token: Any = "zzz", logprob: Any = -9.0
) -> Callable[[Handler, dict[str, Any]], None]:
    return _step(
        lambda step: step["top_logprobs"].append(
            {"token": token, "logprob": logprob, "bytes": None}
        )
    )


def _said(
    body: Any, status: int = 200, headers: dict[str, str] | None = None
) -> Callable[[Handler, dict[str, Any]], None]:
    """Something else than an answer, which is not billed."""
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    return lambda handler, _: handler.send(text, status, headers)


def _error(code: Any, message: str = "Provider returned error", status: int = 200) -> Any:
    """Case of the wild: an error that comes with HTTP 200."""
    nothing = {"id": None, "choices": None, "model": None, "usage": None}
    return _said({**nothing, "error": {"message": message, "code": code}}, status)


def _later(value: str) -> Callable[[Handler, dict[str, Any]], None]:
    return _said({"error": {"message": "slow down"}}, 429, {"Retry-After": value})


def _packed(pack: Callable[[bytes], bytes], encoding: str = "gzip") -> Any:
    def send(handler: Handler, body: dict[str, Any]) -> None:
        content = pack(json.dumps(handler.answered(body)).encode())
        handler.send(content, headers={"Content-Encoding": encoding})

    return send


def _raw(content: bytes) -> Callable[[Handler, dict[str, Any]], None]:
    """Bytes that need not be HTTP; then the connection is gone."""

    def send(handler: Handler, _: dict[str, Any]) -> None:
        handler.wfile.write(content)
        handler.wfile.flush()
        handler.close_connection = True

    return send


def _reset(handler: Handler, _: dict[str, Any]) -> None:
    linger = struct.pack("ii", 1, 0)  # the connection is reset, not closed
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()
    handler.close_connection = True


def _dripping(handler: Handler, body: dict[str, Any]) -> None:
    """A byte now and then, so that no single wait is long."""
    content = json.dumps(handler.answered(body)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    for byte in content:
        if handler.server.over.wait(0.05):
            break
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
    handler.close_connection = True


def _redirected(status: int) -> Callable[[Handler, dict[str, Any]], None]:
    def send(handler: Handler, _: dict[str, Any]) -> None:
        key = handler.headers.get("Authorization", "").removeprefix("Bearer ")
        target = f"{handler.server.url}/elsewhere?key={key}"
        handler.send("", status, {"Location": target})

    return send


def _echo(status: int) -> Callable[[Handler, dict[str, Any]], None]:
    """The server repeats the key that it was sent."""

    def send(handler: Handler, body: dict[str, Any]) -> None:
        key = handler.headers.get("Authorization", "")
        if status == 200:
            reply = handler.answered(body)
            choice = reply["choices"][0]
            choice.get("message", choice).update(text=f"1 {key}", content=f"1 {key}")
            handler.send(json.dumps(reply))
        else:
            handler.send(json.dumps({"error": {"message": f"{key} cannot {key!r}"}}), status)

    return send


def _dropped(handler: Handler, body: dict[str, Any]) -> None:
    """Half of the reply, then the connection is gone."""
    content = json.dumps(handler.answered(body)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    handler.close_connection = True


def _silent(handler: Handler, body: dict[str, Any]) -> None:
    handler.answered(body)
    handler.server.over.wait(30)
    handler.close_connection = True


FAULTS: dict[str, Callable[[Handler, dict[str, Any]], None]] = {
    "rate_limit": lambda handler, _: handler.refuse(429, {"Retry-After": "0.05"}),
    "rate_limit_date": lambda handler, _: handler.refuse(
        429, {"Retry-After": formatdate(time.time(), usegmt=True)}
    ),
    "http_500": lambda handler, _: handler.refuse(500),
    "http_503": lambda handler, _: handler.refuse(503),
    "connection": _dropped,
    "malformed_json": lambda handler, _: handler.send('{"choices": ['),
    "no_logprobs": _changed(lambda reply: reply["choices"][0].pop("logprobs", None)),
    "no_choice": _changed(lambda reply: reply.update(choices=[])),
    "wrong_model": _changed(lambda reply: reply.update(model="another")),
    "no_usage": _changed(lambda reply: reply.pop("usage")),
    "content_filter": _changed(
        lambda reply: reply["choices"][0].update(finish_reason="content_filter")
    ),
    "two_choices": _changed(lambda reply: reply["choices"].append({**reply["choices"][0]})),
    "timeout": _silent,
    "wrong_key": lambda handler, _: handler.refuse(401, message="Incorrect key: secr***"),
    "quota": lambda handler, _: handler.refuse(429, code="insufficient_quota"),
    "long_wait": lambda handler, _: handler.refuse(429, {"Retry-After": "86400"}),
    "http_400": lambda handler, _: handler.refuse(400, message="top_k is not supported"),
    "too_long": lambda handler, _: handler.refuse(
        400,
        message="This model's maximum context length is 2048 tokens. However, you requested 2049.",
        code="context_length_exceeded",
    ),
    "thinking": _changed(
        lambda reply: (
            reply["choices"][0]
            .get("message", reply["choices"][0])
            .update(content="<think>well", text="<think>well")
        )
    ),
    # Texts
    "half_character": _text("1 \ud83d"),
    "half_character_in_error": lambda handler, _: handler.refuse(400, message="no \ud83d here"),
    "half_character_as_token": _alternative("\udc00"),
    "bytes_that_are_no_utf8": lambda handler, body: handler.send(
        json.dumps(handler.answered(body)).replace("yes", "\u00ff").encode("latin-1")
    ),
    "byte_order_mark": lambda handler, body: handler.send(
        "\ufeff" + json.dumps(handler.answered(body))
    ),
    "null_character": _text("1\0"),
    "no_text": _text(None),
    "number_as_text": _text(1),
    "chunks": _text([{"type": "text", "text": "1"}]),
    "chunks_with_thinking": _text(
        [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": "1"},
        ]
    ),
    "chunk_that_is_none": _text([7]),
    "refusal": _text("", refusal="I cannot help with that."),
    # Log-probabilities
    "endless_integer": _alternative(logprob=-(10**400)),
    "minus_infinity": _alternative(logprob=float("-inf")),
    "not_a_number": _alternative(logprob=float("nan")),
    "null_alternative": _alternative(logprob=None),
    "positive_logprob": _alternative(logprob=3.0),
    "text_as_logprob": _alternative(logprob="-1"),
    "number_as_token": _alternative(token=7),
    "null_logprob": _step(lambda step: step.update(logprob=None)),
    "no_top_logprobs": _step(lambda step: step.pop("top_logprobs")),
    "endless_bytes": _step(lambda step: step.update(bytes=10**12)),
    "logprobs_as_list": _choice(logprobs=[1]),
    "steps_as_text": _choice(logprobs={"content": "1"}),
    # Counts of tokens
    "cached_above_prompt": _usage(prompt_tokens_details={"cached_tokens": 10**6}),
    "counts_as_floats": _usage(prompt_tokens=7.0, completion_tokens=1.0),
    "completion_in_total": _usage(completion_tokens=None),
    "absurd_count": _usage(prompt_tokens=1e30),
    "large_count": _usage(completion_tokens=10**9),
    "negative_count": _usage(completion_tokens=-1),
    "text_as_count": _usage(prompt_tokens="7"),
    "truth_as_count": _usage(prompt_tokens=True),
    "usage_as_list": _changed(lambda reply: reply.update(usage=[7])),
    "null_usage": _changed(lambda reply: reply.update(usage=None)),
    # Choices
    "choices_out_of_order": _changed(
        lambda reply: reply["choices"].insert(0, {"index": 1, "message": None, "text": 5})
    ),
    "choice_as_text": _changed(lambda reply: reply.update(choices=["1"])),
    "choices_as_mapping": _changed(lambda reply: reply.update(choices={"index": 0})),
    "null_choices": _changed(lambda reply: reply.update(choices=None)),
    "null_message": _choice(message=None),
    "null_model": _changed(lambda reply: reply.update(model=None)),
    # Errors that come with HTTP 200
    "error_429": _error(429),
    "error_429_as_text": _error("429"),
    "error_500": _error(500),
    "error_400": _error(400),
    "error_too_long": _error("context_length_exceeded", "Your input is too long"),
    "error_401": _error(401),
    "error_402": _error(402, "Insufficient credits"),
    "error_by_word": _error("rate_limit_exceeded"),
    "error_of_no_code": _error(None),
    "error_of_half_characters": _error(400, "half \ud83d"),
    "error_as_text": _said({"error": "out of order"}),
    "error_as_detail": _said({"detail": "out of order"}),
    "error_as_object": _said({"object": "error", "message": "too long", "code": 400}),
    "error_in_choice": _choice(finish_reason="error", error={"code": 502, "message": "gone"}),
    # Other HTTP statuses
    **{f"http_{status}": _said("", status) for status in (402, 403, 404, 408, 409, 413, 422, 425)},
    **{f"http_{status}": _said("<html>bad</html>", status) for status in (502, 504, 529)},
    "error_in_a_list": _said([{"error": {"message": "quota", "code": 400}}], 400),
    "no_content": _said("", 204),
    # When to come back
    "retry_at_once": _later("0"),
    "retry_before": _later("-5"),
    "retry_some_day": _later("soon"),
    "retry_never": _later("inf"),
    "retry_in_the_past": _later("Sun, 06 Nov 1994 08:49:37 GMT"),
    # Redirects
    **{f"redirect_{status}": _redirected(status) for status in (301, 302, 303, 307, 308)},
    # What is no JSON
    "empty": _said(""),
    "page": _said("<!doctype html><title>Sign in</title>"),
    "events": _said('data: {"choices": []}\n\ndata: [DONE]\n\n'),
    "nested": _said("[" * 100_000),
    "nested_object": _said('{"a": ' * 3_000 + "1" + "}" * 3_000),
    "long_integer": _said('{"a": ' + "1" * 5_000 + "}"),
    "list": _said("[]"),
    # The connection
    "reset": _reset,
    "closed": _raw(b""),
    "no_http": _raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    "strange_status": _raw(b"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}"),
    "broken_chunks": _raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
    "endless_header": _raw(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n"),
    "dripping": _dripping,
    # Packing and size
    "packed": _packed(gzip.compress),
    "packed_bomb": _packed(lambda _: gzip.compress(bytes(4 * 2**20))),
    "packed_twice": _packed(lambda content: gzip.compress(gzip.compress(content)), "gzip, gzip"),
    "packed_half": _packed(lambda content: gzip.compress(content)[:40]),
    "packed_not": _packed(lambda content: content),
    "packed_otherwise": _packed(lambda content: content, "br"),
    "too_large": _said(b" " * 4 * 2**20),
    # The key
    "key_in_text": _echo(200),
    "key_in_error": _echo(400),
}


class FaultServer(ThreadingHTTPServer):
    """Count what was asked and answered; ``fails(prompt, time)`` says when ``fault`` happens."""

    daemon_threads = True

    def __init__(self, fault: str, fails: Callable[[str, int], bool]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.fault, self.fails = fault, fails
        self.lock, self.over = threading.Lock(), threading.Event()
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.bodies: list[dict[str, Any]] = []
        self.billed = [0, 0]  # tokens of prompts and of answers
        self.delay = 0.0
        self.in_flight = self.most_in_flight = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextlib.contextmanager
def serving(server: ThreadingHTTPServer, over: threading.Event) -> Iterator[None]:
    """Let a server answer in a thread; ``over`` ends what it waits for."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def fault_server(
    fault: str = "http_500", fails: Callable[[str, int], bool] = lambda _text, _time: False
) -> Iterator[FaultServer]:
    server = FaultServer(fault, fails)
    with serving(server, server.over):
        yield server


def never(_text: str, _time: int) -> bool:
    return False


def first_time(text: str, time: int) -> bool:
    """Each dataset prompt fails once; the probe does not."""
    return PROBE not in text and time == 1


def always(text: str, _time: int) -> bool:
    return PROBE not in text


if __name__ == "__main__":
    with fault_server(sys.argv[1], first_time) as running:
        print(running.url, flush=True)
        sys.stdin.read()
