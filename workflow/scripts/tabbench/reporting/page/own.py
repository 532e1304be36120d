"""The decision page of a user's own dataset: should a language model classify it?"""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import yaml

from tabbench.core.contexts import CONTEXTS, RICHEST
from tabbench.core.schemas import decision as schema
from tabbench.decision.data_sentences import (
    class_sentences,
    findings,
    sharing_sentences,
    warnings,
)
from tabbench.decision.next_steps import next_steps
from tabbench.decision.probability_sentences import probability_sentences
from tabbench.decision.sentences import (
    READING,
    Evidence,
    answers,
    headline,
)
from tabbench.decision.use_sentences import context_sentences, format_sentences
from tabbench.reporting.figures import own as figures
from tabbench.reporting.page import own_tables as tables
from tabbench.reporting.page.render import render
from tabbench.reporting.reader import Readable
from tabbench.reporting.style import Figure, svg
from tabbench.reporting.writer import plural

FILES = {
    "summary.md": "ROC-AUC of every model and baseline, with its spread over draws",
    "summary.csv": "the same as numbers",
    "evidence/": "every table of this page, unrounded, as parquet",
}
"""Files next to the page, and what is in them."""


@dataclass(frozen=True)
class Drawing:
    """A figure as vectors, embedded; ``width`` and ``height`` in CSS pixels."""

    id: str
    title: str
    caption: str
    uri: str
    width: int
    height: int


@dataclass(frozen=True)
class TableOf:
    """A table of the page."""

    id: str
    title: str
    table: Readable


@dataclass(frozen=True)
class Block:
    """Text that is shown letter for letter: a prompt, a command."""

    id: str
    caption: str
    text: str


@dataclass(frozen=True)
class Section:
    """A section of the page, in the order in which its parts are shown.

    Attributes
    ----------
    headline : a word and why; above everything else
    groups : heading to points; a lone group needs none
    """

    id: str
    title: str
    headline: tuple[str, str] | None = None
    warnings: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sentences: Sequence[str] = ()
    figures: Sequence[Drawing] = ()
    tables: Sequence[TableOf] = ()
    blocks: Sequence[Block] = ()


@dataclass(frozen=True)
class Data:
    """What went in: the tables of ``schemas.own``."""

    classes: pd.DataFrame
    parts: pd.DataFrame
    audit: pd.DataFrame
    sharing: pd.DataFrame


@dataclass(frozen=True)
class Asked:
    """What was asked of the models.

    Attributes
    ----------
    entry : the entry's ``ask``
    shots : numbers of examples
    contexts_at : those of them at which names and task text were left out in turn
    formats : further text formats that were asked there
    most_labels : largest number of examples that the training rows allow
    """

    entry: Mapping[str, object]
    shots: Sequence[int]
    contexts_at: Sequence[int]
    most_labels: int
    formats: Sequence[str] = ()


@dataclass(frozen=True)
class Subject:
    """What the page is about, besides the evidence.

    Attributes
    ----------
    name, title : the dataset's id and its name for people
    negative, positive : what class 0 and class 1 are
    prompt : one whole prompt
    probes : what the memorization probes found, in words; empty where they did not run
    placement : the placement on the complexity grid; None where it was not made
    """

    name: str
    title: str
    negative: str
    positive: str
    data: Data
    prompt: Block
    asked: Asked
    probes: Sequence[str] = ()
    placement: Readable | None = None

    @property
    def page(self) -> str:
        """The file that Snakemake is asked for."""
        return f"results/own/{self.name}/index.html"


def build_own_page(
    template: str | Path,
    subject: Subject,
    evidence: Evidence,
    versions: Mapping[str, str],
) -> str:
    """Return the page as HTML; equal input gives equal text.

    Parameters
    ----------
    template : own.html, in one folder with what it includes
    versions : versions of the software behind the page, as label and text
    """
    return render(
        template,
        title=subject.title,
        lead=f"Class 1: {subject.positive}. Class 0: {subject.negative}.",
        sections=sections(subject, evidence),
        files=FILES,
        versions=versions,
    )


def sections(subject: Subject, evidence: Evidence) -> list[Section]:
    """Return the sections of the page, the answer first."""
    return [
        _answer(subject, evidence),
        _curves(evidence),
        _differences(evidence),
        _uses(subject, evidence),
        _probabilities(evidence),
        _cost(evidence),
        _seen(subject),
        _grid(subject),
        _data(subject, evidence),
        _next(subject, evidence),
    ]


def _answer(subject: Subject, evidence: Evidence) -> Section:
    return Section(
        "answer",
        "The answer",
        headline=headline(evidence),
        warnings=warnings(subject.data.audit, subject.data.classes, subject.data.sharing),
        groups=answers(evidence),
        sentences=(READING,),
    )


def _curves(evidence: Evidence) -> Section:
    return Section(
        "curves",
        "How many labels it takes",
        figures=_drawn(
            "curves-figure",
            "Learning curves",
            figures.learning_curves,
            evidence,
            evidence.curves[evidence.curves["roc_auc"].notna()],
        ),
        tables=_filled(
            ("curves-table", "Every point", tables.curves_table(evidence)),
            ("crossings-table", "Where a baseline overtakes", tables.crossings_table(evidence)),
        ),
    )


def _differences(evidence: Evidence) -> Section:
    pairs = evidence.differences
    to_baselines = pairs[pairs["reference_kind"].eq("baseline") & pairs["difference"].notna()]
    return Section(
        "differences",
        "Model against baseline, on the same rows",
        sentences=() if len(to_baselines) else ("No model was compared with a baseline.",),
        figures=_drawn(
            "differences-figure", "Differences", figures.differences, evidence, to_baselines
        ),
        tables=_filled(
            ("differences-table", "Every difference", tables.differences_table(evidence)),
            ("power-table", "Whether the test rows are enough", tables.power_table(evidence)),
        ),
    )


def _uses(subject: Subject, evidence: Evidence) -> Section:
    effects = evidence.context_effects
    return Section(
        "uses",
        "What the model uses",
        sentences=[
            *(
                context_sentences(evidence)
                or ["Names and task text were not left out in turn, so this page cannot say."]
            ),
            *format_sentences(evidence),
        ],
        figures=_drawn(
            "uses-figure",
            "With and without names and task text",
            figures.contexts,
            evidence,
            effects[effects["roc_auc"].notna() & effects["configuration"].ne("")],
        ),
        tables=_filled(("uses-table", "Every prompt", tables.contexts_table(evidence))),
        blocks=(subject.prompt,),
    )


def _probabilities(evidence: Evidence) -> Section:
    bins = evidence.reliability_bins
    answered = bins[bins["kind"].eq("model") & bins["method"].eq(schema.AS_ANSWERED)]
    return Section(
        "probabilities",
        "Can its probabilities be used?",
        sentences=probability_sentences(evidence),
        figures=_drawn(
            "reliability-figure", "Reliability", figures.reliability, evidence, answered
        ),
        tables=_filled(
            ("calibration-table", "Brier score and log loss", tables.calibration_table(evidence)),
            ("thresholds-table", "Thresholds", tables.thresholds_table(evidence)),
        ),
    )


def _cost(evidence: Evidence) -> Section:
    return Section(
        "cost",
        "What it costs",
        tables=_filled(("cost-table", "Cost", tables.costs_table(evidence))),
    )


def _seen(subject: Subject) -> Section:
    if subject.probes:
        return Section("seen", "Has the model seen this table?", sentences=subject.probes)
    return Section(
        "seen",
        "Has the model seen this table?",
        sentences=(
            "Not asked. A model that was trained on a public table may know its rows; on a table "
            "that was never published there is nothing to know. This asks it for column names, "
            "hidden cells and other halves of rows, with a planted table as a control:",
        ),
        blocks=(
            Block(
                "seen-command",
                "Ask whether the model has seen it",
                f"snakemake --cores all {subject.page} --config 'probes={{datasets: "
                f"[{subject.name}]}}'",
            ),
        ),
    )


def _grid(subject: Subject) -> Section:
    title = "How complex the table is"
    if subject.placement:
        return Section(
            "grid",
            title,
            tables=(TableOf("placement-table", "On the complexity grid", subject.placement),),
        )
    return Section(
        "grid",
        title,
        sentences=(
            "Not placed. Its place among tables of known complexity needs no language model, but "
            "fits the baselines on these tables once. Then make this page again:",
        ),
        blocks=(
            Block(
                "grid-command",
                "Place it on the complexity grid",
                f"snakemake --cores all results/own/{subject.name}/placement.md {subject.page}",
            ),
        ),
    )


def _data(subject: Subject, evidence: Evidence) -> Section:
    data = subject.data
    groups = {
        "Rows and classes": class_sentences(
            data.classes, data.parts, subject.negative, subject.positive
        ),
        "What stands out": findings(data.audit) or ["Nothing stands out."],
        "What leaves this machine": sharing_sentences(data.sharing, evidence.models),
    }
    return Section(
        "data",
        "The data",
        sentences=("This page shows cells of the table: share it as you would share the table.",),
        groups=groups,
    )


def _next(subject: Subject, evidence: Evidence) -> Section:
    asked = subject.asked
    variants = len(CONTEXTS) + len(asked.formats)
    contexts = dict.fromkeys(asked.contexts_at, variants)
    steps = next_steps(evidence, asked.shots, contexts, asked.most_labels)
    blocks = []
    for number, step in enumerate(steps, start=1):
        changed = yaml.safe_dump(
            {"ask": {**asked.entry, **step.change}}, sort_keys=False, default_flow_style=None
        )
        blocks.append(
            Block(
                f"next-{number}",
                f"{step.title}. {step.text}",
                f"# in config/own/{subject.name}.yaml\n{changed}\n"
                f"snakemake --cores all {subject.page}",
            )
        )
    return Section(
        "next",
        "How to go on",
        sentences=(
            "Answers that are there are kept: a step asks only what is new. Costs are estimated "
            "from the tokens and seconds measured above.",
        )
        if steps
        else ("All test rows were asked, with as many labels as the training rows allow.",),
        blocks=blocks,
    )


def whole_prompt(prompts: pd.DataFrame) -> Block:
    """Return the first prompt with column names and task text, as it is in the file of prompts.

    Parameters
    ----------
    prompts : DataFrame with the columns of ``schemas.PROMPTS``
    """
    richest = prompts["prompt"].eq(RICHEST.prompt)
    row = prompts[richest & prompts["serialization"].eq(RICHEST.serialization)].iloc[0]
    return Block(
        "prompt",
        f"One whole prompt, with {plural(int(row['k']), 'labelled row')}: the instruction, then "
        "what the model is to continue",
        f"{row['system']}\n\n{row['prefix']}{row['query']}",
    )


def _filled(*made: tuple[str, str, Readable]) -> list[TableOf]:
    """The tables that have rows."""
    return [TableOf(*one) for one in made if one[2].rows]


def _drawn(
    place: str,
    title: str,
    draw: Callable[[pd.DataFrame, Mapping[str, str], Mapping[str, str]], Figure],
    evidence: Evidence,
    rows: pd.DataFrame,
) -> list[Drawing]:
    """A figure of the rows; none where there are none."""
    if rows.empty:
        return []
    figure = draw(rows, evidence.models, evidence.baselines)
    text = svg(figure)
    width, height = (round(96 * inches) for inches in figure.figure.get_size_inches())
    encoded = base64.b64encode(re.sub(r"\n\s*", "\n", text).encode()).decode()
    return [
        Drawing(place, title, figure.caption, f"data:image/svg+xml;base64,{encoded}", width, height)
    ]
