"""The one place that turns the configuration into datasets, jobs and cells.

Rules ask the grid which datasets, jobs and cells a research question needs; nobody else
enumerates.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from tabbench.config.checks import check_few_shots, check_names, check_serializations
from tabbench.config.own_settings import OwnSettings, own_settings
from tabbench.config.released import released_generators
from tabbench.core.baseline_names import PRETRAINED
from tabbench.core.cells import Cell, Variant
from tabbench.core.contexts import (
    CONTEXTS,
    EXPERT,
    EXPERT_PRIOR,
    MASKED,
    POOREST,
    RICHEST,
    RULED_PROMPTS,
    RULES_ONLY,
)
from tabbench.core.errors import TabBenchError
from tabbench.core.suites import LLM_MARK

REAL_SUITES = ("core", "new")
SUITES = (*REAL_SUITES, "llm_synthetic", "mlp")
OWN = "own"
"""Suite of the user datasets; no research question uses them, only their summaries."""
ZERO_SHOT_SEED = 0
FEW_SHOTS = 16
"""Number of examples of Table IX, where the configuration has it."""
SERIALIZATIONS = {
    "rq1": (RICHEST.serialization,),
    "rq3": (RICHEST.serialization,),
    "rq4": tuple(dict.fromkeys(one.serialization for one in CONTEXTS)),
    "rq6": (MASKED.serialization,),
    "rq7": (RICHEST.serialization,),
}
"""Text formats of a question that names none; its tables show these, so it always asks them."""


class MlpTable(NamedTuple):
    """One table of the complexity grid (Table XV): its level and its number within the level."""

    level: int
    table: int

    @property
    def id(self) -> str:
        return f"mlp{self.level}_t{self.table}"

    @property
    def domain(self) -> str:
        return f"MLP-{self.level}"


class LlmTable(NamedTuple):
    """One LLM-synthetic table (section A-D): the real dataset that it mirrors, its generator."""

    dataset: str
    generator: str

    @property
    def id(self) -> str:
        return f"{self.dataset}{LLM_MARK}{self.generator}"


@dataclass(frozen=True)
class Grid:
    """The grid of one configuration.

    Attributes
    ----------
    datasets : dataset id to suite, real datasets only, in the configuration's order
    mlp_tables : tables of the complexity grid
    llm_tables : tables of the LLM-synthetic suite
    evaluated : generator to the models that its tables are put to
    unruled : generators whose tables come without decision rules
    models, baselines : ids
    main_mode : mode of the tables and figures of RQ1-RQ6
    shots : all k, ascending
    max_shots : dataset id to its largest k for language models, where it is limited
    limits : dataset id to the largest k that its training rows allow, where that is stated
    seeds : seeds of the draws of examples (k > 0)
    questions : research question to its settings
    own : user dataset to what is asked about it
    """

    datasets: Mapping[str, str]
    mlp_tables: tuple[MlpTable, ...]
    llm_tables: tuple[LlmTable, ...]
    evaluated: Mapping[str, tuple[str, ...]]
    unruled: frozenset[str]
    models: tuple[str, ...]
    baselines: tuple[str, ...]
    main_mode: str
    shots: tuple[int, ...]
    max_shots: Mapping[str, int]
    limits: Mapping[str, int]
    seeds: tuple[int, ...]
    questions: Mapping[str, Mapping[str, Any]]
    own: Mapping[str, OwnSettings]

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        suites: Mapping[str, str],
        limits: Mapping[str, int] | None = None,
        released: Collection[tuple[str, str]] = (),
        asked: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> "Grid":
        """Build the grid of a validated configuration.

        Parameters
        ----------
        suites : dataset id to suite
        limits : dataset id to the largest k that its training rows allow
        released : (dataset, generator) of the LLM-written tables that were released
        asked : user dataset to its entry's ``ask``

        Raises
        ------
        TabBenchError
            When a key names a dataset or a model that is not in the grid, RQ5 lacks its suite or
            its numbers of examples, or a question's modes leave the main mode out.
        """
        mlp = config["mlp"]
        tables = tuple(MlpTable(lv, t) for lv in mlp["levels"] for t in range(mlp["tables"]))
        synthetic = config.get("llm_synthetic") or {}
        ready = released_generators(synthetic)
        llm_tables = tuple(
            LlmTable(name, generator)
            for generator in synthetic.get("generators", ())
            for name in synthetic["datasets"]
            if generator not in ready or (name, generator) in released
        )
        evaluated = {
            generator: tuple(settings["evaluate"])
            for generator, settings in synthetic.get("generators", {}).items()
        }
        check_names("llm_synthetic.datasets", synthetic.get("datasets", ()), suites)
        for generator, models in evaluated.items():
            place = f"llm_synthetic.generators.{generator}.evaluate"
            check_names(place, models, config["models"])
        max_shots = config.get("max_shots") or {}
        check_names(
            "max_shots",
            max_shots,
            [*suites, *(one.id for one in llm_tables), *(one.id for one in tables)],
        )
        check_few_shots(config)
        check_serializations(config, SERIALIZATIONS)
        for question, settings in config["research_questions"].items():
            if "modes" in settings and config["main_mode"] not in settings["modes"]:
                raise TabBenchError(
                    f"configuration: research_questions.{question}.modes {settings['modes']} "
                    f"lacks the main_mode '{config['main_mode']}'"
                )
        return cls(
            datasets=dict(suites),
            mlp_tables=tables,
            llm_tables=llm_tables,
            evaluated=evaluated,
            unruled=frozenset(ready),
            models=tuple(config["models"]),
            baselines=tuple(config["baselines"]),
            main_mode=config["main_mode"],
            shots=tuple(sorted(config["shots"])),
            max_shots=dict(max_shots),
            limits=dict(limits or {}),
            seeds=tuple(config["seeds"]),
            questions=config["research_questions"],
            own={
                name: own_settings(config, (asked or {}).get(name, {}), (limits or {}).get(name))
                for name, suite in suites.items()
                if suite == OWN
            },
        )

    # Datasets

    def suite(self, dataset: str) -> str:
        if dataset in self.datasets:
            return self.datasets[dataset]
        return "llm_synthetic" if LLM_MARK in dataset else "mlp"

    def in_suites(self, suites: Sequence[str]) -> list[str]:
        """Dataset ids of the suites, in the configuration's order."""
        real = [name for name, suite in self.datasets.items() if suite in suites]
        llm = [table.id for table in self.llm_tables if "llm_synthetic" in suites]
        return real + llm + [table.id for table in self.mlp_tables if "mlp" in suites]

    def mlp_table(self, dataset: str) -> MlpTable:
        return next(table for table in self.mlp_tables if table.id == dataset)

    def llm_table(self, dataset: str) -> LlmTable:
        return next(table for table in self.llm_tables if table.id == dataset)

    def models_of(self, dataset: str) -> tuple[str, ...]:
        """Language models that a dataset is put to: for an LLM-synthetic one its generator's."""
        if dataset in self.own:
            return self.own[dataset].models
        if self.suite(dataset) != "llm_synthetic":
            return self.models
        chosen = self.evaluated[self.llm_table(dataset).generator]
        return tuple(model for model in self.models if model in chosen)

    def has_rules(self, dataset: str) -> bool:
        """Whether decision rules are known of a dataset."""
        synthetic = self.suite(dataset) == "llm_synthetic"
        return synthetic and self.llm_table(dataset).generator not in self.unruled

    # What a research question needs

    def question_suites(self, question: str) -> tuple[str, ...]:
        return {"rq5": ("llm_synthetic",), "rq6": ("mlp",)}.get(question, REAL_SUITES)

    def dataset_shots(self, dataset: str) -> tuple[int, ...]:
        """All k that language models are asked for this dataset."""
        limit = self.max_shots.get(dataset)
        drawn = self.own[dataset].shots if dataset in self.own else self._drawn(dataset)
        return tuple(k for k in drawn if limit is None or k <= limit)

    def _drawn(self, dataset: str) -> tuple[int, ...]:
        limit = self.limits.get(dataset)
        return tuple(k for k in self.shots if limit is None or k <= limit)

    def baseline_shots(self, dataset: str) -> tuple[int, ...]:
        """All k > 0 that baselines are fitted on: whatever can be drawn."""
        if dataset in self.own:
            return self.own[dataset].baseline_shots
        return tuple(k for k in self._drawn(dataset) if k)

    @property
    def classical(self) -> list[str]:
        """Baselines without weights."""
        return [name for name in self.baselines if name not in PRETRAINED]

    @property
    def pretrained(self) -> list[str]:
        """Baselines that need weights."""
        return [name for name in self.baselines if name in PRETRAINED]

    def classical_of(self, dataset: str) -> list[str]:
        """Baselines without weights that are fitted on a dataset."""
        return self.own[dataset].classical if dataset in self.own else self.classical

    def pretrained_of(self, dataset: str) -> list[str]:
        """Baselines with weights that are fitted on a dataset."""
        return self.own[dataset].pretrained if dataset in self.own else self.pretrained

    @property
    def all_shots(self) -> tuple[int, ...]:
        """All k of any dataset, of models and baselines."""
        of_own = (
            k for one in self.own.values() for k in (*one.shots, *one.baseline_shots, one.labelled)
        )
        return tuple(sorted({*self.shots, *of_own}))

    @property
    def all_pretrained(self) -> list[str]:
        """Baselines with weights that are fitted on any dataset."""
        of_own = (name for one in self.own.values() for name in one.pretrained)
        return list(dict.fromkeys([*self.pretrained, *of_own]))

    def question_shots(self, question: str, dataset: str) -> tuple[int, ...]:
        """The k of a question: RQ1 and RQ2 zero-shot, RQ7 the two ends, the others all.

        RQ5 may name its own, fewer ones.
        """
        shots = self.dataset_shots(dataset)
        if question in ("rq1", "rq2"):
            return tuple(k for k in shots if k == 0)
        if question == "rq7":
            return tuple(k for k in shots if k in (0, max(shots)))
        if question == "rq5":
            return tuple(k for k in shots if k in self.rq5_shots)
        return shots

    @property
    def rq5_shots(self) -> tuple[int, ...]:
        return tuple(sorted(self.questions["rq5"].get("shots", self.shots)))

    @property
    def few_shots(self) -> int:
        """Number of examples of the few-shot regimes of Table IX: 16, else the largest k of RQ5."""
        return FEW_SHOTS if FEW_SHOTS in self.rq5_shots else max(self.rq5_shots)

    @property
    def rule_shots(self) -> tuple[int, ...]:
        """All k at which RQ5's prompts give decision rules: the two of Table IX, or every one."""
        if self.questions["rq5"].get("rules_at_every_k"):
            return self.rq5_shots
        return (0, self.few_shots)

    @property
    def rules_only(self) -> bool:
        """Whether RQ5 gives rules without a task text too."""
        return bool(self.questions["rq5"].get("rules_only"))

    @property
    def ruled(self) -> bool:
        """Whether RQ5 gives rules in more prompts than Table IX has."""
        return self.rules_only or len(self.rule_shots) > 2

    def serializations(self, question: str) -> tuple[str, ...]:
        """Text formats of a question; none where its contexts decide alone."""
        default = SERIALIZATIONS.get(question, ())
        return tuple(self.questions[question].get("serializations", default))

    def question_variants(self, question: str, k: int) -> tuple[Variant, ...]:
        modes = self.questions[question].get("modes", ("forward", "generation"))
        pairs: list[tuple[str, str]]
        if question in SERIALIZATIONS:
            prompts = {"rq4": (POOREST.prompt, RICHEST.prompt), "rq6": (MASKED.prompt,)}
            asked = prompts.get(question, (RICHEST.prompt,))
            pairs = list(product(asked, self.serializations(question)))
        elif question == "rq5":
            ruled = (EXPERT, EXPERT_PRIOR, *([RULES_ONLY] if self.rules_only else ()))
            pairs = [one.pair for one in (*CONTEXTS, *(ruled if k in self.rule_shots else ()))]
        else:
            pairs = [one.pair for one in CONTEXTS]
        return tuple(Variant(mode, *pair) for mode in modes for pair in pairs)

    # Jobs and cells

    def variants(self, dataset: str, k: int) -> tuple[Variant, ...]:
        """All variants asked of a dataset at k by any research question, sorted."""
        if dataset in self.own:
            if k not in self.dataset_shots(dataset):
                return ()
            pairs = [RICHEST.pair]
            if k in self.own[dataset].contexts_at:
                pairs = [one.pair for one in CONTEXTS]
                pairs += [(RICHEST.prompt, one) for one in self.own[dataset].formats]
            return tuple(sorted(Variant(self.main_mode, *pair) for pair in pairs))
        needed: set[Variant] = set()
        for question in self.questions:
            if self.suite(dataset) not in self.question_suites(question):
                continue
            if k in self.question_shots(question, dataset):
                needed.update(self.question_variants(question, k))
        if not self.has_rules(dataset):
            needed = {one for one in needed if one.prompt not in RULED_PROMPTS}
        return tuple(sorted(needed))

    def draw_seeds(self, k: int, dataset: str = "") -> tuple[int, ...]:
        """Seeds of the draws of k examples; a user dataset has its own number of them."""
        if not k:
            return (ZERO_SHOT_SEED,)
        return self.own[dataset].seeds if dataset in self.own else self.seeds

    def cells(self, dataset: str, model: str, k: int) -> Iterator[Cell]:
        for variant in self.variants(dataset, k):
            for seed in self.draw_seeds(k, dataset):
                yield Cell(dataset, model, *variant, k, seed)

    def inference_batch(self, dataset: str) -> str:
        """The datasets of one infer job: a dataset's suite; a user dataset is a job by itself."""
        suite = self.suite(dataset)
        return f"{OWN}_{dataset}" if suite == OWN else suite

    def inference_datasets(self, batch: str, k: int, model: str) -> list[str]:
        """Datasets of a batch that a model is asked about at k."""
        alone = batch.removeprefix(f"{OWN}_")
        names = [alone] if alone != batch else self.in_suites([batch])
        return [name for name in names if model in self.models_of(name) and self.variants(name, k)]

    def predictions(self, question: str | None = None) -> list[tuple[str, str, int]]:
        """(model, dataset, k) of the language-model predictions that a question, or all, needs."""
        questions = [question] if question else list(self.questions)
        jobs = {
            (model, dataset, k): None
            for name in questions
            for dataset in self.in_suites(self.question_suites(name))
            for k in self.question_shots(name, dataset)
            for model in self.models_of(dataset)
        }
        return list(jobs)

    def inference_jobs(self, question: str | None = None) -> list[tuple[str, str, int]]:
        """(model, batch, k) of the jobs of infer and of predict that a question, or all, needs."""
        return list(
            dict.fromkeys(
                (model, self.inference_batch(dataset), k)
                for model, dataset, k in self.predictions(question)
            )
        )

    def own_jobs(self, dataset: str) -> list[tuple[str, str, int]]:
        """(model, batch, k) of the jobs behind the summary of a user dataset."""
        batch = self.inference_batch(dataset)
        models = self.models_of(dataset)
        return [(model, batch, k) for model in models for k in self.dataset_shots(dataset)]

    def asked_shots(self, question: str | None = None) -> dict[str, list[int]]:
        """Dataset id to the k for language models, of one research question or of all."""
        asked: dict[str, list[int]] = {}
        for _, dataset, k in self.predictions(question):
            ks = asked.setdefault(dataset, [])
            if k not in ks:
                ks.append(k)
        return asked
