"""A hundred attacks on the sandbox: none gets out, none holds more than its limit, none makes the
caller fail."""

import contextlib
import ctypes
import json
import os
import platform
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandbox_attacks import ESCAPES, HOARDS, IMPORTS, LIES, NETWORK, PRELUDE, READS
from test_sandbox import KINDS, NEEDS_BUBBLEWRAP, remaining

from tabbench.core.errors import TabBenchError
from tabbench.sandbox import cgroup, sandbox, syscalls
from tabbench.sandbox.harness import _FILES
from tabbench.sandbox.sandbox import Kind, Limits, Outcome, run

ROOT = Path(__file__).parents[1]

ALL = f"""{IMPORTS}
def main(inputs):
    results = {{}}
    for name, code in inputs["attacks"].items():
        names = {{"told": inputs["told"]}}
        try:
            exec(inputs["prelude"] + code, names)
        except BaseException as error:
            results[name] = f"{{type(error).__name__}}: {{error}}"
        else:
            results[name] = bool(names["escaped"])
    return results
"""
ONE = f"""{IMPORTS}
def main(code):
    names = {{}}
    exec(code, names)
    return names.get("value")
"""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What an attack knows of the caller."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    name = secrets.token_hex(8)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
        session_key(name),
    ):
        abstract.bind(f"\0{name}")
        abstract.listen()
        yield {
            "secret": str(secret),
            "repository": str(ROOT),
            "home": str(Path.home()),
            "caller": os.getpid(),
            "site": sysconfig.get_path("purelib"),
            "port": server.getsockname()[1],
            "abstract": name,
            "key": name,
        }


@contextlib.contextmanager
def session_key(name: str) -> Iterator[None]:
    """A key in this process's session keyring, where the kernel gives it one."""
    add, control = {"x86_64": (248, 250), "aarch64": (217, 219)}[platform.machine()]
    libc = ctypes.CDLL(None)
    key = libc.syscall(add, b"user", name.encode(), b"secret", 6, -3)
    yield
    libc.syscall(control, 9, key, -3)  # KEYCTL_UNLINK


def attacked(kind: Kind, attacks: dict[str, str], told: dict[str, Any]) -> dict[str, Any]:
    inputs = {"attacks": attacks, "told": told, "prelude": PRELUDE}
    outcome = run(ALL, inputs, kind, Limits(seconds=60))
    assert outcome.status == "ok", outcome
    assert outcome.value.keys() == attacks.keys()
    tried = ("NameError", "SyntaxError", "AttributeError", "ModuleNotFoundError")
    untried = [name for name, said in outcome.value.items() if str(said).startswith(tried)]
    assert not untried
    return dict(outcome.value)


def escaped(results: dict[str, Any]) -> list[str]:
    return [name for name, result in results.items() if result is True]


@NEEDS_BUBBLEWRAP
def test_no_attack_gets_out_of_bubblewrap(told: dict[str, Any]) -> None:
    assert len(ESCAPES) >= 100
    assert escaped(attacked("bubblewrap", ESCAPES, told)) == []


def test_a_process_reads_but_changes_nothing(told: dict[str, Any]) -> None:
    attacks = {name: code for name, code in ESCAPES.items() if not name.startswith("reads: ")}
    guarded = ("the caller's environment", "the caller's memory", "the caller's folder")
    attacks |= {f"reads: {name}": READS[name] for name in guarded}
    assert escaped(attacked("process", attacks, told)) == []


OPEN = [
    *("the caller's secret", "the caller's secret by a link", "the caller's secret from /proc"),
    *("the repository", "the caller's environment", "the caller's folder", "the caller's memory"),
    *("accounts", "other programs' files", "the machine", "other processes"),
]
REACHABLE = ["a port of the caller", "an abstract socket of the caller", "a server", "a datagram"]


def test_the_same_attacks_succeed_where_there_is_no_sandbox(
    told: dict[str, Any], tmp_path: Path
) -> None:
    attacks = {name: READS[name] for name in OPEN} | {name: NETWORK[name] for name in REACHABLE}
    attacks |= {name: ESCAPES[name] for name in ("processes: a program", "kernel: files in memory")}
    inputs = {"attacks": attacks, "told": told, "prelude": PRELUDE}
    code = f"{ALL}\nimport json, sys\nprint(json.dumps(main(json.load(sys.stdin))))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(inputs),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert escaped(json.loads(done.stdout.splitlines()[-1])) == list(attacks)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOARDS)
@pytest.mark.parametrize("kind", KINDS)
def test_limits_bind_whatever_holds_the_bytes(kind: Kind, name: str) -> None:
    limits = Limits(seconds=20, cpu_seconds=10, memory=2**28, file_bytes=2**20)
    outcome = run(ONE, PRELUDE + HOARDS[name], kind, limits)
    assert outcome.status in ("exception", "memory", "output"), outcome
    held = int((outcome.stdout.split() or ["0"])[-1])
    assert held * 2**20 <= limits.memory + _FILES * limits.file_bytes


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * ("3,000" in name)) for name in LIES]
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_an_outcome(
    kind: Kind, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    limits = Limits(seconds=20, cpu_seconds=10, memory=2**30, result_bytes=2**21)
    outcome = run(ONE, PRELUDE + LIES[name], kind, limits)
    check(outcome)
    assert outcome.status != "timeout"
    assert (outcome.status == "ok") == (name in ("half a character returned", "a closed folder"))
    assert list(tmp_path.iterdir()) == []


def check(outcome: Outcome) -> None:
    """It can be written to any file, and has a value only if it is ok."""
    assert json.dumps(
        [outcome.value, outcome.message], ensure_ascii=False, allow_nan=False
    ).encode()
    assert outcome.status == "ok" or (outcome.value is None and outcome.message)


NONCE = b"0123456789abcdef"
TEXTS = st.text(st.characters(), max_size=5)  # half characters among them
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)
STATUSES = st.sampled_from(["ok", "exception", "memory", "timeout", "started", "", None, 1])
RECORDS = st.one_of(
    st.binary(max_size=50),
    VALUES.map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries(
        {},
        optional={
            "status": STATUSES | VALUES,
            "message": TEXTS | VALUES,
            "value": VALUES.map(json.dumps) | TEXTS | VALUES,
        },
    ).map(lambda record: json.dumps(record).encode()),
    st.integers(1, 10**5).map(lambda depth: b"[" * depth),
    st.integers(1, 10**5).map(lambda digits: b"1" * digits),
)


@given(
    st.lists(RECORDS, max_size=3),
    st.sampled_from([None, "timeout", "output"]),
    st.integers(-64, 255),
)
def test_any_record_is_an_outcome(records: list[bytes], reached: Any, code: int) -> None:
    started = json.dumps({"status": "started", "missing": []}).encode()
    result = b"".join(b"\n" + NONCE + record + b"\n" for record in [started, *records])
    outcome = sandbox._read("process", NONCE, result, reached, code, "")
    check(outcome)
    if reached is not None:
        assert outcome.status == reached


@given(VALUES)
def test_what_the_harness_writes_is_read_as_it_was(value: Any) -> None:
    def plain(value: Any) -> bool:
        try:
            return bool(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
        except ValueError:
            return False

    record = {"status": "ok", "value": json.dumps(value), "message": ""}
    started = {"status": "started", "missing": []}
    result = b"".join(b"\n" + NONCE + json.dumps(one).encode() + b"\n" for one in (started, record))
    outcome = sandbox._read("process", NONCE, result, None, 0, "")
    if plain(value):
        assert outcome == Outcome("ok", json.loads(json.dumps(value)), "", "")


@pytest.mark.parametrize("kind", KINDS)
def test_sleeping_code_ends_with_its_caller(kind: Kind) -> None:
    mark = uuid.uuid4().hex.encode()
    code = "import time\ntime.sleep(100)"
    call = (
        "from tabbench.sandbox import sandbox\n"
        f"sandbox._ENVIRONMENT['MARK'] = {mark.decode()!r}\n"
        f"sandbox.run({ONE!r}, {code!r}, {kind!r}, sandbox.Limits(seconds=60))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow/scripts")}
    caller = subprocess.Popen([sys.executable, "-c", call], env=environment)
    deadline = time.monotonic() + 60
    while not asleep(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert asleep(mark)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    assert not remaining(mark)


def asleep(mark: bytes) -> bool:
    """Whether the code of a sandbox, confined already, waits."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            marked = mark in (folder / "environ").read_bytes()
            if marked and "Seccomp:\t2" in (folder / "status").read_text():
                return True
    return False


@pytest.mark.slow
def test_a_large_result_comes_back_in_linear_time() -> None:
    began = time.process_time()
    outcome = run(ONE, f"value = 'x' * {2**26}", "process", Limits(result_bytes=2**27))
    assert len(outcome.value) == 2**26
    assert time.process_time() - began < 3  # copied at each read, it took eleven


def test_numbers_of_system_calls_are_those_of_libseccomp() -> None:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp is not installed")
    resolve = library.seccomp_syscall_resolve_name_arch
    for machine, (architecture, column) in syscalls.ARCHITECTURES.items():
        for name, numbers in syscalls.NUMBERS.items():
            known = resolve(ctypes.c_uint32(architecture), name.encode())
            assert numbers[column] == (known if known >= 0 else None), (machine, name)


def test_without_a_filter_for_the_machine_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox._say.cache_clear()
    monkeypatch.setattr(syscalls.platform, "machine", lambda: "riscv64")
    assert run(ONE, "value = 1", "process").value == 1
    assert run(ONE, "value = 1", "process").value == 1
    printed = capsys.readouterr().out
    assert printed.count("sandbox: process") == 1
    assert "without seccomp" in printed
    sandbox._say.cache_clear()


SYSTEMD = """#!{python}
import os, subprocess, sys
at = sys.argv.index("--")
properties = sys.argv[2:at]
if sys.argv[at + 1] == "sh":
    print({limit})
else:
    open({told!r}, "w").write(" ".join([*properties, os.environ.get("XDG_RUNTIME_DIR", "")]))
    os.execvp(sys.argv[at + 1], sys.argv[at + 1:])
"""


@pytest.mark.parametrize(("limit", "used"), [("256 * 1024**2", True), ("'max'", False)])
def test_a_group_is_used_where_its_limit_can_be_read_back(
    limit: str, used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, program = tmp_path / "told", tmp_path / "systemd-run"
    program.write_text(SYSTEMD.format(python=sys.executable, told=str(told), limit=limit))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/of-a-user")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    cgroup.available.cache_clear()
    code = "import os\nvalue = os.environ.get('XDG_RUNTIME_DIR')"
    assert run(ONE, code, "process", Limits(memory=2**30)).value is None
    cgroup.available.cache_clear()
    assert told.exists() == used
    if used:
        assert f"MemoryMax={2**30 + sandbox._GROUP_ROOM}" in told.read_text()
        assert told.read_text().endswith("/run/of-a-user")


def test_a_sandbox_that_does_not_start_is_no_fault_of_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox, "_START_SECONDS", 0.5)
    with pytest.raises(TabBenchError, match="could not be started"):
        run("import time\ntime.sleep(60)\n" + ONE, "value = 1", "process", Limits(seconds=100))
