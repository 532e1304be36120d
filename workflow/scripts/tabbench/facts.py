"""What scores and tests carry of each dataset: suite, domain, test rows, and whether capped."""

from collections.abc import Mapping, Sequence

import pandas as pd


def dataset_facts(
    suites_and_domains: Mapping[str, Sequence[str]], splits: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Return one row per dataset with ``suite``, ``domain``, ``test_rows`` and ``capped``.

    Parameters
    ----------
    suites_and_domains : dataset id to (suite, domain)
    splits : dataset id to its split, with the columns of ``schemas.SPLIT``
    """
    facts = pd.DataFrame.from_dict(
        dict(suites_and_domains), orient="index", columns=["suite", "domain"]
    )
    parts = {name: split["part"] for name, split in splits.items()}
    facts["test_rows"] = {name: int((part != "train").sum()) for name, part in parts.items()}
    facts["capped"] = {name: bool((part == "unused").any()) for name, part in parts.items()}
    return facts
