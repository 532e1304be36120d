"""Words and numbers of LaTeX text, without its commands."""

import re

_SYMBOLS = {
    "pm": "±",
    "times": "×",
    "cdot": "×",
    "rightarrow": "→",
    "to": "→",
    "Rightarrow": "→",
    "leftarrow": "←",
    "uparrow": "↑",
    "downarrow": "↓",
    "leq": "≤",
    "geq": "≥",
    "approx": "≈",
    "sim": "~",
    "infty": "∞",
    "textbackslash": "\\",
    "textpm": "±",
    "textminus": "−",
    **{name: name for name in ("alpha", "beta", "gamma", "delta", "lambda", "sigma", "tau")},
}
_DECORATION = re.compile(
    r"\\(?:cellcolor|rowcolor|textcolor|color|vspace|hspace)\s*(\[[^\]]*\])?\{[^{}]*\}"
)


def plain_text(latex: str) -> str:
    """Words and numbers of a piece of LaTeX, without its commands; other text stays as it is.

    Examples
    --------
    >>> plain_text(r"\\textbf{12.5\\%} $\\pm$ 0.3")
    '12.5% ± 0.3'
    """
    text = _DECORATION.sub("", latex)
    text = re.sub(r"\\\\(\s*\[[^\]]*\])?", " ", text)
    text = re.sub(r"(?<!\\)_\{", " {", text)  # a subscript
    text = re.sub(r"\\([%&$#_{}])", r"\1", text)
    text = re.sub(r"\\[,;:!> ]|(?<=\w)~(?=\w)", " ", text)
    text = re.sub(r"\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2", text)
    text = re.sub(r"\\([a-zA-Z]+)\*?", lambda found: _SYMBOLS.get(found[1], ""), text)
    text = re.sub(r"\\[()\[\]]|\$|[{}]", "", text)
    return " ".join(text.split())
