"""Ask the vllm engine on the real vLLM; runs in the environment of environment.py.

python ask.py WEIGHTS ASKED.json ANSWERED.json
"""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from tabbench.inference.engines.base import Batch, Decoding, Message, Prompt, Request, TextRequest
from tabbench.inference.engines.scoring import Row
from tabbench.inference.engines.vllm import VLLMEngine
from tabbench.inference.engines.vllm_queue import run


def answers(engine: VLLMEngine, batches: list[Batch]) -> dict[int, dict]:
    found = {}
    for batch in batches:
        for outcomes in engine.answer(batch):
            found.update({index: asdict(one) for index, one in outcomes.items()})
    return found


def texts(engine: VLLMEngine, asked: list[TextRequest]) -> list[dict]:
    found = {}
    for some in engine.write(asked):
        found.update({index: asdict(one) for index, one in some.items()})
    return [found[index] for index in range(len(asked))]


def counters(engine: VLLMEngine) -> dict[str, int]:
    """How many tokens of prompts were looked up in the cache, and found."""
    found = {one.name: getattr(one, "value", None) for one in engine.llm.get_metrics()}
    return {name: found[f"vllm:prefix_cache_{name}"] for name in ("queries", "hits")}


def load(engine: VLLMEngine) -> list[int]:
    """How many prompts ran in the last step, and how many are left."""
    found = {one.name: getattr(one, "value", None) for one in engine.llm.get_metrics()}
    return [
        int(found["vllm:num_requests_running"]),
        engine.llm.llm_engine.get_num_unfinished_requests(),
    ]


def watched(engine: VLLMEngine) -> list[list[int]]:
    """Its load after each of its steps from now on."""
    found: list[list[int]] = []
    step = engine.llm.llm_engine.step

    def counted() -> object:
        outputs = step()
        found.append(load(engine))
        return outputs

    engine.llm.llm_engine.step = counted
    return found


def queue(engine: VLLMEngine, datasets: list[list[Request]]) -> dict[str, object]:
    """Datasets one after the other, then together: steps, prefix tokens found, and answers."""
    steps = watched(engine)
    result: dict[str, object] = {}
    together = [request for requests in datasets for request in requests]
    for name, calls in {"apart": datasets, "together": [together]}.items():
        first, before = len(steps), counters(engine)
        found = [answers(engine, list(engine.batches(requests))) for requests in calls]
        now = counters(engine)
        result[name] = {
            "load": steps[first:],
            "prefix": [now[name] - before[name] for name in now],
            "answers": [some[index] for some in found for index in sorted(some)],
        }
    return result


def main(weights: str, asked_path: str, answered_path: str) -> None:
    asked = json.loads(Path(asked_path).read_text())
    start = time.perf_counter()
    engine = VLLMEngine(weights, eager=True, **asked["settings"])
    result: dict[str, object] = {"load_seconds": time.perf_counter() - start}
    requests = [Request(mode, Prompt(*prompt)) for mode, prompt in asked["requests"]]
    batches = list(engine.batches(requests))
    result["batches"] = [batch.indices for batch in batches]
    result["answers"] = answers(engine, batches)
    result["counters"] = counters(engine)
    result["block"] = engine.llm.llm_engine.vllm_config.cache_config.block_size
    # A run that was killed after every other answer asks the others alone.
    rest = answers(engine, list(engine.batches(requests[1::2])))
    result["rest"] = {2 * index + 1: one for index, one in rest.items()}
    size = asked["dataset"]
    datasets = [requests[first : first + size] for first in range(0, len(requests), size)]
    engine._in_flight = len(requests)
    result["queue"] = queue(engine, datasets)
    rows = [Row(context, tuple(labels)) for context, labels in asked["rows"]]
    jobs = (engine._score(index, row) for index, row in enumerate(rows))
    ended = sorted(
        (job for some in run(engine.llm.llm_engine, jobs, 4) for job in some),
        key=lambda job: job.index,
    )
    result["rows"] = [asdict(job.answer()) for job in ended]
    dialogues = [
        TextRequest(
            "test",
            (Message("user", one["text"]),),
            Decoding(**one["decoding"] | {"stop": tuple(one["decoding"].get("stop", ()))}),
            one["seed"],
        )
        for one in asked["dialogues"]
    ]
    result["texts"] = texts(engine, dialogues)
    own = engine._decoding(TextRequest("test", (), None, 5), 30)
    result["own"] = {"max_tokens": own.max_tokens, "seed": own.seed}
    result["usage"] = asdict(engine.usage)
    Path(answered_path).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
