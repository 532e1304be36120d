"""The harness inside a sandbox; `tabbench.sandbox.sandbox` starts it and reads its one result.

It uses the standard library only, as its text runs in a separate Python. A driver, code
of ours, may import and warm up what it needs before privileges go; model code runs after that.
"""

import contextlib
import json
import os
import resource
import sys
import traceback
from collections.abc import Callable
from typing import Any

NOBODY = 65534


def _limit(kind: int, value: int, grace: int = 0) -> None:
    with contextlib.suppress(ValueError):  # a limit that is lower already stays
        resource.setrlimit(kind, (value, value + grace))


def _give_up_privileges() -> None:
    """Become nobody, where this process may; then no process or thread can be made any more.

    The kernel does not count root's processes, so the order matters.
    """
    if os.getuid() == 0:
        with contextlib.suppress(PermissionError):
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    _limit(resource.RLIMIT_NPROC, 0)


def _outcome(main: Callable[[Any], Any], inputs: Any) -> dict[str, Any]:
    to_json = json.dumps
    try:
        value = to_json(main(inputs), allow_nan=False)
    except MemoryError:
        return {"status": "memory", "message": "the limit on memory was reached"}
    except BaseException as error:  # SystemExit too: an early exit is no result
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error}"[:2000]
        return {"status": "exception", "message": f"{text} (line {last.lineno})"}
    return {"status": "ok", "value": value, "message": ""}


def start(channel: int) -> None:
    """Read the request from standard input, run its driver, write the outcome to ``channel``."""
    request = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the request, nonce included, is out of reach
    nonce = request.pop("nonce").encode()
    write, leave, to_json = os.write, os._exit, json.dumps

    def send(record: dict[str, Any]) -> None:
        data = b"\n" + nonce + to_json(record).encode() + b"\n"
        while data:
            data = data[write(channel, data) :]

    _limit(resource.RLIMIT_AS, request["memory"])
    _limit(resource.RLIMIT_CPU, request["cpu_seconds"], grace=1)  # a signal of its own, then kill
    _limit(resource.RLIMIT_FSIZE, request["file_bytes"])
    _limit(resource.RLIMIT_CORE, 0)
    sys.path += request["site"]
    namespace: dict[str, Any] = {"__name__": "driver"}
    exec(compile(request["driver"], "driver", "exec"), namespace)
    _give_up_privileges()
    send({"status": "started"})
    record = _outcome(namespace["main"], request["inputs"])
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    send(record)
    leave(0)  # no exit handler of the model's runs


if __name__ == "__main__":
    start(int(sys.argv[1]))
