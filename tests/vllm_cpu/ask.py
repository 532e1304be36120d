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
    found = {one.name: getattr(one, "value", None) for one in engine.llm.get_metrics()}
    return {name: found[f"vllm:prefix_cache_{name}"] for name in ("queries", "hits")}


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
    result["again"] = answers(engine, batches[-2:])
    rows = [Row(context, tuple(labels)) for context, labels in asked["rows"]]
    result["rows"] = [asdict(score) for score in engine._score(rows)]
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
