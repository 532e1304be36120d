"""From a prompt to the text and the tokens that a model is given, in completion or chat style."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tabbench.core.errors import TabBenchError
from tabbench.core.thinking import leaves_thinking_on, shows_thought, thinking_off
from tabbench.inference.engines.base import LABELS, Prompt, TextRequest
from tabbench.inference.engines.packing import common_prefix_length

Style = Literal["completion", "chat"]
Messages = list[dict[str, str]]
Tokenize = Callable[[Sequence[str]], list[list[int]]]

COMPLETION_LAYOUT = "{system}\n\n{prefix}{query}"
COMPLETION_LAYOUT_WITHOUT_SYSTEM = "{prefix}{query}"


def completion_text(prompt: Prompt) -> str:
    """Return the plain text that a model continues; the cue's trailing space is kept.

    "0" after a space is another token than " 0": without the space, the probability of the
    two labels is near zero for many models.
    """
    layout = COMPLETION_LAYOUT if prompt.system else COMPLETION_LAYOUT_WITHOUT_SYSTEM
    return layout.format(system=prompt.system, prefix=prompt.prefix, query=prompt.query)


def chat_messages(prompt: Prompt, system_role: bool = True) -> Messages:
    """Return the prompt as chat messages.

    Parameters
    ----------
    system_role
        Whether the model's template knows the role "system"; otherwise the system text opens
        the user's message.
    """
    messages = [{"role": "user", "content": prompt.prefix + prompt.query.rstrip()}]
    if prompt.system:
        messages.insert(0, {"role": "system", "content": prompt.system})
    return messages if system_role else fold_system(messages)


def fold_system(messages: Messages) -> Messages:
    """Move a leading system message into the message after it."""
    if len(messages) < 2 or messages[0]["role"] != "system":
        return messages
    system, first, *rest = messages
    return [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *rest]


def template_hash(template: str) -> str:
    """Return the first 12 hex digits of the sha256 of a template's text."""
    return hashlib.sha256(template.encode()).hexdigest()[:12]


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
                f"labels {list(labels)} cannot be told apart after a prompt by this tokenizer; "
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
        When a chat template is asked for and the tokenizer has none.
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
        self._template = COMPLETION_LAYOUT if style == "completion" else self._chat_template()
        self.template = template_hash(self._template)

    def _chat_template(self) -> str:
        template = getattr(self.tokenizer, "chat_template", None)
        if not isinstance(template, str):
            raise TabBenchError(
                f"{self.tokenizer.name_or_path}: the tokenizer has no chat template; "
                "set 'style: completion' in the model's entry"
            )
        return template

    def text(self, prompt: Prompt) -> str:
        """Return a prompt as the text after which the model answers."""
        if self._style == "completion":
            return completion_text(prompt)
        return self.dialogue(chat_messages(prompt))

    def dialogue(self, messages: Messages) -> str:
        """Return chat messages in the model's own template, open for its answer."""
        if not self._system_role:
            messages = fold_system(messages)
        rendered = self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, **self._args
        )
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
            return self._encode([text], add_special_tokens=True)[0]
        self._chat_template()
        messages = [asdict(message) for message in request.messages]
        return self._encode([self.dialogue(messages)], add_special_tokens=False)[0]

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokenize whole texts. A chat template brings its own special tokens, plain text none."""
        return self._encode(texts, add_special_tokens=self._style == "completion")

    def _encode(self, texts: Sequence[str], add_special_tokens: bool) -> list[list[int]]:
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
