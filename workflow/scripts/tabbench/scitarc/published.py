"""Published accuracies of SciTaRC (Tables 2, 4 and 11) compared with ours."""

from collections.abc import Mapping

import pandas as pd

from tabbench.scitarc.prompts import METHODS
from tabbench.scitarc.scores import (
    AUTONOMOUS,
    CONDITION,
    DIRECT,
    FEW_SHOT_DIRECT,
    FEW_SHOT_ORACLE,
    ORACLE,
    SYSTEM,
    accuracies,
)

SHORT_NAMES: Mapping[str, tuple[str, str]] = {
    "Qwen2.5-Coder-32B": ("Qwen-2.5-Coder-32B", "PoT"),
    "DS-R1-Dist-32B": ("DS-R1-Distill-Qwen-32B", "CoT"),
    "Qwen3-30B": ("Qwen3-30B-A3B-2507", "CoT"),
    "Qwen3-80B": ("Qwen3-Next-80B-A3B", "CoT"),
    "Gemma-3-27B": ("Gemma-3-27B-IT", "CoT"),
    "Llama-3.3-70B": ("Llama-3.3-70B-Instruct", "CoT"),
    "Qwen3-Coder-30B (PoT)": ("Qwen-3-Coder-30B", "PoT"),
}
"""Names of Tables 4 and 11: that of Table 2, and the method."""

OTHER_TITLES: Mapping[str, str] = {"Qwen3-8B": "Qwen-3-8B"}
"""Titles of models that the first paper spells differently: as Table 2 does."""

QUANTITIES = {
    ("2", "llm_judge"): ("accuracy", DIRECT),
    ("2", "em"): ("exact_match", DIRECT),
    ("4", "direct"): ("accuracy", DIRECT),
    ("4", "auto"): ("accuracy", AUTONOMOUS),
    ("4", "oracle"): ("accuracy", ORACLE),
    ("11", "zs_direct"): ("accuracy", DIRECT),
    ("11", "fs_direct"): ("accuracy", FEW_SHOT_DIRECT),
    ("11", "fs_oracle"): ("accuracy", FEW_SHOT_ORACLE),
}
"""What a published column is: a measure, and the condition that it was taken under."""

PUBLISHED_N = {"2": 371, "4": 371, "11": 369}


def beside_published(
    scores: pd.DataFrame, tables: Mapping[str, pd.DataFrame], models: Mapping[str, str]
) -> pd.DataFrame:
    """Join our accuracies with the published ones of the same model and method.

    Parameters
    ----------
    scores : DataFrame with the columns of ``schemas.SCITARC_SCORES``
    tables : number of a published table to its rows
    models : display name by id; a name of Table 2 means the same model

    Returns
    -------
    DataFrame with table, name, method, model, execution, measure (accuracy or exact_match),
    plan_mode, shots, published and ours (0 to 1), low, high (of ours; NaN for exact_match), n,
    published_n and difference (ours minus published)
    """
    printed = pd.concat(
        [_tidy(number, table) for number, table in tables.items()], ignore_index=True
    )
    ours = accuracies(scores, [*SYSTEM, *CONDITION])
    ours = ours.assign(
        name=ours["model"].map(models).replace(dict(OTHER_TITLES)),
        method=ours["execution"].map(METHODS),
    )
    both = printed.merge(ours, on=["name", "method", *CONDITION], how="inner")
    exact = both["measure"] == "exact_match"
    found = both["accuracy"].where(~exact, both["exact_match"])
    kept = both.assign(
        ours=found,
        low=both["low"].mask(exact),
        high=both["high"].mask(exact),
        difference=found - both["published"],
    )
    return kept[
        [
            *("table", "name", "method", *SYSTEM, "measure", *CONDITION),
            *("published", "ours", "low", "high", "n", "published_n", "difference"),
        ]
    ]


def _tidy(number: str, table: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for row in table.to_dict("records"):
        name, method = (row["model"], row["method"]) if number == "2" else SHORT_NAMES[row["model"]]
        for (of, column), (measure, condition) in QUANTITIES.items():
            if of == number:
                rows.append(
                    {
                        "table": number,
                        "name": name,
                        "method": method,
                        "measure": measure,
                        **dict(zip(CONDITION, condition, strict=True)),
                        "published": row[column] / 100,
                        "published_n": PUBLISHED_N[number],
                    }
                )
    return pd.DataFrame(rows)
