"""What sharing the prefix and packing the rows is worth: ratios measured side by side in one run.

    PYTHONPATH=workflow/scripts python benchmarks/prefix_sharing.py --model <folder> --threads 1

At each number of shots k it asks the same prompts four ways: the transformers engine, one plain
forward pass (or ``model.generate``) per prompt, lm-evaluation-harness (of the version in
benchmarks/requirements.txt), and the arithmetic floor, a count of operations at the rate of matrix
products measured around the engine's runs. With one thread the ratios are of processor time, so
that other work on the machine does not count; with more, of the clock.
Exits 1 when a required ratio is missed or probabilities differ.
"""

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from tabbench.inference.engines.base import (
    LABELS,
    Answer,
    Generation,
    LabelScore,
    Mode,
    Prompt,
    Request,
)
from tabbench.inference.engines.packing import shared_length
from tabbench.inference.engines.processor import laid_out, product
from tabbench.inference.engines.rendering import Renderer, label_tokens
from tabbench.inference.engines.transformers import PACK_TOKENS, TransformersEngine

# Required ratios. Of AT_MOST the engine is above the line, of the others below it.
REQUIRED = {
    ("forward", 0, "plain"): 1.5,
    ("forward", 64, "plain"): 30.0,
    ("forward", 0, "lm-eval"): 4.0,
    ("forward", 64, "lm-eval"): 45.0,
    ("forward", 0, "floor"): 1.25,
    ("forward", 64, "floor"): 1.25,
    ("generation", 64, "plain"): 8.0,
    ("both modes", 16, "forward"): 1.2,
}
RATIOS = {
    "plain": "plain / engine",
    "lm-eval": "lm-eval / engine",
    "floor": "engine / floor",
    "forward": "both modes / forward alone",
}
AT_MOST = ("floor", "forward")
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


def prompts(shots: int, rows: int, seed: int = 0) -> list[Prompt]:
    """Prompts that share their examples and differ in the row asked."""
    rng = random.Random(seed)
    examples = "".join(f"{table_row(rng)}{label % 2}\n" for label in range(shots))
    task = f"{TASK}The customers were called in week {seed + 1}.\n"  # a prefix of each seed's own
    return [Prompt(SYSTEM, task + examples, table_row(rng)) for _ in range(rows)]


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


def by_engine(engine: TransformersEngine, asked: Sequence[Prompt], *modes: Mode) -> list[Answer]:
    """Everything that a user waits for, tokenization and the prefix too; mode after mode."""
    requests = [Request(mode, prompt) for mode in modes for prompt in asked]
    answers: dict[int, Answer] = {}
    for batch in engine.batches(requests):
        for outcomes in engine.answer(batch):
            answers.update(outcomes)
    return [answers[index] for index in range(len(requests))]


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


class Harness:
    """lm-evaluation-harness, asked for the likelihoods of both labels, as its tasks ask."""

    def __init__(self, source: str) -> None:
        from lm_eval.models.huggingface import HFLM

        self._model = HFLM(pretrained=source, device="cpu", dtype="float32", batch_size=1)

    def logps(self, contexts: Sequence[str], labels: Sequence[str]) -> list[list[float]]:
        from lm_eval.api.instance import Instance

        asked = [
            Instance("loglikelihood", {}, (context, label), number)
            for number, context in enumerate(contexts)
            for label in labels
        ]
        found = iter(self._model.loglikelihood(asked, disable_tqdm=True))
        return [[next(found)[0] for _ in labels] for _ in contexts]

    def compare(self, contexts: Sequence[str]) -> tuple[list[list[float]], Timing]:
        """Log-probabilities of both labels after the prompt, and the time that they took.

        The harness moves a prompt's last space into the label, so that the space is scored with it;
        its log-probability is subtracted.
        """
        whole, took = timed(lambda: self.logps(contexts, LABELS), len(contexts))
        spaces = self.logps([context.rstrip() for context in contexts], [" "])
        return [
            [logp - space for logp in pair] for pair, (space,) in zip(whole, spaces, strict=True)
        ], took


def p_1(logp_0: float, logp_1: float) -> float:
    return float(torch.sigmoid(torch.tensor(logp_1 - logp_0, dtype=torch.float64)))


# Floor ---------------------------------------------------------------------------------------


def matrix_rate(config: Any, tokens: int) -> Timing:
    """Seconds per operation (a multiplication or an addition) in products of the model's sizes.

    Of torch's own products and oneDNN's, with weights as they are and laid out for it, the
    fastest, so that the floor is one on every processor.
    """
    shapes = (
        (config.hidden_size, config.intermediate_size),
        (config.intermediate_size, config.hidden_size),
        (config.hidden_size, config.hidden_size),
    )
    pairs = [(torch.randn(tokens, a), torch.randn(b, a)) for a, b in shapes]
    once = sum(2 * tokens * a * b for a, b in shapes)
    ways = [
        (torch.nn.functional.linear, pairs),
        (product, pairs),
        (product, [(left, laid_out(right)) for left, right in pairs]),
    ]
    rates = []
    for multiply, of_way in ways:

        def products(
            multiply: Callable[..., Any] = multiply, of_way: Sequence[Any] = of_way
        ) -> None:
            for left, right in of_way:
                multiply(left, right)

        products()
        runs = [timed(products, once)[1] for _ in range(20)]
        rates.append(median(runs))
    return min(rates, key=lambda rate: rate.cpu)


def median(timings: Sequence[Timing]) -> Timing:
    return Timing(*(statistics.median(getattr(one, name) for one in timings) for name in CLOCKS))


def floor_operations(model: Any, token_lists: Sequence[list[int]]) -> float:
    """Operations per prompt that no way can do without.

    Two per parameter (embeddings and output layer apart) and token, the tokens of the shared
    prefix once; two per parameter of the output layer and prompt; four per layer, visible key and
    number of the heads of each query.
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
    read = 2 * model.get_output_embeddings().weight.numel() * len(token_lists)
    operations: float = 2 * parameters * tokens + attention + read
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
        text = f"{RATIOS[against]} = {value:.2f}"
        required = REQUIRED.get((mode, shots, against))
        if required is None:
            print(f"  {text}")
        elif against in AT_MOST:
            self._judge(f"{text} (<= {required:g})", value <= required)
        else:
            self._judge(f"{text} (>= {required:g})", value >= required)

    def difference(self, what: str, value: float, tolerance: float) -> None:
        self._judge(f"{what} = {value:.1e} (<= {tolerance:.0e})", value <= tolerance)

    def _judge(self, text: str, good: bool) -> None:
        print(f"  {text}: {'PASS' if good else 'FAIL'}", flush=True)
        if not good:
            self.missed.append(text)


@dataclass(frozen=True)
class Ways:
    """All that answers the prompts."""

    engine: TransformersEngine
    model: Any
    renderer: Renderer
    harness: Harness | None


def compare_forward(
    ways: Ways, shots: int, rows: int, plain: int, rounds: int, report: Report
) -> None:
    """Forward scoring, and both modes together, in rounds that take turns with the floor's rate."""
    rates, alone, together = [matrix_rate(ways.model.config, PACK_TOKENS)], [], []
    first: list[Answer] = []
    for seed in range(rounds):
        asked = prompts(shots, rows, seed)
        answers, took = timed(lambda asked=asked: by_engine(ways.engine, asked, "forward"), rows)
        first = first or answers
        alone.append(took)
        rates.append(matrix_rate(ways.model.config, PACK_TOKENS))
        if ("both modes", shots, "forward") in REQUIRED:
            forget_prefix(ways.engine)
            call = lambda asked=asked: by_engine(ways.engine, asked, "forward", "generation")  # noqa: E731
            together.append(timed(call, rows)[1])
    asked = prompts(shots, rows)
    texts = [ways.renderer.text(prompt) for prompt in asked]
    scores, single = timed(lambda: plain_forward(ways.model, ways.renderer, asked[:plain]), plain)
    tokens = [found.context for found in label_tokens(ways.renderer.tokens, texts)]
    packed, rate = median(alone), median(rates)
    operations = floor_operations(ways.model, tokens)
    floor = Timing(operations * rate.wall, operations * rate.cpu)
    title("forward", shots, tokens)
    report.row("one pass per prompt", plain, single)
    found = [answer for answer in first[:plain] if isinstance(answer, LabelScore)]
    if ways.harness:
        theirs, took = ways.harness.compare(texts[:plain])
        report.row("lm-evaluation-harness", plain, took)
    report.row("engine", rows, packed)
    report.row(
        "arithmetic floor", rows, floor, f"at {1e-9 / rate.cpu:.0f} GFLOP per processor second"
    )
    report.ratio("forward", shots, "plain", single, packed)
    report.ratio("forward", shots, "floor", packed, floor)
    worst = max(abs(p_1(a.logp_0, a.logp_1) - b) for a, b in zip(found, scores, strict=True))
    report.difference("largest difference of p(1)", worst, TOLERANCE)
    if ways.harness:
        report.ratio("forward", shots, "lm-eval", took, packed)
        worst = max(
            abs(math.exp(ours) - math.exp(logp))
            for answer, pair in zip(found, theirs, strict=True)
            for ours, logp in zip((answer.logp_0, answer.logp_1), pair, strict=True)
        )
        report.difference(
            "largest difference of a label's probability to lm-eval's", worst, TOLERANCE
        )
    if together:
        both = median(together)
        report.row("both modes", rows, both)
        report.ratio("both modes", shots, "forward", both, packed)


def forget_prefix(engine: TransformersEngine) -> None:
    """Let the engine compute a group's prefix anew, as it does for each group."""
    by_engine(engine, [Prompt("", "", "x")], "forward")


def compare_generation(ways: Ways, shots: int, rows: int, plain: int, report: Report) -> None:
    asked = prompts(shots, rows)
    forget_prefix(ways.engine)
    answers, packed = timed(lambda: by_engine(ways.engine, asked, "generation"), rows)
    texts, single = timed(lambda: plain_generation(ways.model, ways.renderer, asked[:plain]), plain)
    title("generation", shots, ways.renderer.tokens(list(map(ways.renderer.text, asked))))
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
    parser.add_argument("--shots", type=int, nargs="+", default=[0, 16, 64])
    parser.add_argument("--rows", type=int, default=64, help="prompts given to the engine")
    parser.add_argument(
        "--plain", type=int, default=2, help="prompts of the slow ways, which are linear"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of the engine; medians are given")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pack-tokens", type=int, default=PACK_TOKENS)
    parser.add_argument("--no-generation", action="store_true")
    parser.add_argument("--no-harness", action="store_true", help="without lm-evaluation-harness")
    options = parser.parse_args()

    engine = TransformersEngine(
        options.model,
        style="completion",
        max_new_tokens=MAX_NEW_TOKENS,
        pack_tokens=options.pack_tokens,
        threads=options.threads,
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        options.model, dtype=torch.float32
    ).eval()
    harness = None if options.no_harness else Harness(options.model)
    ways = Ways(engine, model, Renderer(tokenizer, "completion"), harness)
    report = Report("cpu" if options.threads == 1 else "wall", [])
    print(
        f"{options.threads} thread(s); ratios of {report.clock} seconds; "
        f"packs of {options.pack_tokens} tokens; medians of {options.rounds} rounds"
    )
    for shots in options.shots:
        plain = options.plain if shots else 10 * options.plain
        compare_forward(ways, shots, options.rows, plain, options.rounds, report)
        if not options.no_generation:
            rows = max(options.rows // 4, options.plain)
            compare_generation(ways, shots, rows, options.plain, report)
    print(f"\n{'FAIL: ' + '; '.join(report.missed) if report.missed else 'PASS'}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
