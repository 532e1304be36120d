"""The methods by name: their requests, whether they use examples, and how their logic is read.

FeatLLM and the single trees are asked as the paper's released code asks them; trees averaged over
their queries, as FeatLLM's rules are, go by a name of their own.
"""

from dataclasses import dataclass

from tabbench.inference.engines.base import Decoding

RULES_PER_CLASS = 10


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    mode : mode of its predictions
    turns : names of its requests, one after the other in one dialogue
    decodings : how the answer of each turn is decoded
    few_shot : whether it uses labelled examples; if not, it has results at k = 0 only
    single : whether each query is scored alone, as a seed of its own, and not their mean
    whole_below, columns : a query shows all columns of a table with fewer than ``whole_below``,
        else so many that it draws
    most_values : largest number of values listed for a categorical feature
    depth : most levels of a tree
    """

    mode: str
    turns: tuple[str, ...]
    decodings: tuple[Decoding, ...]
    few_shot: bool = False
    single: bool = False
    whole_below: int = 41
    columns: int = 40
    most_values: int = 30
    depth: int = 0


METHODS = {
    "featllm": Method(
        "rules",
        ("featllm_rules", "featllm_code"),
        (Decoding(1500, temperature=0.5), Decoding(1500)),
        few_shot=True,
        whole_below=20,
        columns=10,
        most_values=20,
    ),
    "llm_tree": Method(
        "tree", ("llm_tree",), (Decoding(2048, temperature=1.0),), single=True, depth=2
    ),
    "llm_tree_ensemble": Method(
        "tree", ("llm_tree_ensemble",), (Decoding(2048, temperature=0.5),), depth=3
    ),
}
