"""What predict and score take at ten times the paper's grid: processor seconds and peak memory.

    PYTHONPATH=workflow/scripts python benchmarks/answers.py [--answers 1000000 10000000]

Made-up prompts and answers, in logs as large as the largest of ten times the grid; the more
answers, the more datasets. Both steps run in a process of their own, which is what a job pays.
Exits 1 when a limit is missed: microseconds of processor time per answer, memory, and memory that
grows by more than a fifth from the first number of answers to the last.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tabbench.config.model_entry import parse_model
from tabbench.config.validation import load_yaml
from tabbench.core.frames import write_table
from tabbench.core.schemas.prompts import PROMPTS
from tabbench.core.schemas.split import SPLIT
from tabbench.inference.engines.base import Answer, Description, Generation, LabelScore
from tabbench.inference.models import identity
from tabbench.inference.requests import read_requests
from tabbench.inference.responses import Response, ResponseLog, request_keys

LIMITS = {"predict": (90, 700), "score": (12, 700)}
"""Microseconds of processor time per answer, and MiB."""
GROWTH = 1.2
DRAWS, ROWS_A_CELL = 5, 3333
MODES = ("forward", "generation")
DESCRIPTION = Description("transformers", "completion", "float32", "0123456789ab")
MODEL = "smollm2_135m"
ROOT = Path(__file__).parents[1]


def made_prompts(dataset: str, answers: int) -> pd.DataFrame:
    """Prompts of cells of `ROWS_A_CELL` rows; texts of every dataset are the same."""
    number = np.arange(answers)
    cell = number // ROWS_A_CELL
    modes = np.array(MODES)[cell % len(MODES)]
    seed = cell // len(MODES) % DRAWS
    formats = cell // (len(MODES) * DRAWS)
    columns = {
        "dataset": dataset,
        "mode": modes,
        "prompt": "contextual",
        "serialization": [f"format{one}" for one in formats],
        "k": 64,
        "seed": seed,
        "row_id": number % ROWS_A_CELL,
        "y_true": number % 3 % 2,
        "system": "Classify.",
        "prefix": [f"examples of draw {one} " * 40 for one in seed],
        "query": [f"Row {one}: " for one in number],
    }
    return pd.DataFrame(columns, index=number)


def made_answer(number: int, mode: str) -> Answer:
    """An answer with floats of full length; one in 50 cannot be read."""
    logp_0, logp_1, seconds = -1 / (number + 1.1), -1 / (number % 97 + 1.3), 1 / (number + 7)
    if mode == "forward":
        return LabelScore(logp_0, logp_1, 12_345, seconds)
    text = "maybe" if number % 50 == 0 else str(number % 2)
    return Generation(text, {0: (logp_0, logp_1)}, 12_345, 4, seconds)


def write_run(folder: Path, answers: int, per_log: int) -> int:
    """Files of prompts, and the one log that answers all of them, as their texts are the same."""
    entry = load_yaml(ROOT / f"resources/models/{MODEL}.yaml")
    (folder / "entry.json").write_text(json.dumps(entry))
    who = identity(parse_model(MODEL, entry))
    whole = made_prompts("d0", min(answers, per_log))
    with ResponseLog(folder / "log.jsonl") as log:
        for start in range(0, len(whole), 50_000):
            asks = read_requests(whole.iloc[start : start + 50_000], MODEL)
            keys = request_keys(who, [ask.request for ask in asks])
            log.append(
                Response(key, made_answer(start + place, ask.request.mode), DESCRIPTION)
                for place, (key, ask) in enumerate(zip(keys, asks, strict=True))
            )
    files = -(-answers // per_log)
    for file in range(files):
        dataset = folder / f"d{file}"
        write_table(whole.assign(dataset=dataset.name), dataset / "k64.parquet", PROMPTS)
        split = pd.DataFrame({"row_id": range(ROWS_A_CELL)}).assign(part="test", position=0)
        write_table(split, dataset / "split.parquet", SPLIT)
    return files


AS_SNAKEMAKE = """
import json, runpy, sys
from types import SimpleNamespace
sections = json.load(sys.stdin)
for name in ("input", "output", "params", "wildcards"):
    sections[name] = SimpleNamespace(**sections.get(name, {}))
runpy.run_path(sys.argv[1], init_globals={"snakemake": SimpleNamespace(**sections)})
"""


def run(script: str, sections: dict[str, Any]) -> tuple[float, float]:
    """Run a rule's script as Snakemake does: processor seconds and peak MiB, of imports too."""
    command = [sys.executable, "-c", AS_SNAKEMAKE, str(ROOT / "workflow/scripts" / script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        json.dump(sections, process.stdin)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(Path(sections["log"][0]).read_text())
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def steps(folder: Path, files: int) -> dict[str, dict[str, Any]]:
    """The sections of each rule that its script reads."""
    datasets = [f"d{file}" for file in range(files)]
    prompts, splits = (
        [str(folder / name / f"{kind}.parquet") for name in datasets] for kind in ("k64", "split")
    )
    predictions = str(folder / "predictions.parquet")
    return {
        "predict": {
            "log": [str(folder / "predict.log")],
            "wildcards": {"model": MODEL, "suite": "core", "k": "64"},
            "input": {"model": str(folder / "entry.json"), "prompts": prompts, "marker": "marker"},
            "params": {"logs": [str(folder / "log.jsonl")] * files},
            "output": {"predictions": predictions},
        },
        "score": {
            "log": [str(folder / "score.log")],
            "input": {"predictions": [predictions], "fitted": [], "splits": splits},
            "params": {
                "shots": {name: [64] for name in datasets},
                "metadata": {name: ["core", "finance"] for name in datasets},
            },
            "output": {"scores": str(folder / "scores.parquet")},
        },
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--per-log", type=int, default=333_300)
    options = parser.parse_args()
    missed = False
    first: dict[str, float] = {}
    for answers in options.answers:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # Apart, as Linux counts a parent's memory as that of its children.
            with multiprocessing.get_context("spawn").Pool(1) as writer:
                files = writer.apply(write_run, (folder, answers, options.per_log))
            answers = files * min(answers, options.per_log)
            for step, sections in steps(folder, files).items():
                processor, peak = run(f"{step}.py", sections)
                each = processor / answers * 1e6
                growth = peak / first.setdefault(step, peak)
                most, mebibytes = LIMITS[step]
                good = each <= most and peak <= mebibytes and growth <= GROWTH
                missed |= not good
                size = (folder / "predictions.parquet").stat().st_size / answers
                print(
                    f"{step:<8}{answers:>11,} answers in {files} logs: {processor:.1f} s of "
                    f"processor time, {each:.0f} µs each (<= {most}), {peak:.0f} MiB (<= "
                    f"{mebibytes}; {growth:.2f} of the first), {size:.1f} bytes each on disk: "
                    f"{'PASS' if good else 'FAIL'}",
                    flush=True,
                )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
