"""Fonts for every script: figures take what the usual font lacks from fonts of this machine."""

from collections.abc import Iterable, Sequence
from functools import cache

from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

USUAL = "DejaVu Sans"
"""Ships with matplotlib: the same on every machine."""


def use_fonts_for(figure: Figure) -> str:
    """Let a figure's texts use fonts that have their characters.

    Returns
    -------
    str
        A sentence on the characters that no installed font has, which are then drawn as boxes;
        "" where every character is drawn.
    """
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):
                axis.get_majorticklabels()  # they are made when they are asked for
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    written = {one for text in texts for one in text.get_text() if one.isprintable()}
    lacking = written - _characters(font_manager.findfont(USUAL))
    if not lacking:
        return ""
    families, undrawn = _families(lacking)
    for text in texts:
        if not lacking.isdisjoint(text.get_text()):
            text.set_fontfamily([USUAL, *families])
    if not undrawn:
        return ""
    return (
        f"No font on the machine that drew this figure has {' '.join(sorted(undrawn))}: a box "
        "stands for each. Install a font with these characters (such as Noto Sans CJK, Noto Sans "
        "or Noto Emoji) and draw it again."
    )


def _families(lacking: Iterable[str]) -> tuple[Sequence[str], set[str]]:
    """Fonts that together have most of the characters, and the characters that none has."""
    rest = set(lacking)
    files = {
        font.name: font.fname
        for font in sorted(font_manager.fontManager.ttflist, key=lambda font: font.fname)
        if font.weight in (400, "normal", "regular")
        and font.style == "normal"
        and not font.name.startswith("Last Resort")  # whose boxes stand for what is missing
    }
    chosen: list[str] = []
    while rest and files:
        best = max(sorted(files), key=lambda name: len(rest & _characters(files[name])))
        found = rest & _characters(files[best])
        if not found:
            break
        chosen.append(best)
        rest -= found
    return chosen, rest


@cache
def _characters(file: str) -> frozenset[str]:
    """Characters that a font can draw."""
    try:
        return frozenset(map(chr, font_manager.get_font(file).get_charmap()))
    except (OSError, RuntimeError, ValueError):  # bitmaps alone, as fonts of coloured emoji have
        return frozenset()
