"""Plain text in Markdown files: escaped where a reader could take it for markup, and back."""

import re

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_MARKUP = re.compile(
    rf"\\(?={_PUNCTUATION}|\Z)"  # an escape
    r"|[`*$|]"  # code, emphasis, mathematics, the edge of a cell
    r"|(?<!\w)_|_(?!\w)"  # emphasis; within a word it is none
    r"|<(?=[A-Za-z/!?])"  # a tag or an address
    r"|\](?=\()|!(?=\[)"  # a link, an image
    r"|~(?=~)|&(?=#?\w+;)"  # struck text, an entity
)
_SPACE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def escape_markdown(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is, on one line.

    Examples
    --------
    >>> print(escape_markdown("price $1 / $2 of <b>x_1*</b> | 0.5 < 1"))
    price \\$1 / \\$2 of \\<b>x_1\\*\\</b> \\| 0.5 < 1
    """
    return _MARKUP.sub(lambda mark: "\\" + mark[0], _SPACE.sub(" ", text))


def unescape_markdown(text: str) -> str:
    """Invert `escape_markdown`."""
    return re.sub(rf"\\({_PUNCTUATION})", r"\1", text)
