"""What a table or a figure is: where it lies, who makes it, from what, and when it exists."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

Files = str | list[str]

TABLE_FORMATS = ("csv", "md", "tex")


@dataclass(frozen=True)
class Run:
    """What artifacts know of the configuration.

    Attributes
    ----------
    questions : research questions that are asked
    models, baselines, methods : id to the name that tables and figures show: language models,
        fitted baselines, baselines whose logic a language model writes
    mode : main mode of RQ1 to RQ6
    shots : research question to every k that it asks of any dataset
    suites : suites that have datasets
    real_datasets : number of datasets that are not made
    registered : whether datasets of the registry are loaded
    generators : generator of LLM-synthetic tables to who wrote its dialogues
    few_shots : examples of the few-shot regimes; 0 where RQ5 is not asked
    full_training : whether baselines are fitted on all training rows too
    ruled : whether RQ5 gives decision rules in more prompts than Table IX has
    formats : research question to the text formats that it asks
    rows, tables, recipe : rows of a table of the complexity grid, tables by level, and how its
        networks are made
    placed : whether real datasets are placed on the complexity grid
    probed : model id to name, of the models that are probed
    thresholds : of the lifts of the probes; the defaults need none
    scitarc, scitarc_models : SciTaRC's names, and the models that are asked
    cards : their developer, access and size
    scitarc_prompts : whose prompts SciTaRC's questions are asked with, paper or released
    systems : named group of SciTaRC's conditions to the systems asked under all of them
    annotated, labelled : whether people filled in SciTaRC's sheet of errors, and of labels
    files : name to the files of an input that many jobs make
    paper : folder of the published numbers
    """

    questions: tuple[str, ...]
    models: Mapping[str, str]
    baselines: Mapping[str, str]
    methods: Mapping[str, str]
    mode: str
    shots: Mapping[str, frozenset[int]]
    suites: frozenset[str]
    real_datasets: int
    registered: bool
    generators: Mapping[str, str]
    few_shots: int
    full_training: bool
    ruled: bool
    formats: Mapping[str, tuple[str, ...]]
    rows: int
    tables: Mapping[int, int]
    recipe: str
    placed: bool
    probed: Mapping[str, str]
    thresholds: Mapping[str, float]
    scitarc: Mapping[str, str]
    cards: Mapping[str, Mapping[str, str]]
    scitarc_prompts: str
    scitarc_models: tuple[str, ...]
    systems: Mapping[str, int]
    annotated: bool
    labelled: bool
    files: Mapping[str, list[str]]
    paper: str

    def gains(self, question: str) -> bool:
        """Whether a question compares examples with none."""
        return bool(self.shots.get(question, frozenset()) - {0})

    def several_formats(self, question: str) -> bool:
        return len(self.formats.get(question, ())) > 1

    @property
    def aged(self) -> bool:
        """Whether classic datasets can be compared with new ones."""
        return self.suites >= {"core", "new"}


def always(_: Run) -> bool:
    return True


@dataclass(frozen=True)
class Frame:
    """An input that is read as a table of rows.

    Attributes
    ----------
    name : parameter of the function that takes it
    schema : where its schema is declared, as ``module:NAME``
    files : its files in a run, given the folder of the artifact
    when : whether a run has it; a function's parameter for an optional one defaults to None
    """

    name: str
    schema: str
    files: Callable[[Run, str], Files]
    when: Callable[[Run], bool] = always


@dataclass(frozen=True)
class Artifact:
    """A table or a figure.

    Attributes
    ----------
    folder, name : it lies in ``results/<folder>/<name>.*``
    title : what it shows, in one line; the message of its job
    function : who makes it, as ``module:function``; empty where a rule of its own does
    frames : what it is made from
    settings : the function's parameter to the attribute of `Run` that it is given; see `same`
    fixed : further arguments
    when : whether a run has it; a research question's artifacts exist where that is asked
    next_to_table : whether a figure shares its name with a table
    """

    folder: str
    name: str
    title: str
    function: str = ""
    frames: tuple[Frame, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    when: Callable[[Run], bool] = always
    next_to_table: bool = False
    kind: Literal["table", "figure"] = field(kw_only=True)

    @property
    def rule(self) -> str:
        """Name of the rule that makes it."""
        suffix = "_figure" if self.next_to_table else ""
        return f"{self.folder.replace('/', '_')}_{self.name}{suffix}"

    @property
    def paths(self) -> list[str]:
        """Its files: a table as .csv, .md and .tex, a figure as .pdf, .png and its caption.

        Where a table has the same name, the caption's leaves .md to that.
        """
        stem = f"results/{self.folder}/{self.name}"
        if self.kind == "table":
            return [f"{stem}.{form}" for form in TABLE_FORMATS]
        caption = f"{stem}_caption.md" if self.next_to_table else f"{stem}.md"
        return [f"{stem}.pdf", f"{stem}.png", caption]

    def exists(self, run: Run) -> bool:
        question = self.folder.partition("/")[0]
        unasked = question.startswith("rq") and question not in run.questions
        return not unasked and self.when(run)

    def inputs(self, run: Run) -> dict[str, Files]:
        """Name of each frame to its files."""
        return {one.name: one.files(run, self.folder) for one in self.frames if one.when(run)}

    def arguments(self, run: Run) -> dict[str, Any]:
        given = {name: getattr(run, attribute) for name, attribute in self.settings.items()}
        return given | dict(self.fixed)

    @property
    def schemas(self) -> dict[str, str]:
        """Name of each frame to where its schema is declared."""
        return {frame.name: frame.schema for frame in self.frames}

    @property
    def modules(self) -> list[str]:
        """Modules that decide what it shows: its function's and those of its inputs' schemas."""
        schemas = [frame.schema for frame in self.frames]
        return [name.partition(":")[0] for name in (self.function, *schemas)]


table = partial(Artifact, kind="table")
figure = partial(Artifact, kind="figure")


def same(*names: str) -> dict[str, str]:
    """Parameters that bear the name of the attribute of `Run` that they are given."""
    return {name: name for name in names}


def at(path: str) -> Callable[[Run, str], Files]:
    """One file; ``{folder}`` is that of the artifact, ``{paper}`` that of published numbers."""
    return lambda run, folder: path.format(folder=folder, paper=run.paper)


def made_by_many(name: str) -> Callable[[Run, str], Files]:
    """Files of many jobs, below each other in one frame."""
    return lambda run, _: run.files[name]
