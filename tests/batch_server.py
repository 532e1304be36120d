"""An endpoint that also takes files and batches, and fails in the ways that a test chooses.

What it answers is what `fault_server` answers one by one. A prompt is billed when its answer is
made, once for each batch that runs it.
"""

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import ThreadingHTTPServer
from typing import Any

from fault_server import COUNTS, PROBE, Handler, answer, prompt_of, serving

Lines = list[bytes]


def same(lines: Lines) -> Lines:
    return lines


@dataclass
class Fate:
    """What becomes of a batch.

    Attributes
    ----------
    status
        How it ends.
    looks
        Looks at it until then; at the first it is validated.
    run
        Share of its requests that are run, from the first on.
    output, errors
        What the lines of its files become.
    replies
        From a prompt to another reply and its HTTP status; None: the usual one.
    why
        Errors of a batch that fails.
    says_rest
        Whether requests that were not run have lines in the error file.
    """

    status: str = "completed"
    looks: int = 2
    run: float = 1.0
    output: Callable[[Lines], Lines] = same
    errors: Callable[[Lines], Lines] = same
    reply: Callable[[str], tuple[int, dict[str, Any]] | None] = lambda _text: None
    why: list[dict[str, Any]] = field(default_factory=list)
    says_rest: bool = True


@dataclass
class Made:
    """A batch of the server."""

    id: str
    file: str
    metadata: dict[str, str] | None
    fate: Fate
    looks: int = 0
    state: dict[str, Any] = field(default_factory=dict)


class BatchHandler(Handler):
    server: "BatchServer"

    def do_POST(self) -> None:
        if self.path == "/v1/files":
            self.answered_unless_faulty("upload", self.take_file)
        elif self.path == "/v1/batches":
            self.answered_unless_faulty("make", self.make_batch)
        else:
            super().do_POST()

    def do_GET(self) -> None:
        path, _, query = self.path.removeprefix("/v1").partition("?")
        if path == "/batches":
            self.answered_unless_faulty("list", lambda: self.list_batches(query))
        elif path.startswith("/batches/"):
            self.answered_unless_faulty("look", lambda: self.look(path.split("/")[2]))
        elif path.startswith("/files/"):
            self.answered_unless_faulty("content", lambda: self.content(path.split("/")[2]))
        else:
            super().do_GET()

    def answered_unless_faulty(self, call: str, reply: Callable[[], bytes | None]) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        with self.server.lock:
            self.server.calls[call] += 1
            fault = self.server.faulty(call, self.server.calls[call])
            content = None
            if fault in ("", "lost", "half"):
                content = reply()
        if fault in ("500", "429", "404"):
            self.refuse(int(fault), {"Retry-After": "0.01"})
        elif fault == "full":
            self.refuse(400, code="token_limit_exceeded", message="Enqueued token limit reached")
        elif fault in ("lost", "lost before"):
            self.close_connection = True
        elif fault == "half" and content:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
        elif content is None:
            self.refuse(404, message="no such thing")
        else:
            self.send(content)

    def take_file(self) -> bytes:
        kind = self.headers["Content-Type"].encode()
        form = BytesParser(policy=HTTP).parsebytes(
            b"Content-Type: " + kind + b"\r\n\r\n" + self.body
        )
        parts = {
            part.get_param("name", header="content-disposition"): part for part in form.iter_parts()
        }
        assert parts["purpose"].get_payload(decode=True) == b"batch"
        name = f"file-{len(self.server.files)}"
        self.server.files[name] = parts["file"].get_payload(decode=True)
        return json.dumps({"id": name, "object": "file"}).encode()

    def make_batch(self) -> bytes:
        fields = json.loads(self.body)
        assert fields["completion_window"] == "24h"
        server = self.server
        metadata = fields["metadata"] if server.keeps_metadata else None
        number = len(server.batches)
        name = f"batch_{number}"
        lines = [json.loads(line) for line in server.files[fields["input_file_id"]].splitlines()]
        server.sizes.append(len(lines))
        batch = Made(name, fields["input_file_id"], metadata, server.fate(number))
        assert {line["url"] for line in lines} == {fields["endpoint"]}
        assert len({line["custom_id"] for line in lines}) == len(lines) <= 50_000
        server.batches[name] = batch
        return self.state(batch)

    def state(self, batch: Made) -> bytes:
        fields = {
            "id": batch.id,
            "object": "batch",
            "status": "validating",
            "input_file_id": batch.file,
            "metadata": batch.metadata,
            "created_at": 1_700_000_000,
            "errors": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        return json.dumps(fields | batch.state).encode()

    def list_batches(self, query: str) -> bytes:
        """Newest first, two a page."""
        after = dict(part.split("=") for part in query.split("&")).get("after")
        names = list(reversed(self.server.batches))
        names = names[names.index(after) + 1 :] if after else names
        data = [json.loads(self.state(self.server.batches[name])) for name in names[:2]]
        return json.dumps({"object": "list", "data": data, "has_more": len(names) > 2}).encode()

    def look(self, name: str) -> bytes | None:
        batch = self.server.batches.get(name)
        if batch is None:
            return None
        batch.looks += 1
        total = self.server.files[batch.file].count(b"\n")
        if batch.looks >= batch.fate.looks:
            self.end(batch)
        else:
            counts = {"total": total, "completed": total // 2, "failed": 0}
            batch.state = {"status": "in_progress", "request_counts": counts}
        return self.state(batch)

    def end(self, batch: Made) -> None:
        if batch.state.get("status") == batch.fate.status:
            return
        batch.state = {"status": batch.fate.status, f"{batch.fate.status}_at": 1_700_000_060}
        if batch.fate.status == "failed":
            batch.state["errors"] = {"object": "list", "data": batch.fate.why}
            return
        self.server.ended.append(batch.id)
        asked = [json.loads(line) for line in self.server.files[batch.file].splitlines()]
        run = round(batch.fate.run * len(asked))
        output, errors = [], []
        for line in asked[:run]:
            text = prompt_of(line["body"])
            self.server.ran[text] += 1
            status, body = batch.fate.reply(text) or (200, self.answered(line["body"]))
            reply = {"status_code": status, "request_id": "r", "body": body}
            made = {"id": "x", "custom_id": line["custom_id"], "response": reply, "error": None}
            (output if status == 200 else errors).append(json.dumps(made).encode())
        for line in asked[run:] if batch.fate.says_rest else ():
            error = {"code": f"batch_{batch.fate.status}", "message": "not run"}
            made = {"id": "x", "custom_id": line["custom_id"], "response": None, "error": error}
            errors.append(json.dumps(made).encode())
        for name, lines in (
            ("output", batch.fate.output(output)),
            ("error", batch.fate.errors(errors)),
        ):
            if lines:
                file = f"{batch.id}-{name}"
                self.server.files[file] = b"\n".join(lines) + b"\n"
                batch.state[f"{name}_file_id"] = file

    def answered(self, body: dict[str, Any]) -> dict[str, Any]:
        """An answer, billed; the server's lock is held."""
        reply = answer(body)
        text = prompt_of(body)
        self.server.billed_prompts[text] += 1
        for place, name in enumerate(COUNTS[:2]):
            self.server.billed[place] += reply["usage"][name]
        return reply

    def content(self, name: str) -> bytes | None:
        return self.server.files.get(name)


class BatchServer(ThreadingHTTPServer):
    """``fate(number)`` of each batch; ``faulty(call, time)`` is the fault of a call, or "".

    Calls are upload, make, look, list and content. Faults: 500, 429, full (no room for a batch),
    404, lost (the call is done, but nobody hears of it), lost before (not done), half (of it).
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), BatchHandler)
        self.lock, self.over = threading.RLock(), threading.Event()
        self.fault, self.fails = "http_500", lambda _text, _time: False
        self.fate: Callable[[int], Fate] = lambda _number: Fate()
        self.faulty: Callable[[str, int], str] = lambda _call, _time: ""
        self.keeps_metadata = True
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Made] = {}
        self.sizes: list[int] = []
        self.ended: list[str] = []
        self.calls: Counter[str] = Counter()
        self.ran: Counter[str] = Counter()
        self.billed_prompts: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.bodies: list[dict[str, Any]] = []
        self.billed = [0, 0]
        self.delay = 0.0
        self.in_flight = self.most_in_flight = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def times_billed(self) -> set[int]:
        """How often prompts were billed, the probe's left out."""
        return {times for text, times in self.billed_prompts.items() if PROBE not in text}


@contextlib.contextmanager
def batch_server() -> Iterator[BatchServer]:
    server = BatchServer()
    with serving(server, server.over):
        yield server
