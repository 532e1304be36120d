"""Run code that a model wrote: in a process of its own, within limits, never in this one.

Two kinds. ``bubblewrap``: namespaces of its own, so no network, no other process, no file but the
Python installation, the installed packages and the system's libraries, all read-only, and an
empty folder. ``process``: no walls; the code can read what this user can read (as root: what
nobody can, and Python's own folder wherever it lies).

Both: limits (`Limits`), and, as far as the kernel has them, a filter of system calls (seccomp: no
sockets, no signals to other processes, no memory outside the address space), no changes outside
the code's own folder (Landlock), and a group with a limit on memory (systemd). What is in force is
printed once.

The caller gives a driver: Python text of ours that defines ``main(inputs)``, handles the model's
code as data and returns a JSON value. The value comes back over a pipe, behind a secret that is
out of the code's sight before it runs, and only when ``main`` has returned. So code that prints a
result, or exits early, gives none. (Code that searched the interpreter's memory for the secret
could fake no more than it could have returned.)
"""

import base64
import contextlib
import errno
import inspect
import json
import os
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tabbench.core.errors import TabBenchError
from tabbench.core.files import writable
from tabbench.sandbox import cgroup
from tabbench.sandbox import harness as sandbox_harness
from tabbench.sandbox.syscalls import number, seccomp_filter

Kind = Literal["bubblewrap", "process"]
Status = Literal["ok", "exception", "timeout", "memory", "output", "killed"]


@dataclass(frozen=True)
class Limits:
    """Limits of the code; it may create no processes or threads.

    Attributes
    ----------
    seconds : wall-clock, from when the code starts
    cpu_seconds : processor time, start of Python included
    memory : bytes of address space
    file_bytes : size of a file, and of all files in its folder
    stdout_bytes, result_bytes : what it may print, and return as JSON
    """

    seconds: float = 60.0
    cpu_seconds: int = 60
    memory: int = 2 * 1024**3
    file_bytes: int = 16 * 1024**2
    stdout_bytes: int = 1024**2
    result_bytes: int = 16 * 1024**2


@dataclass(frozen=True)
class Outcome:
    """``value`` is what ``main`` returned, when ``status`` is ok; ``message`` says what went wrong.

    ``exception``: the code raised. ``timeout``, ``memory``, ``output``: it reached a limit.
    ``killed``: its process ended by itself or by a signal, without a result.
    """

    status: Status
    value: Any
    stdout: str
    message: str


def run(driver: str, inputs: Any, kind: Kind, limits: Limits | None = None) -> Outcome:
    """Run ``main(inputs)`` of ``driver`` in a sandbox.

    Parameters
    ----------
    driver : Python text, ours; numpy, pandas and what else is installed can be imported
    inputs : JSON value; the model's code stands in it as text
    kind : bubblewrap or process
    limits : as the class sets them, if None

    Raises
    ------
    TabBenchError
        When the sandbox itself cannot be set up. What the code does never raises.
    """
    limits = limits or Limits()
    nonce = secrets.token_hex(16)
    fields = {key: value for key, value in asdict(limits).items() if key != "seconds"}
    site = list(dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib")))
    # Inside bubblewrap no process can be seen but the code's own.
    walls = kind == "bubblewrap"
    program = seccomp_filter(walls)
    request = {
        **{"nonce": nonce, "driver": driver, "inputs": inputs, "site": site, **fields},
        "keyctl": number("keyctl"),
        "seccomp": program and base64.b64encode(program).decode(),
        "parent": None if walls else os.getpid(),
    }
    with _folder() as folder, tempfile.TemporaryFile() as stdin:
        stdin.write(json.dumps(request).encode())
        stdin.seek(0)
        result_end, channel = os.pipe()
        try:
            process = subprocess.Popen(
                _command(kind, site, channel, folder, limits),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={**_ENVIRONMENT, **(cgroup.bus() if cgroup.available() else {})},
                pass_fds=[channel],
                start_new_session=True,
            )
        finally:
            os.close(channel)
        try:
            stdout, result, reached = _watch(process, result_end, nonce.encode(), folder, limits)
        finally:
            _end(process)
            os.close(result_end)
    text = stdout.decode(errors="replace")
    return _read(kind, nonce.encode(), result, reached, process.returncode, text)


_MOST_FILES = 1000


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """A folder for the code; it is gone afterwards, whatever the code has put there."""
    folder = tempfile.mkdtemp()
    try:
        Path(folder).chmod(0o777)  # the code may run as nobody
        yield folder
    finally:
        # Python's own removal fails at deep folders, and where a link took the folder's place.
        remove = ["rm", "-rf", folder]
        if subprocess.run(remove, capture_output=True, check=False).returncode:
            subprocess.run(["chmod", "-R", "u+rwx", folder], capture_output=True, check=False)
            subprocess.run(remove, capture_output=True, check=False)


def _full(folder: str, most: int) -> bool:
    """Whether the files below ``folder`` are more than a program needs, or together too large."""
    seen = size = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if seen > _MOST_FILES or size > most:
                        return True
        except OSError as error:  # what vanished meanwhile is none; too deep a path hides files
            if error.errno == errno.ENAMETOOLONG:
                return True
    return False


_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    # Threads cannot be created; these libraries would try.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


def _command(kind: Kind, site: list[str], channel: int, folder: str, limits: Limits) -> list[str]:
    python = str(Path(sys.executable).resolve())
    harness = inspect.getsource(sandbox_harness)
    inner = [python, "-I", "-S", "-B", "-X", "utf8", "-c", harness, str(channel)]
    # What the kernel keeps for it counts in the group, pages of files that it reads among it.
    group = cgroup.prefix(limits.memory + _GROUP_ROOM, _ENVIRONMENT)
    if kind == "process":
        return [*group, *inner]
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise TabBenchError(f"sandbox: bubblewrap is not installed. {_REMEDY}")
    # Root keeps its user namespace, to become nobody inside: the limit on processes needs that.
    root = os.getuid() == 0
    rights = ["--cap-drop", "ALL"]
    if root:
        rights += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    spaces = ["ipc", "pid", "net", "uts", "cgroup-try", *([] if root else ["user"])]
    system = [path for path in ("/usr", "/lib", "/lib64", "/bin") if Path(path).exists()]
    readable = list(
        dict.fromkeys([*system, "/etc/ld.so.cache", "/etc/alternatives", sys.base_prefix, *site])
    )
    # Folders on the way that bubblewrap makes by itself are closed to nobody.
    way = sorted(
        {str(parent) for path in [*readable, folder] for parent in Path(path).parents} - {"/"}
    )
    return [
        *group,
        bwrap,
        *(f"--unshare-{space}" for space in spaces),
        *rights,
        "--die-with-parent",
        "--new-session",
        *("--proc", "/proc", "--ro-bind-try", "/dev/null", "/proc/keys"),
        *("--dev", "/dev", "--remount-ro", "/dev"),
        *(part for path in way for part in ("--perms", "0755", "--dir", path)),
        *(part for path in readable for part in ("--ro-bind-try", path, path)),
        *("--bind", folder, folder, "--chdir", folder, "--remount-ro", "/", "--"),
        *inner,
    ]


_GROUP_ROOM = 256 * 1024**2
_REMEDY = (
    "Install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; it needs "
    "Linux that lets users make namespaces), or write `sandbox: process` into the configuration, "
    "which lets the models' code read your files."
)


_START_SECONDS = 120.0


def _watch(
    process: subprocess.Popen[bytes], result_end: int, nonce: bytes, folder: str, limits: Limits
) -> tuple[bytes, bytes, Status | None]:
    """Read both pipes until the process is gone or a limit is reached; say which one."""
    assert process.stdout is not None
    stdout, result = bytearray(), bytearray()
    pipes = {
        process.stdout.fileno(): (stdout, limits.stdout_bytes),
        result_end: (result, limits.result_bytes),
    }
    started = False
    deadline = time.monotonic() + _START_SECONDS
    reached: Status | None = None
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            os.set_blocking(pipe, False)
            selector.register(pipe, selectors.EVENT_READ)
        while reached is None:
            gone = process.poll() is not None  # asked before reading, so that nothing is missed
            ready = selector.select(0 if gone else 0.05)
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 20)
                if not chunk:
                    selector.unregister(key.fd)
                data, most = pipes[key.fd]
                data += chunk
                if len(data) > most:
                    reached = "output"
            if gone and not ready:
                break
            if not started and nonce in result:
                started, deadline = True, time.monotonic() + limits.seconds
            if time.monotonic() > deadline:
                reached = "timeout"
            elif _full(folder, limits.file_bytes):
                reached = "output"
    return bytes(stdout[: limits.stdout_bytes]), bytes(result), reached


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _read(
    kind: Kind, nonce: bytes, result: bytes, reached: Status | None, code: int, stdout: str
) -> Outcome:
    """The outcome of a process that has ended.

    What was written after the first record, which says that the code starts, may be the code's own:
    whatever it is, it is an outcome.
    """
    lines = [line[len(nonce) :] for line in result.split(b"\n") if line.startswith(nonce)]
    if not lines:
        raise TabBenchError(
            f"sandbox: {kind} could not be started (exit code {code}): {stdout.strip()[-500:]}. "
            f"{_REMEDY if kind == 'bubblewrap' else ''}"
        )
    _say(kind, tuple(json.loads(lines[0])["missing"]))
    if reached == "output":
        return Outcome("output", None, stdout, "the limit on output or files was reached")
    if reached == "timeout" or -code == signal.SIGXCPU or code == 128 + signal.SIGXCPU:
        return Outcome("timeout", None, stdout, "the limit on time was reached")
    if len(lines) == 1:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return Outcome("killed", None, stdout, f"its process ended without a result ({how})")
    try:
        return _recorded(lines[-1], stdout)
    except (ValueError, RecursionError) as error:
        message = f"what it returned cannot be read: {writable(str(error))[:200]}"
        return Outcome("exception", None, stdout, message)


_DEEPEST = 32
"""Lists in lists; the drivers' results have five levels at most."""


def _recorded(line: bytes, stdout: str) -> Outcome:
    """The outcome in a record.

    Raises
    ------
    ValueError, RecursionError
        When it is none that the harness writes.
    """
    record = _clean(_loads(line))
    if not isinstance(record, dict) or not isinstance(record.get("message"), str):
        raise ValueError("no record with a message")
    match record:
        case {"status": "ok", "value": str(text)}:
            return Outcome("ok", _clean(_loads(text)), stdout, "")
        case {"status": "exception" | "memory" as status, "message": message}:
            return Outcome(status, None, stdout, message)
    raise ValueError("no status that the harness writes")


def _loads(text: str | bytes) -> Any:
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _clean(value: Any, depth: int = 0) -> Any:
    """A JSON value whose texts can be written to any file.

    Raises
    ------
    ValueError
        When it is nested too deep, or a number is too large for a float.
    """
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return [_clean(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {writable(key): _clean(one, depth + 1) for key, one in value.items()}
    if isinstance(value, int | float) and not abs(value) <= sys.float_info.max:
        raise ValueError("a number is too large")
    return value


@cache
def _say(kind: Kind, missing: Sequence[str]) -> None:
    """Print, once, which guards are in force."""
    absent = [*missing, *([] if cgroup.available() else ["a control group of systemd"])]
    without = f", without {' and '.join(absent)}: this machine has none" if absent else ""
    print(f"sandbox: {kind} with limits on each process{without}")
