"""The methods by name: their requests, whether they use examples, and how their logic is read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    mode : mode of its predictions
    turns : names of its requests, one after the other in one dialogue
    few_shot : whether it uses labelled examples; if not, it has results at k = 0 only
    """

    mode: str
    turns: tuple[str, ...]
    few_shot: bool


METHODS = {
    "featllm": Method("rules", ("featllm_rules", "featllm_code"), few_shot=True),
    "llm_tree": Method("tree", ("llm_tree",), few_shot=False),
}
