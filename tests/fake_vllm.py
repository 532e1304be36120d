"""The part of vLLM that the engine uses, computed by plain passes of transformers.

Names, arguments and refusals are those of vLLM 0.32; tests/vllm_cpu runs the real one.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

FAMILY_DEFAULTS = {"temperature": 0.6, "top_p": 0.95}


@dataclass
class SamplingParams:
    temperature: float = 1.0
    max_tokens: int | None = 16
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    stop: list[str] = field(default_factory=list)
    seed: int | None = None
    logprob_token_ids: list[int] | None = None

    def __post_init__(self) -> None:
        assert isinstance(self.stop, list)
        assert self.logprob_token_ids is None or 0 < len(self.logprob_token_ids) <= 128


class LLM:
    """``says``: tokens to write, all of them, whatever the model thinks likely."""

    def __init__(self, **arguments: Any) -> None:
        self.arguments = arguments
        self.model = AutoModelForCausalLM.from_pretrained(arguments["model"]).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(arguments["model"])
        limit = arguments["max_model_len"] or self.model.config.max_position_embeddings
        self.model_config = SimpleNamespace(max_model_len=limit)
        self.says: list[int] = []
        self.asked: list[list[tuple[list[int], SamplingParams]]] = []
        self.resets = 0

    def get_default_sampling_params(self) -> SamplingParams:
        return SamplingParams(**FAMILY_DEFAULTS)

    def reset_prefix_cache(self) -> bool:
        self.resets += 1
        return True

    def generate(
        self, prompts: list[dict[str, list[int]]], params: list[SamplingParams], use_tqdm: bool
    ) -> list[SimpleNamespace]:
        assert len(prompts) == len(params)
        assert not use_tqdm
        tokens = [prompt["prompt_token_ids"] for prompt in prompts]
        self.asked.append(list(zip(tokens, params, strict=True)))
        return [
            SimpleNamespace(outputs=[self._complete(*one)])
            for one in zip(tokens, params, strict=True)
        ]

    @torch.inference_mode()
    def _complete(self, prompt: list[int], params: SamplingParams) -> SimpleNamespace:
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
