"""Tables I and XII-XIV and the audit, from what was loaded, next to the published figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tabbench.data.audit import LEAK, NEAR_UNIQUE, Audit
from tabbench.data.description import QUANTITIES
from tabbench.reporting.writer import DASH, Table

PUBLISHED_NOTE = "published: the paper's figure; a ≠ b means a here, b published; – not loaded"
HEADS = ("Rows", "Features", "Numeric", "Categorical", "Positive %")
CAPTIONS = {
    "XII": "Core suite (published Table XII) as loaded",
    "XIII": "Core suite, continued (published Table XIII) as loaded",
    "XIV": "Post-cutoff suite (published Table XIV) as loaded",
}


@dataclass(frozen=True)
class Loaded:
    """A loaded dataset's columns in the tables.

    Attributes
    ----------
    figures : what `description.describe` gives
    source : where the files came from
    stand_in : description of the file, where it is not the paper's
    test_hash : sha256 of the test rows
    """

    figures: Mapping[str, float]
    source: str
    stand_in: str | None
    test_hash: str


def _number(value: float, quantity: str) -> str:
    return f"{value:.1f}" if quantity == "positive_percent" else f"{value:,.0f}"


def _cell(quantity: str, published: float | None, loaded: float | None) -> str:
    texts = [DASH if v is None else _number(v, quantity) for v in (loaded, published)]
    if published is None or loaded is None:
        return texts[0] if published is None else f"{DASH} (published {texts[1]})"
    return texts[0] if loaded == published else f"{texts[0]} ≠ {texts[1]}"


def dataset_table(
    number: str,
    published: pd.DataFrame,
    loaded: Mapping[str, Loaded],
    entries: Mapping[str, Mapping[str, Any]],
) -> Table:
    """Make Table XII, XIII or XIV.

    Parameters
    ----------
    number : XII, XIII or XIV
    published : ``resources/paper/datasets.csv``
    loaded : by dataset id; the datasets of the configuration
    entries : dataset id to ``suite``, ``domain``, ``licence`` and ``notes`` of its registry
        entry; loaded datasets that the paper does not have stand at the end of the table that
        holds others of their suite and domain
    """
    rows_of_paper = published[published["table"] == number].to_dict("records")
    paper = {row["dataset"]: row for row in rows_of_paper}
    groups = {_group(entries[name]) for name in paper if name in entries}
    own = [
        name
        for name in loaded
        if name not in set(published["dataset"]) and _group(entries[name]) in groups
    ]
    rows, numbers = [], []
    for name in [*paper, *own]:
        here = loaded.get(name)
        row: dict[str, Any] = {"dataset": name}
        cells = []
        for quantity in QUANTITIES:
            stated = float(paper[name][quantity]) if name in paper else None
            found = here.figures[quantity] if here else None
            row |= {quantity: found, f"published_{quantity}": stated}
            cells.append(_cell(quantity, stated, found))
        source, test_hash = (here.source, here.test_hash[:12]) if here else (DASH, DASH)
        licence = entries.get(name, {}).get("licence", DASH)
        rows.append((name, *cells, source, test_hash, licence))
        numbers.append(row | {"source": source, "test_sha256": here.test_hash if here else None})
    return Table(
        caption=CAPTIONS[number],
        header=("Dataset", *HEADS, "Loaded from", "Test rows' hash", "Licence"),
        rows=tuple(rows),
        numbers=pd.DataFrame(numbers),
        notes=(
            PUBLISHED_NOTE,
            "test rows' hash: first 12 hex digits of the sha256 of the test rows' content; equal "
            "hashes on two machines mean equal test rows",
            *_notes([*paper, *own], loaded, entries),
        ),
    )


def _group(entry: Mapping[str, Any]) -> tuple[str, str]:
    return entry["suite"], entry["domain"]


def _notes(
    names: Sequence[str],
    loaded: Mapping[str, Loaded],
    entries: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    """The registry's notes on each loaded dataset: errors in the paper, leaks, choices."""
    notes = []
    for name in names:
        if name in loaded:
            stand_in = loaded[name].stand_in
            texts = [f"not the paper's file but {stand_in}"] if stand_in else []
            texts += entries[name].get("notes", ())
            notes += [f"{name}: {text.rstrip('.')}" for text in texts]
    return notes


def suite_table(published: pd.DataFrame, counts: Mapping[str, int]) -> Table:
    """Make Table I: datasets per suite, published and in this configuration."""
    numbers = published.assign(configured=published["suite"].map(counts).fillna(0).astype(int))
    rows = [
        (str(r.suite), str(r.configured), str(r.datasets), str(r.purpose))
        for r in numbers.itertuples()
    ]
    total = numbers[["configured", "datasets"]].sum()
    rows.append(("all", str(total["configured"]), str(total["datasets"]), ""))
    return Table(
        caption="Dataset suites (published Table I) and this configuration",
        header=("Suite", "Here", "Published", "Purpose"),
        rows=tuple(rows),
        numbers=numbers,
        notes=(
            "published: the paper's figures; here: datasets of the configuration",
            "the paper says 91 datasets and elsewhere 95; there are 24 + 8 + 24 x 2 + 35",
        ),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or DASH


def audit_table(audits: Mapping[str, Audit]) -> Table:
    """Make the audit: one row per dataset."""
    rows, numbers = [], []
    for name, found in audits.items():
        leaks = [f"{column} ({auc:.3f})" for column, auc in found.leaks.items()]
        balance = f"{100 * found.train_positive:.1f} / {100 * found.test_positive:.1f}"
        rows.append(
            (
                name,
                f"{found.train:,} / {found.test:,}",
                balance,
                f"{found.duplicates:,} ({found.contradicting:,})",
                _listed(leaks),
                _listed(found.constant),
                _listed(found.missing),
                _listed(found.near_unique),
                _listed(found.told),
            )
        )
        lists = {
            "leaks": "; ".join(leaks),
            "constant": "; ".join(found.constant),
            "missing": "; ".join(found.missing),
            "near_unique": "; ".join(found.near_unique),
            "task_words": "; ".join(found.told),
        }
        counts = ("train", "test", "train_positive", "test_positive", "duplicates", "contradicting")
        numbers.append({"dataset": name, **{c: getattr(found, c) for c in counts}, **lists})
    return Table(
        caption="Audit of the loaded tables",
        header=(
            "Dataset",
            "Train / test rows",
            "Positive %",
            "Duplicates",
            "Leaking columns",
            "Constant",
            "All missing",
            "Near-unique",
            "Named by the task text",
        ),
        rows=tuple(rows),
        numbers=pd.DataFrame(numbers),
        notes=(
            "positive %: in the training / test rows; test rows over the cap count",
            "duplicates: test rows whose features equal a training row's; in brackets those "
            "whose label differs from all such training rows",
            f"leaking: single-feature ROC-AUC above {LEAK}, either way round; numbers over all "
            "rows, categories by their training rate over the test rows",
            f"near-unique: words or whole numbers with more than {NEAR_UNIQUE:.0%} distinct values",
            "named by the task text: its words that occur in column names; prompts with the task "
            "text reveal them even when columns are masked",
        ),
    )
