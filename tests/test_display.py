"""Titles of any spelling are shown as they are: in figures, Markdown, LaTeX and on the page."""

import re
from pathlib import Path

import matplotlib.figure
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.text import Text
from score_frames import grid

from tabbench.reporting import glyphs, style
from tabbench.reporting.figures import rq2
from tabbench.reporting.markdown import escape_markdown, unescape_markdown
from tabbench.reporting.reader import read_markdown
from tabbench.reporting.writer import Table, escape_latex, to_latex, write_table

TITLES = (
    "$$",
    "$1 / $2",
    "50 % of A_b^c \\alpha",
    "*bold* _it_ `code` ~~gone~~",
    "<b>tag</b> &amp; <script>",
    "[link](http://x) ![image](y)",
    "a|b \\| c \\",
    "[A] first",
    "line\nbreak\ttab",
    "=1+1",
    "中文模型",
    "نموذج عربي",
    "emoji 🙂🚀",
)
titles = pytest.mark.parametrize("title", TITLES)


def spaced(text: str) -> str:
    return " ".join(text.split())


@titles
def test_a_table_is_read_back_as_it_was(title: str, tmp_path: Path) -> None:
    table = Table(
        f"About {title}", ("", title), ((title, "1"), ("x", title)), pd.DataFrame(), (title,),
        frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}),
    )  # fmt: skip
    paths = {name: tmp_path / f"table.{name}" for name in ("csv", "md", "tex")}
    write_table(table, **paths)
    read = read_markdown(paths["md"])
    assert spaced(read.caption) == spaced(table.caption)
    assert [spaced(name) for name in read.header] == ["", spaced(title)]
    assert [[spaced(cell.text) for cell in row] for row in read.rows] == [
        [spaced(title), "1"],
        ["x", spaced(title)],
    ]
    assert (read.rows[0][0].bold, read.rows[0][0].underlined) == (True, True)
    assert [spaced(note) for note in read.notes] == [spaced(title)]


@given(st.text(st.sampled_from("\\`*_$|<>[]()!~&#;ab 1中\n") | st.characters()))
def test_any_text_survives_markdown(text: str) -> None:
    written = escape_markdown(text)
    assert "\n" not in written
    assert unescape_markdown(written) == re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*$|]", written)


@titles
def test_latex_sees_one_line_of_plain_text(title: str) -> None:
    escaped = escape_latex(title)
    assert "\n" not in escaped
    commands = r"\\text\w+\{\}|\\[&%$#_{}]|\$[<>]\$|\{\}"
    assert not set(re.sub(commands, "", escaped)) & set("\\$%&#_{}^~`|<>")
    table = Table("c", ("", "x"), ((title, "1"),), pd.DataFrame(), ())
    (row,) = [line for line in to_latex(table).splitlines() if line.endswith(r"& 1 \\")]
    assert row.startswith("{}") == title.startswith(("[", "*"))


def test_latex_says_which_characters_need_fonts() -> None:
    table = Table("c", ("", "x"), (("中 é …", "1"),), pd.DataFrame(), ())
    assert to_latex(table).startswith("% Needs LuaLaTeX or XeLaTeX and fonts with: 中\n")
    assert escape_latex("a--b – c") == "a-{}-b -- c"


def drawn_with(title: str) -> style.Figure:
    scores = grid(["small"], ("diabetes", "credit"), shots=(0, 4))
    return rq2.figure9(scores, {"small": title})


@titles
def test_a_figure_draws_a_title_as_text(title: str, tmp_path: Path) -> None:
    drawn = drawn_with(title)
    style.save(drawn, pdf=tmp_path / "f.pdf", png=tmp_path / "f.png")
    shown = [text for text in drawn.figure.findobj(Text) if title in text.get_text()]
    assert shown
    assert not any(text.get_parse_math() for text in shown)


CJK = "中文"


def test_a_character_without_a_font_is_told_in_the_caption(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [font for font in font_manager.fontManager.ttflist if font.name.startswith("DejaVu")]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", usual)
    caption = drawn_with(CJK).caption
    assert "No font on the machine that drew this figure has 中 文: a box stands" in caption
    assert "No font" not in drawn_with("نموذج").caption


def test_a_font_that_has_the_characters_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = [
        font
        for font in font_manager.fontManager.ttflist
        if font.name in (glyphs.USUAL, "STIXGeneral")
    ]
    stix = next(font.fname for font in ours if font.name == "STIXGeneral")
    usual = glyphs._characters(font_manager.findfont(glyphs.USUAL))
    one = min(char for char in glyphs._characters(stix) - usual if char.isprintable())
    monkeypatch.setattr(font_manager.fontManager, "ttflist", ours)
    with style.look():
        figure = matplotlib.figure.Figure()
        axes = figure.subplots()
        axes.set_yticks([0], [f"tick {one}"])
        text = axes.set_title(f"title {one}")
        plain = axes.set_xlabel("plain")
        assert glyphs.use_fonts_for(figure) == ""
    assert text.get_fontfamily() == [glyphs.USUAL, "STIXGeneral"]
    assert axes.get_yticklabels()[0].get_fontfamily() == [glyphs.USUAL, "STIXGeneral"]
    assert plain.get_fontfamily() == [glyphs.USUAL]
