"""Runs of the openai engine on a server of `fault_server`, and what they leave."""

import csv
import json
from pathlib import Path

from fault_server import MODEL
from quiet import Quiet

from tabbench.config.model_entry import parse_model
from tabbench.core.cells import Cell
from tabbench.inference.engines.base import Prompt, Request
from tabbench.inference.engines.openai import OpenAIEngine
from tabbench.inference.infer import infer
from tabbench.inference.models import identity
from tabbench.inference.requests import CellRequest

CELL = Cell("toy", "faulty", "forward", "contextual", "feat_val", 0, 0)
PRICES = {"currency": "USD", "as_of": "2026-11-29", "input": 1000.0, "output": 1000.0}


def entry(url, *, limits=None, **changes):
    limits = {"in_flight": 4, "timeout": 5, "retries": 3, "backoff": 0.01} | (limits or {})
    return {
        "engine": "openai",
        "weights": {"served": MODEL},
        "style": "completion",
        "dtype": "undisclosed",
        "server": "test",
        "endpoint": {"url": url},
        "limits": limits,
        "generation": {"max_new_tokens": 4, "stop": ["\n"]},
    } | changes


def asks(count=12, modes=("forward", "generation")):
    return [
        CellRequest(
            CELL._replace(mode=mode),
            row,
            row % 2,
            Request(mode, Prompt("System.", "Task. ", f"x = {row}. Answer is ")),
        )
        for mode in modes
        for row in range(count)
    ]


def run(folder, server, asked=None, tolerated=0.0, records=None, **changes):
    """One run; an engine is loaded only when something is missing.

    Parameters
    ----------
    records : folder of the model; by default one in ``folder``
    """
    model = parse_model("faulty", entry(server.url, **changes))
    return infer(
        [(folder / "k0.jsonl", asks() if asked is None else asked)],
        identity(model),
        lambda: OpenAIEngine(model, records or folder / "model"),
        Quiet(),
        tolerated,
    )


def log(folder):
    path = folder / "k0.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line)["key"] for line in lines]


def charges(folder: Path) -> list[dict[str, str]]:
    """The last line of each request in the model's record of spending."""
    return last_charges(folder / "model/spending.csv")


def last_charges(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list({line["request"]: line for line in csv.DictReader(file)}.values())


def charged(folder: Path) -> list[int]:
    """Tokens of prompts and of answers that are charged, and must not be fewer than billed."""
    lines = charges(folder)
    return [sum(int(line[f"{part}_tokens"]) for line in lines) for part in ("prompt", "completion")]
