"""Run code that a model wrote: in a process of its own, within limits, never in this one.

Two kinds. ``bubblewrap``: namespaces of its own, so no network, no other process, no file but the
Python installation, the installed packages and the system's libraries, all read-only, and an
empty folder in memory. ``process``: the limits alone; the code can read what this user can read
(as root: what nobody can), can open connections and send signals.

The caller gives a driver: Python text of ours that defines ``main(inputs)``, handles the model's
code as data and returns a JSON value. The value comes back over a pipe, behind a secret that is
out of the code's sight before it runs, and only when ``main`` has returned. So code that prints a
result, or exits early, gives none. (Code that searched the interpreter's memory for the secret
could fake no more than it could have returned.)
"""

import contextlib
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
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from tabbench.core.errors import TabBenchError
from tabbench.sandbox import harness as sandbox_harness

Kind = Literal["bubblewrap", "process"]
Status = Literal["ok", "exception", "timeout", "memory", "output", "killed"]


@dataclass(frozen=True)
class Limits:
    """Limits of the code; it may create no processes or threads.

    Attributes
    ----------
    seconds : wall-clock, start of Python included
    cpu_seconds : processor time
    memory : bytes of address space
    file_bytes : size of a file, and of the folder in memory
    stdout_bytes, result_bytes : what it may print, and return as JSON
    """

    seconds: float = 60.0
    cpu_seconds: int = 60
    memory: int = 2 * 1024**3
    file_bytes: int = 16 * 1024**2
    stdout_bytes: int = 1024**2
    result_bytes: int = 64 * 1024**2


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
    request = {"nonce": nonce, "driver": driver, "inputs": inputs, "site": site, **fields}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as stdin:
        stdin.write(json.dumps(request).encode())
        stdin.seek(0)
        Path(folder).chmod(0o777)  # the code may run as nobody
        result_end, channel = os.pipe()
        try:
            process = subprocess.Popen(
                _command(kind, site, channel, limits),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=_ENVIRONMENT,
                pass_fds=[channel],
                start_new_session=True,
            )
        finally:
            os.close(channel)
        try:
            stdout, result, reached = _watch(process, result_end, limits)
        finally:
            _end(process)
            os.close(result_end)
    text = stdout.decode(errors="replace")
    return _read(kind, nonce.encode(), result, reached, process.returncode, text)


_EMPTY = "/tmp/empty"
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/tmp",
    # Threads cannot be created; these libraries would try.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


def _command(kind: Kind, site: list[str], channel: int, limits: Limits) -> list[str]:
    python = str(Path(sys.executable).resolve())
    harness = inspect.getsource(sandbox_harness)
    inner = [python, "-I", "-S", "-B", "-X", "utf8", "-c", harness, str(channel)]
    if kind == "process":
        return inner
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise TabBenchError(f"sandbox: bubblewrap is not installed. {_REMEDY}")
    # Root keeps its user namespace, to become nobody inside: the limit on processes needs that.
    root = os.getuid() == 0
    rights = ["--cap-drop", "ALL"]
    if root:
        rights += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    spaces = ["ipc", "pid", "net", "uts", "cgroup-try", *([] if root else ["user"])]
    size = ["--size", str(limits.file_bytes)] if "--size" in _bwrap_help(bwrap) else []
    system = [path for path in ("/usr", "/lib", "/lib64", "/bin") if Path(path).exists()]
    readable = list(
        dict.fromkeys([*system, "/etc/ld.so.cache", "/etc/alternatives", sys.base_prefix, *site])
    )
    # Folders on the way that bubblewrap makes by itself are closed to nobody.
    way = sorted({str(parent) for path in readable for parent in Path(path).parents} - {"/"})
    return [
        bwrap,
        *(f"--unshare-{space}" for space in spaces),
        *rights,
        "--die-with-parent",
        "--new-session",
        # The folder in memory comes first: what is readable may lie under its path.
        *("--proc", "/proc", "--dev", "/dev", *size, "--tmpfs", "/tmp"),
        *(part for path in way for part in ("--perms", "0755", "--dir", path)),
        *(part for path in readable for part in ("--ro-bind-try", path, path)),
        *("--chmod", "1777", "/tmp", "--perms", "1777", "--dir", _EMPTY, "--chdir", _EMPTY, "--"),
        *inner,
    ]


_REMEDY = (
    "Install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; it needs "
    "Linux that lets users make namespaces), or write `sandbox: process` into the configuration, "
    "which runs the models' code with limits but without isolation from your files, processes and "
    "network."
)


@cache
def _bwrap_help(bwrap: str) -> str:
    done = subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _watch(
    process: subprocess.Popen[bytes], result_end: int, limits: Limits
) -> tuple[bytes, bytes, Status | None]:
    """Read both pipes until the process is gone or a limit is reached; say which one."""
    assert process.stdout is not None
    data = {process.stdout.fileno(): b"", result_end: b""}
    most = {process.stdout.fileno(): limits.stdout_bytes, result_end: limits.result_bytes}
    deadline = time.monotonic() + limits.seconds
    reached: Status | None = None
    with selectors.DefaultSelector() as selector:
        for pipe in data:
            os.set_blocking(pipe, False)
            selector.register(pipe, selectors.EVENT_READ)
        while reached is None:
            gone = process.poll() is not None  # asked before reading, so that nothing is missed
            ready = selector.select(0 if gone else 0.05)
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 20)
                if not chunk:
                    selector.unregister(key.fd)
                data[key.fd] += chunk
                if len(data[key.fd]) > most[key.fd]:
                    reached = "output"
            if gone and not ready:
                break
            if time.monotonic() > deadline:
                reached = "timeout"
    stdout, result = data.values()
    return stdout[: limits.stdout_bytes], result, reached


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
    lines = [line[len(nonce) :] for line in result.split(b"\n") if line.startswith(nonce)]
    if reached == "output":
        return Outcome("output", None, stdout, "the limit on output was reached")
    if reached == "timeout" or -code == signal.SIGXCPU or code == 128 + signal.SIGXCPU:
        return Outcome("timeout", None, stdout, "the limit on time was reached")
    if not lines:
        raise TabBenchError(
            f"sandbox: {kind} could not be started (exit code {code}): {stdout.strip()[-500:]}. "
            f"{_REMEDY if kind == 'bubblewrap' else ''}"
        )
    record: Mapping[str, Any] = json.loads(lines[-1])
    if record["status"] == "started":
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return Outcome("killed", None, stdout, f"its process ended without a result ({how})")
    value = json.loads(record["value"]) if record["status"] == "ok" else None
    return Outcome(record["status"], value, stdout, record["message"])
