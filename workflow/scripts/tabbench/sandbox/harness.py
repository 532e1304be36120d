"""The harness inside a sandbox; `tabbench.sandbox.sandbox` starts it and reads its one result.

It uses the standard library only, as its text runs in a separate Python. A driver, code
of ours, may import and warm up what it needs before privileges go; model code runs after that.
"""

import base64
import contextlib
import ctypes
import json
import os
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOBODY = 65534
_FILES = 64
"""Files that may be open: each may keep `file_bytes` although it is deleted."""


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


def _open_folders() -> dict[str, int]:
    """The folders that modules come from, opened while this process may."""
    if not Path("/proc/self/fd").is_dir():
        return {}
    return {
        path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in sys.path if Path(path).is_dir()
    }


def _keep_importing(folders: dict[str, int]) -> None:
    """Reach Python's own folder where it lies in one that is closed to nobody, such as root's."""
    closed = {}
    for path, number in folders.items():
        if os.access(path, os.R_OK | os.X_OK):
            os.close(number)
        else:
            closed[path] = f"/proc/self/fd/{number}"
    packages = [one.__path__ for one in list(sys.modules.values()) if hasattr(one, "__path__")]
    for paths in (sys.path, *(one for one in packages if isinstance(one, list))):
        for at, path in enumerate(paths):
            known = [one for one in closed if path == one or path.startswith(f"{one}/")]
            if known:
                folder = max(known, key=len)
                paths[at] = closed[folder] + path[len(folder) :]


_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_KEYCTL_JOIN_SESSION_KEYRING = 1
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # on every architecture
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_WRITES = {1: _WRITE_FILE | 0x1FF0, 2: 1 << 13, 3: _TRUNCATE}
"""Rights to change files, by the version of Landlock that knows them."""


def _confine(keyctl: int | None, seccomp: str | None, parent: int | None) -> list[str]:
    """Confine this process as far as the kernel knows how; say what is missing.

    A session keyring of its own; it ends with its parent; it writes below the present folder only
    and sees no other process's environment (Landlock); system calls are filtered (seccomp).

    Parameters
    ----------
    keyctl : number of that system call
    seccomp : the filter in base 64
    parent : the caller's id, where this process can see it
    """
    if sys.platform != "linux":
        return ["seccomp", "Landlock"]
    libc = ctypes.CDLL(None, use_errno=True)
    if keyctl is not None:
        libc.syscall(keyctl, _KEYCTL_JOIN_SESSION_KEYRING, None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # after the change of user, which unsets it
    if parent not in (None, os.getppid()):
        os._exit(1)  # the caller has ended in the meantime
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    missing = [] if _landlock(libc) else ["Landlock"]
    program = base64.b64decode(seccomp or "")
    code = ctypes.create_string_buffer(program)
    pointer = ctypes.create_string_buffer(
        struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    )
    if not program or libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, pointer):
        missing.append("seccomp")
    return missing


def _landlock(libc: ctypes.CDLL) -> bool:
    version = libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        return False
    writes = sum(rights for since, rights in _WRITES.items() if since <= version)
    network = 0b11 if version >= 4 else 0
    scopes = 0b11 if version >= 6 else 0  # abstract sockets, signals
    ruleset = libc.syscall(_LANDLOCK_CREATE, struct.pack("=QQQ", writes, network, scopes), 24, 0)
    if ruleset < 0:
        return False
    for path, rights in ((".", writes), (os.devnull, writes & (_WRITE_FILE | _TRUNCATE))):
        place = os.open(path, os.O_PATH)
        libc.syscall(_LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0)
        os.close(place)
    done: int = libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)
    return done == 0


def _outcome(main: Callable[[Any], Any], inputs: Any) -> dict[str, Any]:
    to_json = json.dumps
    try:
        value = to_json(main(inputs), allow_nan=False)
    except MemoryError:
        return {"status": "memory", "message": "the limit on memory was reached"}
    except BaseException as error:  # SystemExit too: an early exit is no result
        return {"status": "exception", "message": _said(error)}
    return {"status": "ok", "value": value, "message": ""}


def _said(error: BaseException) -> str:
    """Kind, text and line of an exception, which may be one that cannot be written out."""
    try:
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error}"[:2000]
        return f"{text} (line {last.lineno})"
    except BaseException:
        return "an exception whose text cannot be had"


def start(channel: int) -> None:
    """Read the request from standard input, run its driver, write the outcome to ``channel``."""
    request = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the request, nonce included, is out of reach
    nonce = request.pop("nonce").encode()
    write, leave, to_json = os.write, os._exit, json.dumps

    def send(record: dict[str, Any]) -> None:
        data = memoryview(b"\n" + nonce + to_json(record).encode() + b"\n")
        while data:
            data = data[write(channel, data) :]

    os.environ["HOME"] = os.environ["TMPDIR"] = str(Path.cwd())  # where it may write
    _limit(resource.RLIMIT_AS, request["memory"])
    _limit(resource.RLIMIT_CPU, request["cpu_seconds"], grace=1)  # a signal of its own, then kill
    _limit(resource.RLIMIT_FSIZE, request["file_bytes"])
    _limit(resource.RLIMIT_NOFILE, _FILES)
    _limit(resource.RLIMIT_CORE, 0)
    sys.path += request["site"]
    namespace: dict[str, Any] = {"__name__": "driver"}
    exec(compile(request["driver"], "driver", "exec"), namespace)
    folders = _open_folders()
    _give_up_privileges()
    _keep_importing(folders)
    missing = _confine(request["keyctl"], request["seccomp"], request["parent"])
    send({"status": "started", "missing": missing})
    record = _outcome(namespace["main"], request["inputs"])
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    send(record)
    leave(0)  # no exit handler of the model's runs


if __name__ == "__main__":
    start(int(sys.argv[1]))
