"""A control group for a sandbox, from systemd where it runs: memory of every kind, and processes.

The other limits are those of one process. A group's also hold for what a process makes the kernel
keep: files in memory, their names, pipes.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache

_PROCESSES = 16
"""Those of bubblewrap and systemd-run among them."""
_BUS = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
_PROBED = 256 * 1024**2
_READ_BACK = 'cat "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/memory.max"'


def bus() -> dict[str, str]:
    """The environment that systemd-run itself needs."""
    return {name: os.environ[name] for name in _BUS if name in os.environ}


def prefix(memory: int, environment: Mapping[str, str]) -> list[str]:
    """What stands before a command to run it in a group of its own; nothing where there is none.

    A job of Slurm is left in its own group, which has a limit.

    Parameters
    ----------
    memory : bytes of the whole group
    environment : of the command, which does not get that of systemd-run
    """
    if not available():
        return []
    variables = [f"{name}={value}" for name, value in environment.items()]
    return [*_scope(memory), "env", "-i", *variables]


def _scope(memory: int) -> list[str]:
    user = [] if os.getuid() == 0 else ["--user"]
    limits = (f"MemoryMax={memory}", "MemorySwapMax=0", f"TasksMax={_PROCESSES}")
    properties = [part for limit in limits for part in ("--property", limit)]
    program = shutil.which("systemd-run") or "systemd-run"
    return [program, *user, "--scope", "--quiet", "--collect", *properties, "--"]


@cache
def available() -> bool:
    """Whether a limit set through systemd-run can be read back inside its group."""
    if shutil.which("systemd-run") is None or "SLURM_JOB_ID" in os.environ:
        return False
    try:
        done = subprocess.run(
            [*_scope(_PROBED), "sh", "-c", _READ_BACK],
            env={"PATH": os.defpath, **bus()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.stdout.strip() == str(_PROBED)
