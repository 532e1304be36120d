"""Pin everything that gets installed, by uv's resolver; versions in force are kept where they fit.

    python envs/lock.py

From requirements.txt it writes requirements.lock, with the hash of every file that may be
installed, for each Python and platform in ``PYTHONS`` and ``PLATFORMS``; requirements-cuda.lock,
what torch's CUDA build needs on top; and requirements-nodeps.lock again with hashes. In each
environment of this folder it writes the lower part of the pip section: what the packages of the
upper part need.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {
    "x86_64-manylinux_2_28": {"sys_platform": "linux", "platform_machine": "x86_64"},
    "aarch64-manylinux_2_28": {"sys_platform": "linux", "platform_machine": "aarch64"},
    "aarch64-apple-darwin": {"sys_platform": "darwin", "platform_machine": "arm64"},
}
LINUX = "x86_64-manylinux_2_34"  # where vLLM runs
CUDA = re.compile(r"nvidia-.*|cuda-.*|triton")
# The CPU build of PyTorch's own index, for Python 3.11 on x86-64.
CPU_TORCH = ("6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",)
MARK = "      # what those need; written by envs/lock.py"


class Pin(NamedTuple):
    """One package as uv locks it: its line without the marker, where it belongs, its hashes."""

    name: str
    line: str
    systems: frozenset[str]
    hashes: tuple[str, ...]

    def text(self) -> str:
        """Lines of a requirements file; a marker where not every system needs the package."""
        marker = "" if len(self.systems) == 2 else f" ; sys_platform == '{min(self.systems)}'"
        return " \\\n    --hash=".join([self.line + marker, *self.hashes])


def resolve(*arguments: str | Path) -> str:
    """What ``uv pip compile`` prints, without header and annotations."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--no-header", "--no-annotate"]
    done = subprocess.run(
        [*command, *map(str, arguments)], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def universal(*arguments: str | Path) -> list[Pin]:
    """Pins that hold for every Python and platform; the environments are pyproject.toml's."""
    text = resolve("--universal", "--fork-strategy=fewest", "--python-version=3.11", *arguments)
    return [pin for pin in map(_pin, re.split(r"\n(?=\S)", text.strip())) if pin.systems]


def _pin(block: str) -> Pin:
    line, *rest = (part.strip() for part in block.replace("\\\n", "\n").splitlines())
    requirement = Requirement(line)
    systems = {
        platform["sys_platform"]
        for python, platform in product(PYTHONS, PLATFORMS.values())
        if requirement.marker is None
        or requirement.marker.evaluate({**platform, "python_full_version": f"{python}.0"})
    }
    hashes = tuple(part.removeprefix("--hash=") for part in rest)
    return Pin(requirement.name, line.split(" ;")[0], frozenset(systems), hashes)


def lock_requirements() -> None:
    """Write the three lock files of the virtual environment."""
    lock = ROOT / "requirements.lock"
    pins = universal("--generate-hashes", "requirements.txt", "--output-file", lock)
    pins = [
        pin._replace(hashes=(*pin.hashes, *(f"sha256:{one}" for one in CPU_TORCH)))
        if pin.name == "torch"
        else pin
        for pin in pins
    ]
    cuda = [pin for pin in pins if CUDA.fullmatch(pin.name)]
    rest = [pin for pin in pins if pin not in cuda]
    _write(lock, "Everything that requirements.txt needs", rest)
    _write(ROOT / "requirements-cuda.lock", "What the CUDA build of torch needs", cuda)
    carried = ROOT / "requirements-nodeps.lock"
    carriers = universal("--generate-hashes", "--no-deps", carried)
    _write(
        carried, "Installed without what they need: only files that they carry are used", carriers
    )


def _write(path: Path, what: str, pins: list[Pin]) -> None:
    lines = [f"# {what}; written by envs/lock.py.", *(pin.text() for pin in pins)]
    path.write_text("\n".join(lines) + "\n")


def lock_environment(path: Path) -> None:
    """Write the lower part of an environment's pip section."""
    upper = path.read_text().partition(MARK)[0].rstrip("\n")
    direct = re.findall(r"^ {6}- (\S+==\S.*)$", upper, re.MULTILINE)
    wanted = path.with_suffix(".in")
    wanted.write_text("\n".join(direct) + "\n")
    try:
        pins = list(_environment_pins(path.stem, wanted))
    finally:
        wanted.unlink()
    named = {Requirement(line).name.lower() for line in direct}
    lower = [f"      - {pin.text()}" for pin in pins if pin.name.lower() not in named]
    path.write_text("\n".join([upper, MARK, *lower]) + "\n")


def _environment_pins(name: str, wanted: Path) -> Iterator[Pin]:
    if name == "vllm":  # its versions are its own, and it runs on one system
        text = resolve("--python-version=3.11", f"--python-platform={LINUX}", wanted)
        pins = [_pin(line) for line in text.splitlines()]
    else:
        pins = universal("--constraint=requirements.lock", wanted)
    # torch pins what its CUDA build needs, and its CPU build needs none of it.
    yield from (pin for pin in pins if not CUDA.fullmatch(pin.name))


if __name__ == "__main__":
    lock_requirements()
    for environment in sorted((ROOT / "envs").glob("*.yaml")):
        lock_environment(environment)
