"""The one exception that means "the user can mend this"."""

import difflib
from collections.abc import Iterable


class TabBenchError(Exception):
    """A problem with input, configuration or environment.

    The message names the dataset, cell or file, says what is wrong and what to do.
    """


_SHOWN = 50


def closest(name: str, valid: Iterable[str]) -> str:
    """Return a hint such as ``did you mean 'diabetes'? Valid: credit, diabetes``."""
    names = sorted(valid)
    match = [one for one in names if one.casefold() == name.casefold()]
    match = match or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean '{match[0]}'? " if match else ""
    more = f", ... ({len(names):,} in all)" if len(names) > _SHOWN else ""
    return f"{hint}Valid: {', '.join(names[:_SHOWN]) or '(none)'}{more}"
