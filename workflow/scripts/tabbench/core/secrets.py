"""Secrets of this process, such as API keys: the one place that knows and masks them.

Whoever reads a secret from the environment calls `keep_secret`; whatever leaves the process (logs,
messages, tracebacks, records) passes `masked`.
"""

import io
import json
import re
import sys
import traceback
from pathlib import Path
from types import TracebackType
from urllib.parse import quote, quote_plus

MASK = "***"
SHORTEST = 8
"""Characters. What is shorter is the dummy key of a local server, and may occur in any answer."""

_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s@'\"]+@")
_forms: set[str] = set()


def keep_secret(value: str) -> None:
    """Mask a value from here on, also as Python, JSON or a URL writes it."""
    if len(value) < SHORTEST:
        return
    ways = (str, lambda text: repr(text)[1:-1], lambda text: json.dumps(text)[1:-1])
    _forms.update(way(value) for way in (*ways, quote, quote_plus, lambda one: quote(one, safe="")))
    sys.excepthook = _show_masked


def without_secrets(text: str) -> str:
    """Replace kept secrets.

    Examples
    --------
    >>> keep_secret("sk-an/example")
    >>> without_secrets("401: sk-an/example, sk-an%2Fexample")
    '401: ***, ***'
    """
    for form in sorted(_forms, key=len, reverse=True):
        text = text.replace(form, MASK)
    return text


def masked(text: str) -> str:
    """Replace kept secrets, and the user's name and password in any URL.

    Examples
    --------
    >>> masked("no answer from http://me:swordfish@example.org/v1")
    'no answer from http://***@example.org/v1'
    """
    return _CREDENTIALS.sub(f"{MASK}@", without_secrets(text))


class MaskedLog(io.TextIOWrapper):
    """A text file that holds no secret, and takes any text: half characters are escaped."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path.open("wb"), encoding="utf-8", errors="backslashreplace", line_buffering=True
        )

    def write(self, text: str) -> int:
        super().write(masked(text))
        return len(text)


def _show_masked(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    print(masked("".join(traceback.format_exception(kind, error, trace))), file=sys.stderr)
