"""A stand-in for conda: it answers what Snakemake asks and installs an environment's pip section.

What it leaves out is conda's own part, python and pip: a virtual environment of the Python that
runs this takes their place. An environment file that wants anything else of conda is refused.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
CERTAIN = ("python", "pip")


def pip_section(file: Path) -> list[str]:
    """Requirements of an environment file."""
    content = yaml.safe_load(file.read_text())
    sections = [item["pip"] for item in content["dependencies"] if isinstance(item, dict)]
    for item in content["dependencies"]:
        if isinstance(item, str) and item.split("=")[0] not in CERTAIN:
            sys.exit(f"{file}: only python and pip may come from conda-forge, not {item!r}")
    (requirements,) = sections
    return requirements


def create(file: Path, prefix: Path) -> None:
    """Make the environment; pip is called as conda calls it, with a requirements file."""
    requirements = pip_section(file)
    subprocess.run([sys.executable, "-m", "venv", prefix], check=True)
    listed = prefix / "requirements.txt"
    listed.write_text("\n".join(requirements) + "\n")
    subprocess.run(
        [prefix / "bin/python", "-m", "pip", "install", "--quiet", "--no-compile", "-r", listed],
        check=True,
    )
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(prefix)}))
    shutil.copy(HERE / "witness.py", packages / "sitecustomize.py")


def main(arguments: list[str]) -> None:
    """Answer one call of conda."""
    match arguments:
        case ["--version"]:
            print("conda 99.0.0")
        case ["info", "--json"]:
            print(json.dumps({"conda_prefix": str(HERE), "platform": sysconfig.get_platform()}))
        case ["config", "--get", "channel_priority", "--json"]:
            print(json.dumps({"get": {"channel_priority": "strict"}}))
        case ["clean", "-y", "--tarballs"]:
            pass
        case ["env", "create", "--quiet", "--no-default-packages", "--file", file, "--prefix", to]:
            create(Path(file), Path(to))
        case _:
            sys.exit(f"the stand-in does not know: conda {' '.join(arguments)}")


if __name__ == "__main__":
    main(sys.argv[1:])
