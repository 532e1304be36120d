"""The part of vLLM that the engine uses, computed by plain passes of transformers.

Names, arguments and refusals are those of vLLM 0.32; tests/vllm_cpu runs the real one.
"""

import sys
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

FAMILY_DEFAULTS = {"temperature": 0.6, "top_p": 0.95}


class VLLMClientError(Exception):
    """What vLLM raises for a prompt that it does not take; no ValueError."""


class RequestOutputKind(Enum):
    CUMULATIVE = 0
    FINAL_ONLY = 2


def tokens_input(tokens: list[int]) -> dict[str, Any]:
    return {"type": "token", "prompt_token_ids": tokens}


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it where the engine imports vLLM from."""
    here: ModuleType = sys.modules[__name__]
    for name in ("vllm", "vllm.exceptions", "vllm.inputs", "vllm.sampling_params"):
        monkeypatch.setitem(sys.modules, name, here)


@dataclass
class SamplingParams:
    temperature: float = 1.0
    max_tokens: int | None = 16
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    stop: list[str] = field(default_factory=list)
    seed: int | None = None
    logprob_token_ids: list[int] | None = None
    output_kind: RequestOutputKind = RequestOutputKind.CUMULATIVE

    def __post_init__(self) -> None:
        assert isinstance(self.stop, list)
        assert self.logprob_token_ids is None or 0 < len(self.logprob_token_ids) <= 128


@dataclass
class _Running:
    """A completion that is known and shown token by token."""

    name: str
    params: SamplingParams
    whole: SimpleNamespace
    shown: int = 0

    def step(self) -> SimpleNamespace | None:
        self.shown += 1
        finished = self.shown == len(self.whole.token_ids)
        if not finished and self.params.output_kind is RequestOutputKind.FINAL_ONLY:
            return None
        output = SimpleNamespace(**vars(self.whole))
        if not finished:
            output.token_ids = self.whole.token_ids[: self.shown]
            output.finish_reason = output.stop_reason = None
        return SimpleNamespace(request_id=self.name, outputs=[output], finished=finished)


class LLMEngine:
    """Runs ``width`` prompts at a time, first come first served, a token of each in a step.

    Attributes
    ----------
    asked
        Prompts in the order in which they were handed in, with their parameters.
    running, waiting
        How many there were in each step.
    refuses
        Prompts that it does not take.
    ends
        Prompts that it ends without an answer, by the reason.
    """

    def __init__(self, llm: "LLM", width: int = 4) -> None:
        self._llm, self.width = llm, width
        self.asked: list[tuple[list[int], SamplingParams]] = []
        self.refuses: list[list[int]] = []
        self.ends: list[tuple[list[int], str]] = []
        self.running: list[int] = []
        self.waiting: list[int] = []
        self._waiting: list[_Running] = []
        self._running: list[_Running] = []

    def add_request(self, name: str, prompt: dict[str, Any], params: SamplingParams) -> str:
        assert isinstance(name, str)
        assert prompt["type"] == "token"
        assert name not in {one.name for one in self._waiting + self._running}
        tokens = prompt["prompt_token_ids"]
        if tokens in self.refuses:
            raise VLLMClientError("the prompt is refused")
        self.asked.append((tokens, params))
        whole = self._llm.complete(tokens, params)
        for refused, reason in self.ends:
            if tokens == refused:
                whole.finish_reason = reason
        self._waiting.append(_Running(name, params, whole))
        return f"{name}-internal"

    def has_unfinished_requests(self) -> bool:
        return bool(self._waiting or self._running)

    def abort_request(self, names: list[str]) -> None:
        self._waiting = [one for one in self._waiting if one.name not in names]
        self._running = [one for one in self._running if one.name not in names]

    def step(self) -> list[SimpleNamespace]:
        free = self.width - len(self._running)
        self._running += self._waiting[:free]
        del self._waiting[:free]
        self.running.append(len(self._running))
        self.waiting.append(len(self._waiting))
        outputs = [output for one in self._running if (output := one.step())]
        ended = {output.request_id for output in outputs if output.finished}
        self._running = [one for one in self._running if one.name not in ended]
        return outputs


class LLM:
    """``says``: tokens to write, all of them, whatever the model thinks likely."""

    def __init__(self, **arguments: Any) -> None:
        self.arguments = arguments
        self.model = AutoModelForCausalLM.from_pretrained(arguments["model"]).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(arguments["model"])
        limit = arguments["max_model_len"] or self.model.config.max_position_embeddings
        self.model_config = SimpleNamespace(max_model_len=limit)
        self.says: list[int] = []
        self.llm_engine = LLMEngine(self)
        self.resets = 0

    @property
    def asked(self) -> list[tuple[list[int], SamplingParams]]:
        return self.llm_engine.asked

    def get_default_sampling_params(self) -> SamplingParams:
        return SamplingParams(**FAMILY_DEFAULTS)

    def reset_prefix_cache(self) -> bool:
        assert not self.llm_engine.has_unfinished_requests()
        self.resets += 1
        return True

    @torch.inference_mode()
    def complete(self, prompt: list[int], params: SamplingParams) -> SimpleNamespace:
        assert params.max_tokens is not None
        assert len(prompt) + 1 <= self.model_config.max_model_len
        new: list[int] = []
        logprobs: list[dict[int, SimpleNamespace]] = []
        reason, stop_reason = "length", None
        ends = () if self.says else self.model.generation_config.eos_token_id
        while len(new) < params.max_tokens and reason == "length":
            logps = self.model(torch.tensor([prompt + new])).logits[0, -1].log_softmax(-1)
            token = self.says[len(new)] if len(new) < len(self.says) else int(logps.argmax())
            new.append(token)
            shown = [token, *(params.logprob_token_ids or ())]
            logprobs.append({one: SimpleNamespace(logprob=float(logps[one])) for one in shown})
            text = self.tokenizer.decode(new, skip_special_tokens=True)
            stopped = [stop for stop in params.stop if stop in text]
            if token in ends:
                reason = "stop"
            elif stopped:
                reason, stop_reason = "stop", stopped[0]
        return SimpleNamespace(
            token_ids=new,
            logprobs=logprobs if params.logprob_token_ids else None,
            finish_reason=reason,
            stop_reason=stop_reason,
        )
