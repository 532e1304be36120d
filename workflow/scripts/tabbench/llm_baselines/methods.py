"""The methods by name: how they are asked, whether they use examples, how their logic is read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    mode : what stands as the mode of its predictions
    turns : names of its requests, one after the other in one dialogue
    few_shot : whether it shows and fits labelled examples; if not, it has results at k = 0 alone
    """

    mode: str
    turns: tuple[str, ...]
    few_shot: bool


METHODS = {
    "featllm": Method("rules", ("featllm_rules", "featllm_code"), few_shot=True),
    "llm_tree": Method("tree", ("llm_tree",), few_shot=False),
}
