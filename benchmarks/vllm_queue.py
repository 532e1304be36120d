"""How full vLLM's queue is over a job of small datasets: one after the other, and together.

python benchmarks/vllm_queue.py MODEL_FOLDER
"""

import argparse
import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import mean

from tabbench.core.labels import label_probability
from tabbench.inference.engines.base import Answer, LabelScore, Mode, Prompt, Request
from tabbench.inference.engines.vllm import VLLMEngine

MODES: tuple[Mode, ...] = ("forward", "generation")
TASK = "Predict whether a patient has the disease {}: answer with 0 (no) or 1 (yes) alone.\n"


def row(chance: random.Random) -> str:
    glucose, bmi, age = (chance.randint(*span) for span in ((70, 199), (18, 45), (21, 80)))
    return f"Features are: Glucose = {glucose}, BMI = {bmi}, Age = {age}. Answer is "


def dataset(number: int, groups: int, rows: int, shots: int) -> list[Request]:
    """The requests of one made-up dataset: draws of examples, the same rows for each."""
    chance = random.Random(number)
    queries = [row(chance) for _ in range(rows)]
    asked = []
    for _ in range(groups):
        examples = "".join(f"{row(chance)}{shot % 2}\n" for shot in range(shots))
        prompts = [Prompt("", TASK.format(number) + examples, query) for query in queries]
        asked += [Request(mode, prompt) for mode in MODES for prompt in prompts]
    return asked


@dataclass
class Run:
    """What vLLM's own counters say of a run, step by step."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    running: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    looked_up: int = 0
    found: int = 0
    answers: list[Answer] = field(default_factory=list)

    def summary(self) -> dict[str, float]:
        return {
            "answers": len(self.answers),
            "steps": len(self.tokens),
            "tokens per step": round(mean(self.tokens), 1),
            "computed tokens": sum(self.tokens),
            "requests running, mean": round(mean(self.running), 1),
            "times the queue ran empty": self.left.count(0),
            "prefix tokens looked up": self.looked_up,
            "prefix tokens found": self.found,
            "seconds": round(self.seconds, 1),
            "processor seconds": round(self.processor_seconds, 1),
        }


class Watch:
    """Reads vLLM's counters after each of its steps."""

    def __init__(self, engine: VLLMEngine) -> None:
        self._llm = engine.llm
        self._step = engine.llm.llm_engine.step
        self.run = Run()
        engine.llm.llm_engine.step = self._watched

    def counters(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for metric in self._llm.get_metrics():
            value = getattr(metric, "value", getattr(metric, "sum", 0.0))
            if isinstance(value, (int, float)):
                found[metric.name.removeprefix("vllm:")] = value
        return found

    def _watched(self) -> object:
        before = self.counters()["iteration_tokens_total"]
        outputs = self._step()
        now = self.counters()
        self.run.running.append(int(now["num_requests_running"]))
        self.run.left.append(self._llm.llm_engine.get_num_unfinished_requests())
        self.run.tokens.append(int(now["iteration_tokens_total"] - before))
        return outputs


def measure(engine: VLLMEngine, watch: Watch, calls: Sequence[Sequence[Request]]) -> Run:
    """Answer requests, those of one call together."""
    watch.run = run = Run()
    before = watch.counters()
    start, used = time.perf_counter(), time.process_time()
    for requests in calls:
        found: dict[int, Answer] = {}
        for batch in engine.batches(requests):
            for outcomes in engine.answer(batch):
                found.update(outcomes)
        run.answers += [found[index] for index in range(len(requests))]
    run.seconds = time.perf_counter() - start
    run.processor_seconds = time.process_time() - used
    now = watch.counters()
    run.looked_up, run.found = (
        int(now[f"prefix_cache_{name}"] - before[f"prefix_cache_{name}"])
        for name in ("queries", "hits")
    )
    return run


def p_1(answer: Answer) -> float | None:
    if isinstance(answer, LabelScore):
        return float(label_probability(answer.logp_0, answer.logp_1)[0])
    return None


def difference(one: Sequence[Answer], other: Sequence[Answer]) -> tuple[float, int]:
    """The largest difference of p(1), and how many texts differ."""
    pairs = list(zip(one, other, strict=True))
    scores = [(p_1(a), p_1(b)) for a, b in pairs if isinstance(a, LabelScore)]
    texts = [(a.text, b.text) for a, b in pairs if not isinstance(a, LabelScore)]
    return max(abs(a - b) for a, b in scores), sum(a != b for a, b in texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--datasets", type=int, default=12)
    parser.add_argument("--groups", type=int, default=2)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--shots", type=int, default=4)
    given = parser.parse_args()
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    engine = VLLMEngine(
        given.model,
        style="completion",
        dtype="float32",
        max_new_tokens=4,
        stop=["\n"],
        context_length=1024,
        eager=True,
    )
    watch = Watch(engine)
    datasets = [
        dataset(number, given.groups, given.rows, given.shots) for number in range(given.datasets)
    ]
    measure(engine, watch, [dataset(-1, 1, 4, 2)])  # warm
    apart = measure(engine, watch, datasets)
    print("one dataset after the other:", json.dumps(apart.summary(), indent=1))
    together = measure(engine, watch, [list(chain(*datasets))])
    print("together:", json.dumps(together.summary(), indent=1))
    largest, texts = difference(apart.answers, together.answers)
    print(f"largest difference of p(1) {largest:.1e}; {texts} texts differ")


if __name__ == "__main__":
    main()
