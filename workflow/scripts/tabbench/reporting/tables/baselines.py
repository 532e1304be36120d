"""The fitted baselines with settings and weights, and the fits left out with the reason."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tabbench.reporting.writer import DASH, Table

_HASH = 12
"""Digits of a hash that a reader sees; the .csv has all."""


def fitted(fits: pd.DataFrame, baselines: Mapping[str, str]) -> Table:
    """Make the table of baselines: a row per model.

    Parameters
    ----------
    fits : DataFrame with the columns of ``schemas.FITS``
    baselines : display name by id, in the order of the rows
    """
    numbers = pd.DataFrame([_summary(fits[fits["model"] == model], model) for model in baselines])
    return Table(
        caption="Baselines: fits, settings and weights",
        header=(
            "Baseline",
            "Package",
            "Fits",
            "Not fitted",
            "Settings",
            "Weights",
            "Their licence",
        ),
        rows=tuple((baselines[str(row.model)], *_row(row)) for row in numbers.itertuples()),
        numbers=numbers,
        notes=(
            "a fit is one model on one draw of labelled examples of one dataset, or on all its "
            "training rows",
            "tuned: settings with the highest mean ROC-AUC in a stratified cross-validation on "
            "the examples alone, with the defaults among the candidates; with fewer examples the "
            "defaults are used",
            *_reasons(fits, baselines),
        ),
    )


def _summary(fits: pd.DataFrame, model: str) -> dict[str, object]:
    done = fits[fits["reason"] == ""]
    searched = done[done["candidates"] > 0]
    return {
        "model": model,
        "package": _joined(fits["package"]),
        "fits": len(done),
        "not_fitted": len(fits) - len(done),
        "searched": len(searched),
        "searched_from_k": int(searched["k"].min()) if len(searched) else None,
        "candidates": int(searched["candidates"].max()) if len(searched) else 0,
        "folds": int(searched["folds"].max()) if len(searched) else 0,
        "changed": int((searched["settings"] != "{}").sum()),
        "weights": _joined(fits["weights"]),
        "licence": _joined(fits["licence"]),
        "seconds": done["seconds"].sum(),
    }


def _joined(texts: pd.Series) -> str:
    return "; ".join(sorted(set(texts) - {""}))


def _row(row: Any) -> tuple[str, ...]:
    counts = (f"{row.fits:,}", f"{row.not_fitted:,}")
    weights = (_weights(row.weights), row.licence or DASH)
    return (row.package or DASH, *counts, _settings(row), *weights)


def _settings(row: Any) -> str:
    if not row.searched:
        return "fixed" if row.fits else DASH
    return (
        f"searched in {row.searched:,} fits (k ≥ {row.searched_from_k:.0f}), other than the "
        f"defaults in {row.changed:,}"
    )


def _weights(texts: str) -> str:
    """``name.ckpt (0123456789ab)`` of ``name.ckpt <sha256>``."""
    files = [text.rpartition(" ") for text in texts.split("; ") if text]
    return "; ".join(f"{name} ({digest[:_HASH]})" for name, _, digest in files) or DASH


def _reasons(fits: pd.DataFrame, baselines: Mapping[str, str]) -> list[str]:
    """Say for each model where it was not fitted, and why."""
    notes = []
    for model, name in baselines.items():
        mine = fits[fits["model"] == model]
        done = mine.loc[mine["reason"] == "", "dataset"]
        for reason, rows in mine[mine["reason"] != ""].groupby("reason", sort=False):
            datasets = sorted(rows["dataset"].unique())
            every = len(datasets) == fits["dataset"].nunique()
            if done.isin(datasets).any():
                where = f"some draws of {'every dataset' if every else ', '.join(datasets)}"
            else:
                where = "any dataset" if every else ", ".join(datasets)
            notes.append(f"{name}: not fitted on {where} ({len(rows):,} in all), since {reason}")
    return notes
