"""The sandbox holds against code that attacks it, in both kinds, and only returned values count."""

import contextlib
import os
import shutil
import socket
import time
import uuid
from pathlib import Path

import pytest

from tabbench.core.errors import TabBenchError
from tabbench.sandbox import sandbox
from tabbench.sandbox.sandbox import Kind, Limits, Outcome, run

DRIVER = """
import numpy, pandas
def main(code):
    namespace = {}
    exec(code, namespace)
    return namespace.get("value")
"""
LIMITS = Limits(seconds=8, cpu_seconds=4, memory=1024**3, file_bytes=1024**2, stdout_bytes=10_000)

NEEDS_BUBBLEWRAP = pytest.mark.skipif(
    shutil.which("bwrap") is None and os.environ.get("CI") != "true",
    reason="bubblewrap is not installed; CI runs these",
)
KINDS = [pytest.param("bubblewrap", marks=NEEDS_BUBBLEWRAP), "process"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def attack(code: str, kind: Kind, limits: Limits = LIMITS) -> Outcome:
    started = time.monotonic()
    outcome = run(DRIVER, code, kind, limits)
    assert time.monotonic() - started < limits.seconds + 5
    return outcome


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Stands in the environment of this test's sandboxes."""
    value = uuid.uuid4().hex
    monkeypatch.setitem(sandbox._ENVIRONMENT, "MARK", value)
    return value.encode()


def processes(mark: bytes) -> set[str]:
    """Processes of a sandbox of this test."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                found.add(folder.name)
    return found


def remaining(mark: bytes) -> set[str]:
    """Those that are still there a moment later: the kernel needs that to end a namespace."""
    for _ in range(100):
        if not processes(mark):
            break
        time.sleep(0.05)
    return processes(mark)


def test_what_is_returned_comes_back_and_what_is_printed_stands_apart(kind: Kind) -> None:
    code = "print('hello')\nimport pandas\nvalue = pandas.DataFrame({'a': [1, 2]}).to_dict('list')"
    assert attack(code, kind) == Outcome("ok", {"a": [1, 2]}, "hello\n", "")


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("x = []\nwhile True: x.append(bytearray(10**7))", "memory", "memory"),
        ("x = 'x' * 10**10", "memory", "memory"),
        ("while True: print('x' * 1000)", "output", "output"),
        ("import os\nwhile True: os.fork()", "exception", "BlockingIOError"),
        ("import threading\nthreading.Thread(target=print).start()", "exception", "thread"),
        ("import subprocess\nsubprocess.run(['true'])", "exception", "BlockingIOError"),
        ("open('big', 'w').write('x' * 10**7)", "exception", "File too large"),
        ("import os\nos._exit(0)", "killed", "exit code 0"),
        ("import os\nos.abort()", "killed", "without a result"),
        ("raise SystemExit(0)", "exception", "SystemExit"),
        ("1 / 0", "exception", "ZeroDivisionError: division by zero"),
        ("value = object()", "exception", "not JSON serializable"),
        ("value = float('nan')", "exception", "not JSON compliant"),
        ("def f(): f()\nf()", "exception", "RecursionError"),
    ],
)
def test_an_attack_ends_with_its_name(
    code: str, status: str, message: str, kind: Kind, mark: bytes
) -> None:
    outcome = attack(code, kind)
    assert (outcome.status, outcome.value) == (status, None)
    assert message in outcome.message
    assert not remaining(mark)


def test_a_loop_ends_by_its_processor_time(kind: Kind) -> None:
    assert attack("while True: pass", kind, Limits(seconds=30, cpu_seconds=1)).status == "timeout"


def test_waiting_ends_by_the_clock(kind: Kind, mark: bytes) -> None:
    limits = Limits(seconds=2)
    assert attack("import time\ntime.sleep(60)", kind, limits).status == "timeout"
    closed = "import os, time\nos.closerange(0, 100)\ntime.sleep(60)"
    assert attack(closed, kind, limits).status == "timeout"
    assert not remaining(mark)


FAKES = {
    "printed": 'print(\'\\n{"status": "ok", "value": "1", "message": ""}\')',
    "on every descriptor": (
        "for fd in range(3, 64):\n"
        '    try: os.write(fd, b\'\\n\' + b\'0\' * 32 + b\'{"status": "ok", "value": "1"}\\n\')\n'
        "    except OSError: pass"
    ),
}


@pytest.mark.parametrize("fake", FAKES)
def test_a_fake_result_is_no_result(fake: str, kind: Kind) -> None:
    outcome = attack(f"import os, sys\n{FAKES[fake]}\nsys.stdout.flush()\nos._exit(0)", kind)
    assert (outcome.status, outcome.value) == ("killed", None)
    assert attack(f"import os\n{FAKES[fake]}\nvalue = 'real'", kind).value == "real"


def test_the_request_with_its_secret_is_out_of_reach(kind: Kind) -> None:
    code = (
        "import os\nvalue = ''\nfor fd in range(64):\n"
        "    try: value += os.pread(fd, 10**6, 0).decode()\n"
        "    except OSError: pass"
    )
    assert attack(code, kind).value == ""


def test_the_environment_is_empty_and_the_folder_is_new(kind: Kind, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    outcome = attack("import os\nvalue = [os.environ.get('OPENAI_API_KEY'), os.listdir()]", kind)
    assert outcome.value == [None, []]


def test_nothing_runs_as_root(kind: Kind) -> None:
    assert attack("import os\nvalue = os.getuid()", kind).value != 0


@NEEDS_BUBBLEWRAP
def test_bubblewrap_hides_files_network_and_processes(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    tmp_path.chmod(0o755)
    for path in (secret, Path(__file__), "/etc/passwd", Path.home() / ".bashrc"):
        code = f"value = open({str(path)!r}).read()"
        assert "FileNotFoundError" in attack(code, "bubblewrap").message, path
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket\nsocket.create_connection({server.getsockname()!r}, 2)"
        assert "PermissionError" in attack(code, "bubblewrap").message
        assert attack(code.replace("127.0.0.1", "1.1.1.1"), "bubblewrap").status == "exception"
    code = f"import os\nvalue = os.path.exists('/proc/{os.getppid()}/environ')"
    assert attack(code, "bubblewrap").value is (os.getppid() < 3)
    site = Path(pytest.__file__).parents[1]
    for place in (site, "/usr", "/"):
        outcome = attack(f"open('{place}/written', 'w')", "bubblewrap")
        assert outcome.status == "exception", place
    assert not (site / "written").exists()


def test_without_bubblewrap_it_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: None)
    with pytest.raises(TabBenchError, match=r"not installed.*apt install bubblewrap.*process"):
        run(DRIVER, "value = 1", "bubblewrap")


def test_bubblewrap_that_cannot_start_says_so(monkeypatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no permission to make a namespace\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: str(broken))
    with pytest.raises(TabBenchError, match=r"no permission to make a namespace.*sandbox: process"):
        run(DRIVER, "value = 1", "bubblewrap")
