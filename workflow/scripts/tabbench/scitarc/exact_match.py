"""Exact match, as released and normalised. Neither assesses meaning; see `judge` and `matcher`."""

import re
import unicodedata

from tabbench.scitarc.latex_text import plain_text

_SIGNS = str.maketrans({"−": "-", "–": "-", "—": "-", "‑": "-", "“": '"', "”": '"', "’": "'"})


def exact_match(prediction: str | None, gold: str) -> bool:
    """Exact match as released: equal once blanks around both are gone; no answer matches none.

    Parameters
    ----------
    prediction : what the released code takes, see `extraction.extract_answer_released`
    """
    return prediction is not None and prediction.strip() == gold.strip()


def exact_match_normalised(prediction: str | None, gold: str) -> bool:
    """Exact match of `normalise`\\ d texts: formatting does not matter, order and words do."""
    return prediction is not None and normalise(prediction) == normalise(gold)


def normalise(text: str) -> str:
    """Remove differences of formatting.

    These are LaTeX, Markdown, case, kinds of dashes and blanks, thousands separators, and a full
    stop at the end.

    Examples
    --------
    >>> normalise("**GPT-4o**;  1,234.5\\\\%.")
    'gpt-4o; 1234.5%'
    """
    folded = unicodedata.normalize("NFKC", plain_text(text.strip())).translate(_SIGNS).casefold()
    folded = re.sub(r"\*\*|__|`|^[*_]|[*_]$", "", folded)
    folded = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", folded)
    return re.sub(r"[.\s]+$", "", " ".join(folded.split()))
