"""The run summary: prompts, failed answers, time and cost. Made from the scores."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tabbench.config.endpoints import Prices
from tabbench.reporting.reader import Cell, Readable
from tabbench.reporting.titles import domain_title
from tabbench.reporting.writer import DASH
from tabbench.scoring.aggregate import asked, invalid

LOW_MASS = 0.5
HIGH_INVALID = 0.05
_SUITES = {"core": "classic", "new": "new", "llm_synthetic": "LLM-synthetic", "mlp": "MLP grid"}


def totals(scores: pd.DataFrame) -> pd.DataFrame:
    """Sum the cells of each model and mode, in the order of their first cell.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``

    Returns
    -------
    DataFrame
        ``model``, ``mode``, ``cells``, ``asked`` (prompts), ``too_long`` (test rows not asked, as
        they do not fit into the model's context), ``invalid`` (answers),
        ``undefined`` (cells without a ROC-AUC), ``label_mass`` (median of the cells' medians),
        ``low_mass`` (cells whose median is below `LOW_MASS`), ``seconds``, ``prompt_tokens`` and
        ``completion_tokens`` (sums over all prompts).
    """
    frame = scores.assign(
        asked=asked(scores),
        invalid=invalid(scores),
        undefined=scores["roc_auc"].isna(),
        low_mass=scores["label_mass"] < LOW_MASS,
        **{
            name: scores[name] * asked(scores)
            for name in ("seconds", "prompt_tokens", "completion_tokens")
        },
    )
    return frame.groupby(["model", "mode"], as_index=False, sort=False, observed=True).agg(
        cells=("n", "size"),
        asked=("asked", "sum"),
        too_long=("n_too_long", "sum"),
        invalid=("invalid", "sum"),
        undefined=("undefined", "sum"),
        label_mass=("label_mass", "median"),
        low_mass=("low_mass", "sum"),
        seconds=("seconds", "sum"),
        prompt_tokens=("prompt_tokens", "sum"),
        completion_tokens=("completion_tokens", "sum"),
    )


def answers_table(sums: pd.DataFrame, models: Mapping[str, str]) -> Readable:
    """Show invalid answers and label mass by model and mode.

    Parameters
    ----------
    sums : DataFrame from `totals`
    models : display name by id; others (baselines) are left out
    """
    rows = [
        (
            models[row.model],
            row.mode,
            f"{row.cells:,}",
            f"{row.asked:,}",
            f"{row.too_long:,}",
            f"{row.invalid:,}",
            f"{row.invalid / row.asked:.1%}" if row.asked else DASH,
            DASH if pd.isna(row.label_mass) else f"{row.label_mass:.2f}",
            f"{row.low_mass:,}",
            f"{row.undefined:,}",
        )
        for row in _of(sums, models)
    ]
    return _readable(
        "Invalid answers and label mass by model and mode",
        (
            *("Model", "Mode", "Cells", "Answers", "Too long", "Invalid", "Invalid rate"),
            *("Label mass", f"Cells below {LOW_MASS}", "Cells without ROC-AUC"),
        ),
        rows,
        (
            "a cell is one dataset, model, mode, prompt, serialization, number of examples and "
            "seed of their draw",
            "too long: prompt and answer exceed the model's context, so the row was not sent",
            "an answer is invalid when no label can be read from it; it is left out of the scores",
            "label mass: probability that one of the two labels is answered; median over cells of "
            "their medians",
            "a cell has no ROC-AUC when a class is missing from its scored rows",
        ),
    )


def cost_table(
    sums: pd.DataFrame, models: Mapping[str, str], prices: Mapping[str, Prices]
) -> Readable:
    """Show seconds, tokens and money by model and mode.

    Parameters
    ----------
    sums : DataFrame from `totals`
    models : display name by id; others (baselines) are left out
    prices : of the models whose entries state them, by id
    """
    rows = [
        (
            models[row.model],
            row.mode,
            f"{row.asked:,}",
            f"{row.seconds / row.asked:.3f}" if row.asked else DASH,
            f"{row.seconds:,.0f}",
            f"{row.prompt_tokens:,.0f}",
            f"{row.completion_tokens:,.0f}",
            _money(row, prices.get(row.model)),
        )
        for row in _of(sums, models)
    ]
    return _readable(
        "Time, tokens and cost of the language models by model and mode",
        (
            *("Model", "Mode", "Prompts", "Seconds per prompt", "Seconds in all"),
            *("Prompt tokens", "Completion tokens", "Cost"),
        ),
        rows,
        (
            "only prompts about rows of tables are counted, not texts for dialogues, probes, "
            "FeatLLM, LLM trees and SciTaRC",
            "seconds: wall-clock time of inference, measured when the request was sent; a shared "
            "prefix is spread over the rows that use it; loading a model is excluded",
            "tokens of a shared prefix count for every prompt, as a provider would bill them",
            "cost: these tokens at the prices of the model's entry, none counted as cached; the "
            f"amount charged is in results/models/<id>/spending.csv; {DASH}: the entry states no "
            "prices",
        ),
    )


def _money(row: Any, prices: Prices | None) -> str:
    if prices is None:
        return DASH
    cost = prices.cost(int(row.prompt_tokens), 0, int(row.completion_tokens))
    return f"{cost:,.2f} {prices.currency}"


def coverage_table(scores: pd.DataFrame) -> Readable:
    """Show each dataset with its suite, test rows and cells.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCORES``
    """
    datasets = scores.groupby("dataset", sort=False, observed=True).agg(
        suite=("suite", "first"),
        domain=("domain", "first"),
        n=("n", "max"),
        of=("test_rows", "max"),
        capped=("capped", "max"),
        positive=("n_positive", "max"),
        shots=("k", lambda shots: ", ".join(map(str, sorted(set(shots))))),
        cells=("n", "size"),
    )
    rows = [
        (
            str(row.Index),
            _SUITES.get(str(row.suite), str(row.suite)),
            domain_title(str(row.domain)),
            f"{row.n:,}{' (capped)' if row.capped else ''}",
            f"{row.of:,}",
            f"{row.positive:,}",
            str(row.shots),
            f"{row.cells:,}",
        )
        for row in datasets.itertuples()
    ]
    return _readable(
        "Datasets of the run",
        (
            *("Dataset", "Suite", "Domain", "Test rows used", "Test rows of the split"),
            *("Class 1 among those used", "Examples (k)", "Cells"),
        ),
        rows,
        ("cells and numbers of examples count language models and baselines",),
    )


def warnings(sums: pd.DataFrame, models: Mapping[str, str]) -> list[str]:
    """Warn of cells whose scores are unreliable.

    Parameters
    ----------
    sums : DataFrame from `totals`
    models : display name by id
    """
    found = []
    for row in _of(sums, models):
        name = f"{models[row.model]}, {row.mode} mode"
        if row.too_long:
            found.append(
                f"{name}: {row.too_long:,} of {row.too_long + row.asked:,} prompts are too long "
                "for the model and were not sent. The scores of their cells use only the "
                "remaining rows, and a cell without any has no score; results/plan.md says which "
                "after snakemake plan."
            )
        if row.invalid > HIGH_INVALID * row.asked:
            found.append(
                f"{name}: {row.invalid / row.asked:.1%} of {row.asked:,} answers are invalid. Its "
                "scores use only the remaining rows, which may not be representative."
            )
        if row.low_mass:
            found.append(
                f"{name}: in {row.low_mass:,} of {row.cells:,} cells the two labels together have "
                f"a probability below {LOW_MASS} (median). The model prefers other answers there, "
                "so its ROC-AUC says little."
            )
    return found


def _of(sums: pd.DataFrame, models: Mapping[str, str]) -> Iterable[Any]:
    """Rows of the language models, in the configured order."""
    asked = sums[sums["model"].isin(list(models))]
    order = {name: place for place, name in enumerate(models)}
    ordered = asked.sort_values("model", key=lambda ids: ids.map(order), kind="stable")
    return ordered.itertuples()


def _readable(
    caption: str, header: tuple[str, ...], rows: Iterable[Sequence[str]], notes: tuple[str, ...]
) -> Readable:
    cells = tuple(tuple(map(Cell, row)) for row in rows)
    return Readable(caption, header, cells, notes)
