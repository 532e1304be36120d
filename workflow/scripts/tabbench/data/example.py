"""Put the csv of the worked example into the folder of user datasets.

    ./tabbench example

The table comes from an installed package; its licence and source are in
``resources/example/mammography.yaml``.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pandas as pd
import yaml

from tabbench.config.dataset_entry import parse_sources
from tabbench.core.errors import TabBenchError
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch

ENTRY = Path(__file__).parents[4] / "resources" / "example" / "mammography.yaml"


def example(entry: Path) -> pd.DataFrame:
    """The example's rows, as text cells.

    Raises
    ------
    TabBenchError
        When the package that holds them is not installed.
    """
    sources = parse_sources(yaml.safe_load(entry.read_text(encoding="utf-8"))["sources"])
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        return read_raw(raw, sources[fetch(entry.stem, sources, None, raw).source])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./tabbench example", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("config/own"),
        help="folder of user datasets (config/own)",
    )
    path = parser.parse_args().folder / f"{ENTRY.stem}.csv"
    try:
        if path.exists():
            raise TabBenchError(f"{path} is there already")
        rows = example(ENTRY)
    except TabBenchError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    rows.to_csv(path, index=False)
    shown = os.path.relpath(path)
    told = yaml.safe_load(ENTRY.read_text(encoding="utf-8"))
    print(
        f"Wrote {shown}: {told['title']}, {told['licence']}, {told['homepage']}\n"
        f"Then: ./tabbench draft {shown} severity malignant"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
