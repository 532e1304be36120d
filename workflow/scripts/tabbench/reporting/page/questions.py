"""Research questions and the other sections of the report, in the order of the page."""

import re
from dataclasses import dataclass

_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


PAPERS = LLMTABBENCH, SCITARC = "LLMTabBench", "SciTaRC"
"""In the order of the page."""
_COUNT_IN_ROMAN = frozenset({LLMTABBENCH})
"""Papers that count their tables in Roman numerals."""


@dataclass(frozen=True)
class Section:
    """A folder of results: a short title and, of a research question, its words.

    ``behind`` names the question that another folder belongs to and follows. ``paper``: whose
    results it holds.
    """

    title: str
    question: str = ""
    behind: str = ""
    paper: str = LLMTABBENCH


QUESTIONS = {
    "rq1": Section(
        "RQ1 Zero-shot", "How competitive are language models in zero-shot classification?"
    ),
    "rq2": Section("RQ2 Prompt", "How much of zero-shot performance comes from the prompt?"),
    "rq3": Section("RQ3 Examples", "Do language models use labelled examples?"),
    "rq4": Section("RQ4 Context", "How does context trade off against examples?"),
    "rq5": Section(
        "RQ5 Entities",
        "Do examples, prior and decision rules add up, on data that a language model wrote?",
    ),
    "rq6": Section("RQ6 Complexity", "How does the complexity of a dataset limit language models?"),
    "rq7": Section("RQ7 Modes", "Does forward scoring match generation at a lower cost?"),
}

_OTHERS = {
    "complexity": Section("RQ6 in practice", behind="rq6"),
    "probes": Section("Memorization probes"),
    "scitarc": Section(
        SCITARC,
        "How well do language models answer questions about tables of scientific papers?",
        paper=SCITARC,
    ),
    "baselines": Section("Baselines"),
    "paper": Section("Published numbers"),
    "domains": Section("Domains"),
    "datasets": Section("Datasets"),
}


def section(name: str) -> Section:
    """Return the section of a folder under ``results``; a folder without one bears its name."""
    last = name.rpartition("/")[2]
    return {**QUESTIONS, **_OTHERS}.get(last, Section(last.replace("_", " ").capitalize()))


def section_order(name: str) -> tuple[int, int, int]:
    """Return the place of a section: by paper, then questions, other known ones, and the rest."""
    known = [*QUESTIONS, *_OTHERS]
    one = section(name)
    paper = PAPERS.index(one.paper)
    if one.behind:
        return paper, known.index(one.behind), 1
    return paper, known.index(name) if name in known else len(known), 0


def artifact_title(name: str, folder: str = "") -> str:
    """Return the title of a table or figure: as its paper counts it, or its name in words.

    Examples
    --------
    >>> artifact_title("table14"), artifact_title("table4", "scitarc"), artifact_title("rank_view")
    ('Table XIV', 'Table 4', 'Rank view')
    >>> artifact_title("llm_baselines")
    'LLM baselines'
    """
    numbered = re.fullmatch(r"(table|figure)(\d+)", name)
    if numbered is None:
        # "figure{number}" of a rule that makes several keeps its wildcard.
        words = re.sub(r"^figure(?=\{)", "figure ", name)
        return re.sub(r"^Llm\b", "LLM", words.replace("_", " ").capitalize())
    kind, number = numbered[1].capitalize(), int(numbered[2])
    roman = kind == "Table" and section(folder).paper in _COUNT_IN_ROMAN
    return f"{kind} {_roman(number) if roman else number}"


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
