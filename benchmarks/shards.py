"""How long the paper's grid takes on 1 to 64 GPUs, whole jobs against parts: a simulation.

    TABBENCH_MIRROR=... snakemake --cores 2 --keep-going plan --configfile config/paper.yaml
    PYTHONPATH=workflow/scripts python benchmarks/shards.py [folder of that run]

Tokens are counted in the prompts that the first command made: characters by `CHARACTERS_PER_TOKEN`,
what a group of prompts shares once. Tables that a model has yet to write, and datasets whose files
were not there, count by the expectation that cuts the jobs, scaled to the counted ones. A job takes
tokens times parameters, and LOAD seconds; Snakemake starts the job of the highest priority when a
GPU is free. Exits 1 when 8 parts miss SHARE of the ideal at 16 GPUs.
"""

import argparse
import csv
import heapq
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tabbench.config.grid import SUITES, Grid
from tabbench.config.validation import load_yaml
from tabbench.core.suites import level_number
from tabbench.data.complexity_grid.levels import LEVELS
from tabbench.inference.shards import cut, expected_tokens
from tabbench.inference.token_counts import CHARACTERS_PER_TOKEN

ROOT = Path(__file__).parents[1]
GPUS, SHARDS = (1, 8, 16, 64), (1, 8, 32)
SHARE = 0.9
LOAD = 60.0
"""Seconds to load a model: an assumption."""
RATE = 5000.0 * 8.2
"""Tokens per second times billions of parameters: 5,000 for 8.2, an assumption."""
PARAMETERS = {"qwen3_1_7b": 1.7, "qwen3_8b": 8.2, "qwen3_14b": 14.8}
"""Billions; the models of the configuration that run on GPUs."""


class Job(NamedTuple):
    priority: float
    seconds: float


def paper_grid() -> tuple[Grid, dict[str, list[int]]]:
    """The grid, and rows and features of each dataset."""
    config = load_yaml(ROOT / "config/paper.yaml")
    entries = {
        name: load_yaml(ROOT / f"resources/datasets/{name}.yaml") for name in config["datasets"]
    }
    limits = {name: one["max_shots"] for name, one in entries.items() if "max_shots" in one}
    grid = Grid.from_config(config, {name: e["suite"] for name, e in entries.items()}, limits)
    with (ROOT / "resources/paper/datasets.csv").open(newline="") as file:
        rows = {row["dataset"]: int(row["rows"]) for row in csv.DictReader(file)}
    sizes = {name: [rows[name], len(entry["features"])] for name, entry in entries.items()}
    for table in grid.llm_tables:
        sizes[table.id] = [config["llm_synthetic"]["rows"], sizes[table.dataset][1]]
    for mlp in grid.mlp_tables:
        sizes[mlp.id] = [config["mlp"]["rows"], LEVELS[level_number(mlp.domain)].features]
    return grid, sizes


def expected(grid: Grid, sizes: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], float]:
    """Tokens by dataset and k, as the workflow expects them before it runs."""
    found = {}
    for name in grid.in_suites(SUITES):
        for k in grid.dataset_shots(name):
            groups = len(grid.draw_seeds(k, name)) * len(grid.variants(name, k))
            rows, features = sizes[name]
            found[name, k] = expected_tokens(round(rows / 3), features, k, groups)
    return found


def counted(folder: Path) -> dict[tuple[str, int], float]:
    """Tokens by dataset and k in the prompts of a folder."""
    found = {}
    group = ["mode", "prompt", "serialization", "seed"]
    for path in sorted((folder / "results/prompts").glob("*/k*.parquet")):
        prompts = pd.read_parquet(path, columns=[*group, "system", "prefix", "query"])
        shared = prompts.groupby(group)[["system", "prefix"]].first()
        characters = sum(prompts["query"].str.len())
        characters += shared["system"].str.len().sum() + shared["prefix"].str.len().sum()
        dataset, k = path.parent.name, int(path.stem.removeprefix("k"))
        found[dataset, k] = characters / CHARACTERS_PER_TOKEN
    return found


def jobs(
    grid: Grid,
    models: Sequence[str],
    shards: int,
    guess: Mapping[tuple[str, int], float],
    tokens: Mapping[tuple[str, int], float],
) -> list[Job]:
    found = []
    for model, suite, k in grid.inference_jobs():
        if model in models:
            names = grid.inference_datasets(suite, k, model)
            for part in cut({name: guess[name, k] for name in names}, shards):
                work = sum(tokens[name, k] for name in part)
                seconds = LOAD + work * PARAMETERS[model] / RATE
                found.append(Job(sum(guess[name, k] for name in part), seconds))
    return found


def makespan(jobs: Sequence[Job], gpus: int) -> float:
    """Seconds until the last job is done, the next one by priority whenever a GPU is free."""
    free = [0.0] * gpus
    for job in sorted(jobs, key=lambda job: -job.priority):
        heapq.heappush(free, heapq.heappop(free) + job.seconds)
    return max(free)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT)
    grid, sizes = paper_grid()
    guess, tokens = expected(grid, sizes), counted(parser.parse_args().folder)
    known = np.array([(guess[place], count) for place, count in tokens.items()])
    scale = known[:, 1].sum() / known[:, 0].sum()
    off = np.log(known[:, 0] * scale / known[:, 1])
    print(
        f"counted: {len({name for name, _ in tokens})} of {len(sizes)} datasets; the expectation "
        f"is off by a factor of {np.exp(np.median(abs(off))):.2f} (median) to "
        f"{np.exp(abs(off).max()):.2f}; {scale:.2f} tokens for each expected one"
    )
    tokens = {place: tokens.get(place, scale * count) for place, count in guess.items()}
    missed = False
    print("| models | parts | jobs | longest job | " + " | ".join(f"{n} GPUs" for n in GPUS) + " |")
    print("| --- " + "| ---: " * (3 + len(GPUS)) + "|")
    for models in (list(PARAMETERS), ["qwen3_8b"]):
        ideal = sum(job.seconds - LOAD for job in jobs(grid, models, 1, guess, tokens))
        for shards in SHARDS:
            made = jobs(grid, models, shards, guess, tokens)
            took = {gpus: makespan(made, gpus) for gpus in GPUS}
            shares = {gpus: ideal / gpus / seconds for gpus, seconds in took.items()}
            missed |= shards == 8 and shares[16] < SHARE
            cells = [f"{took[n] / 3600:.1f} h ({shares[n]:.0%})" for n in GPUS]
            longest = max(job.seconds for job in made) / 3600
            line = [", ".join(models), str(shards), str(len(made)), f"{longest:.1f} h", *cells]
            print("| " + " | ".join(line) + " |")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
