"""From a prompt to the text and the tokens that a model is given, in completion or chat style."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import jinja2

from tabbench.core.errors import TabBenchError
from tabbench.core.thinking import leaves_thinking_on, shows_thought, thinking_off
from tabbench.inference.engines.base import LABELS, Prompt, TextRequest
from tabbench.inference.engines.control_tokens import ControlTokens
from tabbench.inference.engines.messages import (
    COMPLETION_LAYOUT,
    Messages,
    chat_messages,
    completion_text,
    fold_system,
    template_hash,
)
from tabbench.inference.engines.packing import common_prefix_length

Style = Literal["completion", "chat"]
Tokenize = Callable[[Sequence[str]], list[list[int]]]


@dataclass(frozen=True)
class LabelTokens:
    """Tokens of a prompt, cut where its labels part.

    Attributes
    ----------
    context
        What the whole texts ``prompt + label`` have in common; the labels are read after it.
    labels
        The further tokens of each label, at least one.
    """

    context: list[int]
    labels: tuple[list[int], ...]

    @property
    def single(self) -> bool:
        return all(len(tokens) == 1 for tokens in self.labels)


def label_tokens(
    tokenize: Tokenize, texts: Sequence[str], labels: Sequence[str] = LABELS
) -> list[LabelTokens]:
    """Derive the label tokens of rendered prompts.

    The tokens of a label depend on the text before it (a leading space, merges), so prompt and
    label are tokenized together.

    Raises
    ------
    TabBenchError
        When the tokens of one label are the beginning of the other's.
    """
    whole = [tokenize([text + label for text in texts]) for label in labels]
    results = []
    for candidates in zip(*whole, strict=True):
        shared = common_prefix_length(candidates)
        tails = tuple(tokens[shared:] for tokens in candidates)
        if not shared or not all(tails):
            raise TabBenchError(
                f"labels {list(labels)} cannot be distinguished after a prompt by this tokenizer; "
                "use generation mode for this model"
            )
        results.append(LabelTokens(candidates[0][:shared], tails))
    return results


class Renderer:
    """Renders and tokenizes prompts for one model.

    Parameters
    ----------
    tokenizer
        A fast tokenizer of transformers.
    style
        ``completion``: plain text. ``chat``: the model's own chat template.
    template_args
        Arguments of the chat template, such as ``{"enable_thinking": False}``.
    system_role
        See `chat_messages`.

    Raises
    ------
    TabBenchError
        When a chat template is asked for and the tokenizer has none or several, or it leaves a
        system message out; when the tokenizer changes a text whose ends it marks.
    """

    def __init__(
        self,
        tokenizer: Any,
        style: Style,
        template_args: Mapping[str, object] | None = None,
        system_role: bool = True,
    ) -> None:
        self.tokenizer = tokenizer
        self._style = style
        self._args = dict(template_args or {})
        self._system_role = system_role
        self._control = ControlTokens(tokenizer)
        self._ends = self._end_tokens()
        self._template = COMPLETION_LAYOUT if style == "completion" else self._chat_template()
        self.template = template_hash(self._template)
        if style == "chat":
            self._check_system_role()

    def _chat_template(self) -> str:
        templates = getattr(self.tokenizer, "chat_template", None)
        if isinstance(templates, str):
            return templates
        name = self._args.get("chat_template", "default")
        if isinstance(templates, Mapping) and name in templates:
            return str(templates[name])
        where = self.tokenizer.name_or_path
        if templates:
            raise TabBenchError(
                f"{where}: the tokenizer has the chat templates {', '.join(sorted(templates))}, "
                f"and none is called '{name}'; name one in the model's entry: "
                f"'template_args: {{chat_template: {min(templates)}}}'"
            )
        raise TabBenchError(
            f"{where}: the tokenizer has no chat template; set 'style: completion' in the model's "
            "entry"
        )

    def _check_system_role(self) -> None:
        """Check that the template writes a system message, where it is given one."""
        said = "Answer briefly, please."
        question = {"role": "user", "content": "?"}
        if not self._system_role:
            self.dialogue([question])
            return
        remedy = "set 'system_role: false' in the model's entry, which puts it before the user's"
        try:
            rendered = self.dialogue([{"role": "system", "content": said}, question])
        except TabBenchError as error:
            raise TabBenchError(f"{error}. If it knows no system message, {remedy}") from error
        if said not in rendered:
            raise TabBenchError(
                f"{self.tokenizer.name_or_path}: the chat template leaves the system message out; "
                f"{remedy}"
            )

    def _end_tokens(self) -> int:
        """How many tokens the tokenizer appends to a text: none may stand before an answer.

        Raises
        ------
        TabBenchError
            When it does not keep a text's tokens together.
        """
        bare, whole = (self._raw(["a"], added)[0] for added in (False, True))
        for start in range(len(whole) - len(bare) + 1):
            if whole[start : start + len(bare)] == bare:
                return len(whole) - len(bare) - start
        raise TabBenchError(
            f"{self.tokenizer.name_or_path}: the tokenizer changes a text when it adds its special "
            f"tokens ({whole} instead of {bare}); labels cannot be scored with it"
        )

    def text(self, prompt: Prompt) -> str:
        """Return a prompt as the text after which the model answers.

        Control tokens in its cells are marked, so that `tokens` takes them as text.
        """
        if self._style == "completion":
            return self._control.guard(completion_text(prompt))
        return self.dialogue(chat_messages(prompt))

    def dialogue(self, messages: Messages) -> str:
        """Return chat messages in the model's own template, open for its answer.

        Raises
        ------
        TabBenchError
            When the template cannot render them.
        """
        if not self._system_role:
            messages = fold_system(messages)
        # What the model wrote before stays as it is: templates cut thoughts out of it.
        guarded = [
            turn
            if turn["role"] == "assistant"
            else {**turn, "content": self._control.guard(turn["content"])}
            for turn in messages
        ]
        try:
            rendered = self.tokenizer.apply_chat_template(
                guarded, tokenize=False, add_generation_prompt=True, **self._args
            )
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise TabBenchError(
                f"{self.tokenizer.name_or_path}: the chat template refuses the messages ({error})"
            ) from error
        return str(rendered)

    def dialogue_tokens(self, request: TextRequest) -> list[int]:
        """Tokenize a dialogue; a chat template brings its own special tokens.

        Raises
        ------
        TabBenchError
            When the tokenizer has no chat template and the dialogue is not plain.
        """
        if request.plain:
            text = "\n\n".join(message.content for message in request.messages)
            return self._encode([self._control.guard(text)], add_special_tokens=True)[0]
        self._chat_template()
        messages = [asdict(message) for message in request.messages]
        return self._encode([self.dialogue(messages)], add_special_tokens=False)[0]

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokenize whole texts. A chat template brings its own special tokens, plain text none."""
        return self._encode(texts, add_special_tokens=self._style == "completion")

    def _encode(self, texts: Sequence[str], add_special_tokens: bool) -> list[list[int]]:
        found = self._control.encode(texts, self._raw, add_special_tokens)
        ends = self._ends if add_special_tokens else 0
        return [tokens[: len(tokens) - ends] for tokens in found]

    def _raw(self, texts: Sequence[str], add_special_tokens: bool) -> list[list[int]]:
        encoded = self.tokenizer(
            list(texts),
            add_special_tokens=add_special_tokens,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        ids: list[list[int]] = encoded["input_ids"]
        return ids

    def refuse_thinking(self, text: str) -> None:
        """Check that a rendered prompt is followed directly by the answer.

        Raises
        ------
        TabBenchError
            When the model would think first: its next token is no answer.
        """
        if self._style == "chat" and leaves_thinking_on(text, self._template, self._args):
            raise TabBenchError(
                f"{self.tokenizer.name_or_path}: forward scoring needs thinking off; set "
                "'template_args: {enable_thinking: false}' in the model's entry, or use "
                "generation mode"
            )

    @property
    def thinking_off(self) -> bool:
        """Whether the template was told to turn thinking off."""
        return thinking_off(self._args)

    def refuse_thoughts(self, answers: Sequence[str]) -> None:
        """Check that most answers of a batch hold no thought, where none may be.

        Raises
        ------
        TabBenchError
            When the model thinks.
        """
        thinking = sum(map(shows_thought, answers))
        if thinking > len(answers) / 2:
            raise TabBenchError(
                f"{self.tokenizer.name_or_path}: {thinking} of {len(answers)} answers hold a "
                "thought: the model thinks before it answers. Check 'template_args' of the "
                "model's entry, or use generation mode with thinking on"
            )
