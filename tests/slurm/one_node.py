"""Run a command on a Slurm cluster of one node, this machine, that lives as long as the command.

    python tests/slurm/one_node.py [--limit 900] -- snakemake --workflow-profile profiles/slurm ...

Needs root and Debian's packages slurmctld, slurmd, slurm-client and munge. There are two
partitions, cpu (the default) and gpu; the GPU is /dev/null, which is enough to be handed out. The
daemons, their files and all jobs are gone afterwards, also when the limit (seconds) is reached,
whose exit code is 124.
"""

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "munged", "sbatch", "srun", "squeue")
ETC = Path("/etc/slurm")
"""Steps of a job look for the configuration here and nowhere else."""

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
MinJobAge=3600
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:1
PartitionName=cpu Nodes={host} Default=YES
PartitionName=gpu Nodes={host}
"""
GRES = "Name=gpu File=/dev/null\n"


def missing() -> list[str]:
    """What must be installed first."""
    return [name for name in PACKAGES if shutil.which(name) is None]


def memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


@contextlib.contextmanager
def configured(folder: Path) -> Iterator[None]:
    """Write Slurm's configuration; never over one that is there."""
    texts = {
        "slurm.conf": CONFIGURATION.format(
            host=socket.gethostname().split(".")[0],
            folder=folder,
            cpus=os.cpu_count(),
            memory=memory_mb(),
        ),
        "gres.conf": GRES,
    }
    there = [str(ETC / name) for name in texts if (ETC / name).exists()]
    if there:
        sys.exit(
            f"{', '.join(there)}: this machine has a cluster, or a run was killed; not touched"
        )
    ETC.mkdir(exist_ok=True)
    try:
        for name, text in texts.items():
            (ETC / name).write_text(text)
        yield
    finally:
        for name in texts:
            (ETC / name).unlink(missing_ok=True)


@contextlib.contextmanager
def daemon(*command: str, log: Path) -> Iterator[None]:
    """A daemon in the foreground; ended in any case."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_idle(folder: Path, seconds: int = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = subprocess.run(
            ["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, check=False
        ).stdout.split()
        if state and set(state) == {"idle"}:
            return
        time.sleep(0.5)
    for log in sorted([*folder.glob("*.out"), *folder.glob("*.log")]):
        print(f"--- {log.name}\n{log.read_text(errors='replace')[-1000:]}", file=sys.stderr)
    sys.exit(f"the node is not idle after {seconds} s")


@contextlib.contextmanager
def cluster() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="one_node_") as name:
        folder = Path(name)
        folder.chmod(0o755)  # munged wants its socket within everybody's reach
        (folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (folder / "munge.key").chmod(0o400)
        for part in ("state", "spool"):
            (folder / part).mkdir()
        files = {
            f"--{kind}": f"{folder}/munge.{kind.split('-')[0]}"
            for kind in ("key-file", "socket", "pid-file", "log-file", "seed-file")
        }
        munged = ["munged", "--foreground", *(f"{key}={path}" for key, path in files.items())]
        with (
            configured(folder),
            daemon(*munged, log=folder / "munged.out"),
            daemon("slurmctld", "-D", log=folder / "slurmctld.out"),
            daemon("slurmd", "-D", log=folder / "slurmd.out"),
        ):
            try:
                wait_until_idle(folder)
                yield
            finally:
                subprocess.run(["scancel", "--user=root"], timeout=20, check=False)
                time.sleep(1)


def run(command: list[str], limit: float) -> int:
    """Exit code of a command, whose processes all end at the limit."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        print(f"ended after {limit:g} s: {' '.join(command)}", file=sys.stderr)
        return 124
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=900, help="seconds")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if missing():
        sys.exit(f"not installed: {', '.join(missing())}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the daemons are ended on the way out
    with cluster():
        return run(options.command, options.limit)


if __name__ == "__main__":
    sys.exit(main())
