"""A small OpenAI-compatible endpoint that answers, or fails in a way that a test chooses.

python tests/fault_server.py FAULT ...    prints its address; ends when its input ends
"""

import contextlib
import hashlib
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "faulty-1"
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
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
    return {"id": "x", "model": body["model"], "choices": [choice], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    server: "FaultServer"
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def send(self, text: str, status: int = 200, headers: dict[str, str] | None = None) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def refuse(self, status: int, headers: dict[str, str] | None = None, **error: str) -> None:
        self.send(json.dumps({"error": {"message": "refused", **error}}), status, headers)

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
                self.send(json.dumps(answer(body)))


def _changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[Handler, dict[str, Any]], None]:
    def send(handler: Handler, body: dict[str, Any]) -> None:
        reply = answer(body)
        change(reply)
        handler.send(json.dumps(reply))

    return send


def _dropped(handler: Handler, body: dict[str, Any]) -> None:
    """Half of the reply, then the connection is gone."""
    content = json.dumps(answer(body)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    handler.close_connection = True


def _silent(handler: Handler, _: dict[str, Any]) -> None:
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
    "http_400": lambda handler, _: handler.refuse(400, message="maximum context length"),
    "thinking": _changed(
        lambda reply: (
            reply["choices"][0]
            .get("message", reply["choices"][0])
            .update(content="<think>well", text="<think>well")
        )
    ),
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
        self.delay = 0.0
        self.in_flight = self.most_in_flight = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextlib.contextmanager
def fault_server(
    fault: str = "http_500", fails: Callable[[str, int], bool] = lambda _text, _time: False
) -> Iterator[FaultServer]:
    server = FaultServer(fault, fails)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


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
