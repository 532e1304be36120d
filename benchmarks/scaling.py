"""How large a configuration is: prompts, jobs and bytes, from the grid alone.

    PYTHONPATH=workflow/scripts python benchmarks/scaling.py [--configfile config/paper.yaml]

Reads no data: rows are those that the paper states (resources/paper/datasets.csv), a third of them
are test rows. Tokens need the prompts: snakemake plan --configfile ...
"""

import argparse
from collections import Counter
from pathlib import Path

import pandas as pd

from tabbench.config.grid import SUITES, Grid
from tabbench.config.validation import load_yaml

ROOT = Path(__file__).parents[1]
BYTES_PER_ANSWER = 344
"""Measured by response_log.py, forward and generation by turns."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configfile", default=ROOT / "config/paper.yaml", type=Path)
    config = load_yaml(parser.parse_args().configfile)
    entries = {
        name: load_yaml(ROOT / f"resources/datasets/{name}.yaml") for name in config["datasets"]
    }
    limits = {name: entry["max_shots"] for name, entry in entries.items() if "max_shots" in entry}
    grid = Grid.from_config(config, {name: e["suite"] for name, e in entries.items()}, limits)
    published = pd.read_csv(ROOT / "resources/paper/datasets.csv").set_index("dataset")["rows"]
    made = {
        "llm_synthetic": config.get("llm_synthetic", {}).get("rows"),
        "mlp": config["mlp"]["rows"],
    }
    cap = config.get("test_rows")
    prompts: Counter[tuple[str, str]] = Counter()
    jobs: Counter[str] = Counter()
    for model in grid.models:
        for suite in SUITES:
            for dataset in grid.in_suites([suite]):
                if model not in grid.models_of(dataset):
                    continue
                rows = round((made.get(suite) or published[dataset]) / 3)
                rows = min(rows, cap or rows)
                for k in grid.dataset_shots(dataset):
                    for variant in grid.variants(dataset, k):
                        prompts[suite, variant.mode] += rows * len(grid.draw_seeds(k))
            jobs["infer"] += sum(bool(grid.inference_datasets(suite, k, model)) for k in grid.shots)
    jobs["predict"] = jobs["infer"]
    models = len(grid.models)
    print(f"{models} models, {sum(len(grid.in_suites([suite])) for suite in SUITES)} datasets")
    for suite in SUITES:
        forward, generation = (prompts[suite, mode] for mode in ("forward", "generation"))
        print(
            f"{suite:<14}{len(grid.in_suites([suite])):>4} datasets, prompts per model: "
            f"{forward / models:>12,.0f} forward {generation / models:>12,.0f} generation"
        )
    total = prompts.total()
    print(f"all models: {total:,} prompts, {total * BYTES_PER_ANSWER / 1e9:.1f} GB of logs")
    largest = max(
        len(grid.variants(name, k)) * len(grid.draw_seeds(k)) * published.get(name, 1000) / 3
        for name in grid.in_suites(SUITES)
        for k in grid.dataset_shots(name)
    )
    print(f"largest log: {largest:,.0f} answers; jobs: {dict(jobs)}")


if __name__ == "__main__":
    main()
