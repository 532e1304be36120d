"""What sharing the prefix and packing the rows is worth: ratios measured side by side in one run.

    PYTHONPATH=workflow/scripts python benchmarks/prefix_sharing.py --model <folder> --threads 1

At each number of shots k it asks the same prompts three ways: the transformers engine, one plain
forward pass (or ``model.generate``) per prompt, and the arithmetic floor, a count of operations
at the rate of matrix products measured around the engine's run. With one thread the ratios are
of processor time, so that other work on the machine does not count; with more, of the clock.
Exits 1 when a required ratio is missed or probabilities differ.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from tabbench.inference.engines.base import Answer, Generation, LabelScore, Mode, Prompt, Request
from tabbench.inference.engines.packing import shared_length
from tabbench.inference.engines.rendering import Renderer, label_tokens
from tabbench.inference.engines.transformers import PACK_TOKENS, TransformersEngine

# Required ratios: "plain" is plain / engine, at least; "floor" is engine / floor, at most.
REQUIRED = {
    ("forward", 0, "plain"): 1.5,
    ("forward", 64, "plain"): 30.0,
    ("forward", 64, "floor"): 2.0,
    ("generation", 64, "plain"): 8.0,
}
TOLERANCE = 1e-4
CLOCKS = ("wall", "cpu")
MAX_NEW_TOKENS = 8


# Prompts -------------------------------------------------------------------------------------

SYSTEM = "You are an expert in predicting outcomes from tabular data."
TASK = (
    "Each case is a customer of a retail bank who was called during a campaign for a savings "
    "account. Predict whether the customer opens the account within three months of the call. "
    "The answer is 1 if the account was opened and 0 if it was not. "
    "Answer with one digit, 0 or 1, and nothing else.\n"
)
JOBS = ("clerk", "teacher", "engineer", "retired", "self-employed", "student", "nurse")
SCHOOLS = ("primary", "secondary", "bachelor", "master", "unknown")


def table_row(rng: random.Random) -> str:
    """One made-up customer of ten columns as text, up to the place of the label."""
    cells = {
        "age": rng.randint(18, 88),
        "job": rng.choice(JOBS),
        "education": rng.choice(SCHOOLS),
        "balance": round(rng.gauss(1500, 2500), 2),
        "housing loan": rng.choice(("yes", "no")),
        "monthly income": rng.randint(900, 9000),
        "calls this campaign": rng.randint(1, 12),
        "days since last call": rng.choice((-1, rng.randint(1, 400))),
        "credit score": round(rng.uniform(0.2, 0.99), 3),
        "region": rng.choice(("north", "south", "east", "west")),
    }
    return (
        f"Features are: {', '.join(f'{name} = {cell}' for name, cell in cells.items())}. Answer is "
    )


def prompts(shots: int, rows: int) -> list[Prompt]:
    """Prompts that share their examples and differ in the row asked."""
    rng = random.Random(0)
    examples = "".join(f"{table_row(rng)}{label % 2}\n" for label in range(shots))
    return [Prompt(SYSTEM, TASK + examples, table_row(rng)) for _ in range(rows)]


# Ways ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timing:
    """Seconds per prompt: by the clock, and of processor time."""

    wall: float
    cpu: float


def timed(call: Callable[[], Any], prompts: int) -> tuple[Any, Timing]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return result, Timing(wall / prompts, cpu / prompts)


def by_engine(engine: TransformersEngine, asked: Sequence[Prompt], mode: Mode) -> list[Answer]:
    """Everything that a user waits for, tokenization and the prefix too."""
    answers: dict[int, Answer] = {}
    for batch in engine.batches([Request(mode, prompt) for prompt in asked]):
        for outcomes in engine.answer(batch):
            answers.update(outcomes)
    return [answers[index] for index in range(len(asked))]


@torch.inference_mode()
def plain_forward(model: Any, renderer: Renderer, asked: Sequence[Prompt]) -> list[float]:
    """p(1) by one forward pass per prompt."""
    scores = []
    for prompt in asked:
        (found,) = label_tokens(renderer.tokens, [renderer.text(prompt)])
        ids = torch.tensor([found.context])
        logps = (
            model(input_ids=ids, use_cache=False, logits_to_keep=1).logits[0, -1].log_softmax(-1)
        )
        zero, one = (float(logps[label[0]]) for label in found.labels)
        scores.append(p_1(zero, one))
    return scores


def plain_generation(model: Any, renderer: Renderer, asked: Sequence[Prompt]) -> list[str]:
    """New text by one ``model.generate`` per prompt."""
    results = []
    for prompt in asked:
        ids = torch.tensor(renderer.tokens([renderer.text(prompt)]))
        whole = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=MAX_NEW_TOKENS,
        )
        new = whole[0, ids.shape[1] :]
        results.append(renderer.tokenizer.decode(new, skip_special_tokens=True))
    return results


def p_1(logp_0: float, logp_1: float) -> float:
    return float(torch.sigmoid(torch.tensor(logp_1 - logp_0, dtype=torch.float64)))


# Floor ---------------------------------------------------------------------------------------


def matrix_rate(config: Any, tokens: int) -> Timing:
    """Seconds per operation (a multiplication or an addition) in products of the model's sizes."""
    shapes = (
        (config.hidden_size, config.intermediate_size),
        (config.intermediate_size, config.hidden_size),
        (config.hidden_size, config.hidden_size),
    )
    pairs = [(torch.randn(tokens, a), torch.randn(b, a)) for a, b in shapes]

    def products() -> None:
        for left, right in pairs:
            torch.nn.functional.linear(left, right)

    once = sum(2 * tokens * a * b for a, b in shapes)
    products()
    runs = [timed(products, once)[1] for _ in range(30)]
    return Timing(*(statistics.median(getattr(run, name) for run in runs) for name in CLOCKS))


def floor_operations(model: Any, token_lists: Sequence[list[int]]) -> float:
    """Operations per prompt that no way can do without.

    Two per parameter (embeddings and output layer apart) and token, the tokens of the shared
    prefix once; four per layer, visible key and number of the heads of each query.
    """
    config = model.config
    tables = {model.get_input_embeddings().weight, model.get_output_embeddings().weight}
    parameters = sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in tables)
    shared = shared_length(token_lists)
    tokens = shared + sum(len(tokens) - shared for tokens in token_lists)

    def pairs(start: int, end: int) -> float:
        """Query-key pairs of the tokens from ``start`` to ``end`` of a prompt."""
        return (end * (end + 1) - start * (start + 1)) / 2

    seen = pairs(0, shared) + sum(pairs(shared, len(tokens)) for tokens in token_lists)
    width = config.num_attention_heads * config.head_dim
    attention = 4 * config.num_hidden_layers * width * seen
    operations: float = 2 * parameters * tokens + attention
    return operations / len(token_lists)


# Report --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Report:
    """Prints what was measured and remembers what missed its requirement."""

    clock: str
    missed: list[str]

    def row(self, way: str, prompts: int, timing: Timing, note: str = "") -> None:
        print(
            f"  {way:<24}{prompts:>8}{timing.wall:>10.4f}{timing.cpu:>10.4f}   {note}", flush=True
        )

    def ratio(self, mode: str, shots: int, against: str, above: Timing, below: Timing) -> None:
        value = getattr(above, self.clock) / getattr(below, self.clock)
        name = "plain / engine" if against == "plain" else "engine / floor"
        required = REQUIRED.get((mode, shots, against))
        if required is None:
            print(f"  {name} = {value:.2f}")
            return
        good = value >= required if against == "plain" else value <= required
        demand = f"{'>=' if against == 'plain' else '<='} {required:g}"
        self._judge(f"{name} = {value:.2f} ({demand})", good)

    def difference(self, what: str, value: float, tolerance: float) -> None:
        self._judge(f"{what} = {value:.1e} (<= {tolerance:.0e})", value <= tolerance)

    def _judge(self, text: str, good: bool) -> None:
        print(f"  {text}: {'PASS' if good else 'FAIL'}", flush=True)
        if not good:
            self.missed.append(text)


def compare_forward(
    engine: TransformersEngine,
    model: Any,
    renderer: Renderer,
    shots: int,
    rows: int,
    plain: int,
    report: Report,
) -> None:
    asked = prompts(shots, rows)
    before = matrix_rate(model.config, PACK_TOKENS)
    answers, packed = timed(lambda: by_engine(engine, asked, "forward"), rows)
    after = matrix_rate(model.config, PACK_TOKENS)
    scores, single = timed(lambda: plain_forward(model, renderer, asked[:plain]), plain)
    tokens = [
        found.context for found in label_tokens(renderer.tokens, list(map(renderer.text, asked)))
    ]
    rate = Timing((before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2)
    operations = floor_operations(model, tokens)
    floor = Timing(operations * rate.wall, operations * rate.cpu)
    title("forward", shots, tokens)
    report.row("one pass per prompt", plain, single)
    report.row("engine", rows, packed)
    report.row(
        "arithmetic floor", rows, floor, f"at {1e-9 / rate.cpu:.0f} GFLOP per processor second"
    )
    report.ratio("forward", shots, "plain", single, packed)
    report.ratio("forward", shots, "floor", packed, floor)
    found = [p_1(a.logp_0, a.logp_1) for a in answers[:plain] if isinstance(a, LabelScore)]
    worst = max(abs(a - b) for a, b in zip(found, scores, strict=True))
    report.difference("largest difference of p(1)", worst, TOLERANCE)


def compare_generation(
    engine: TransformersEngine,
    model: Any,
    renderer: Renderer,
    shots: int,
    rows: int,
    plain: int,
    report: Report,
) -> None:
    asked = prompts(shots, rows)
    answers, packed = timed(lambda: by_engine(engine, asked, "generation"), rows)
    texts, single = timed(lambda: plain_generation(model, renderer, asked[:plain]), plain)
    title("generation", shots, renderer.tokens(list(map(renderer.text, asked))))
    report.row("generate per prompt", plain, single)
    report.row("engine", rows, packed)
    report.ratio("generation", shots, "plain", single, packed)
    found = [answer.text for answer in answers[:plain] if isinstance(answer, Generation)]
    different = sum(a != b for a, b in zip(found, texts, strict=True))
    report.difference("texts that differ", different, 0)


def title(mode: str, shots: int, token_lists: Sequence[list[int]]) -> None:
    shared, longest = shared_length(token_lists), max(map(len, token_lists))
    print(f"\n{mode}, k = {shots}: {shared} shared tokens, up to {longest - shared} of a row's own")
    print(f"  {'way':<24}{'prompts':>8}{'seconds':>10}{'cpu':>10}   (per prompt)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help="folder of a model, or its name on the hub")
    parser.add_argument("--shots", type=int, nargs="+", default=[0, 64])
    parser.add_argument("--rows", type=int, default=128, help="prompts given to the engine")
    parser.add_argument(
        "--plain", type=int, default=2, help="prompts of the slow way, which is linear"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pack-tokens", type=int, default=PACK_TOKENS)
    parser.add_argument("--no-generation", action="store_true")
    options = parser.parse_args()

    def engine() -> TransformersEngine:
        return TransformersEngine(
            options.model,
            style="completion",
            max_new_tokens=MAX_NEW_TOKENS,
            pack_tokens=options.pack_tokens,
            threads=options.threads,
        )

    packed = engine()
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    renderer = Renderer(tokenizer, "completion")
    model = transformers.AutoModelForCausalLM.from_pretrained(
        options.model, dtype=torch.float32
    ).eval()
    report = Report("cpu" if options.threads == 1 else "wall", [])
    print(
        f"{options.threads} thread(s); ratios of {report.clock} seconds; "
        f"packs of {options.pack_tokens} tokens"
    )
    for shots in options.shots:
        plain = options.plain if shots else 10 * options.plain
        compare_forward(packed, model, renderer, shots, options.rows, plain, report)
        if not options.no_generation:
            # A fresh engine: the prefix is computed again, as if generation ran alone.
            rows = max(options.rows // 4, options.plain)
            compare_generation(engine(), model, renderer, shots, rows, options.plain, report)
    print(f"\n{'FAIL: ' + '; '.join(report.missed) if report.missed else 'PASS'}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
