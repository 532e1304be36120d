"""Grids of LaTeX tables, generated and written by hand, and both counts of cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.core.errors import TabBenchError
from tabbench.scitarc.complexity import released_cells, set_cells
from tabbench.scitarc.latex import parse_grids
from tabbench.scitarc.latex_text import plain_text

TABLE = r"""\begin{table*}[t]
\caption{Results (95\% intervals); see also Table~2 % & not \\ this
} \label{tab:x}
\begin{tabular}{l|cc} % a & b \\
\toprule
\multirow{2}{*}{\textbf{Model}} & \multicolumn{2}{c}{Accuracy (\%)} \\ \cmidrule(lr){2-3}
 & \makecell{dev\\set} & {R\&D} \\
\midrule
\rowcolor[gray]{0.9} X & 1 & 2 \\[2pt]
\\
\hline
Y & \begin{tabular}[c]{@{}l@{}}first\\ second\end{tabular} & 4\%
\end{tabular}
\end{table*}
"""


def grid(body, spec="lll"):
    (found,) = parse_grids(rf"\begin{{tabular}}{{{spec}}}{body}\end{{tabular}}")
    return found


def test_a_table_as_papers_have_them():
    (found,) = parse_grids(TABLE)
    assert found.shape == (4, 3)
    rows = found.to_rows()
    assert rows[0] == [r"\textbf{Model}", r"Accuracy (\%)", r"Accuracy (\%)"]
    assert rows[1] == [r"\textbf{Model}", r"\makecell{dev\\set}", r"{R\&D}"]
    assert rows[2] == ["X", "1", "2"]
    assert rows[3] == ["Y", r"\begin{tabular}[c]{@{}l@{}}first\\ second\end{tabular}", r"4\%"]


@pytest.mark.parametrize(
    "body",
    [
        r"\hlineB{2} a & b \\ \hlineB{2} 1 & 2 \\ \hlineB{2}",
        r"\tabucline[1pt]{1-2} a & b \\ \tabucline{-} 1 & 2 \\",
        r"\myrule a & b \\ \thinline 1 & 2 \\ \heavyrule[1pt]",
        "a & b \\\\ \\iffalse x & y \\\\ \\fi 1 & 2 \\\\",
        "a & b \\\\ \\iffalse x & y \\else 1 & 2 \\fi \\\\",
        "a & b \\\\\n\\begin{comment}\nx & y \\\\\n\\end{comment}\n1 & 2 \\\\",
        "a & \\url{http://x.org/%20y} \\\\ 1 & \\verb|50% & more| \\\\",
        r"a & b \cr 1 & 2 \cr",
        r"a & b\crcr 1 & 2\crcr",
        r"\underline{a} & \overline{b} \\ \underline{1} & 2 \\",
    ],
)
def test_rules_comments_and_ends_of_rows_of_any_package(body):
    assert grid(body).shape == (2, 2)


def test_underlined_first_cells_keep_their_text():
    assert grid(r"\underline{a} & \uline{b} \\").to_rows() == [[r"\underline{a}", r"\uline{b}"]]


def test_both_counts_of_the_same_table_differ_and_why():
    assert set_cells(TABLE) == 12
    # As released, row by row: the head with its multicolumn 3; "& dev" and "set} & {R&D}" 2 each,
    # from the makecell; "X & 1 & 2" 3; the "[2pt]" of the break 1; "Y & first" 2, up to the break
    # of the inner tabular; " second & 4%" ends with no break and is lost.
    assert released_cells(TABLE) == 3 + 2 + 2 + 3 + 1 + 2


@pytest.mark.parametrize(
    ("body", "released", "cells"),
    [
        (r"a & b \\ c & d \\", 4, 4),
        (r"a & b \\ c & d", 2, 4),  # the last row without a break
        (r"a & b \\% comment" "\n" r"c & d \\", 3, 4),  # a commented break merges rows
        (r"a & b \tabularnewline c & d \\", 3, 4),
        (r"a & \makecell{b \\ c} \\", 3, 2),
        (r"a \& b & 5\% \\", 2, 2),
        (r"\multicolumn{3}{c}{a} \\ b & c & d \\", 6, 6),
        (r"a & b \\ c \\", 3, 4),  # a short row is filled up
        (r"\toprule a & b \\ \midrule \\ c & d \\ \bottomrule", 4, 4),
        (r"\multirow{2}{*}{a} & b \\ & c \\", 4, 4),
        (r"a & {b & c} \\", 3, 2),  # braces hide what stands in them
        (r"a & $\left\{\begin{array}{c} 1 \\ 2 \end{array}\right.$ \\", 3, 2),
    ],
)
def test_counts_where_the_quirks_of_the_released_counter_show(body, released, cells):
    table = rf"\begin{{tabular}}{{ll}}{body}\end{{tabular}}"
    assert (released_cells(table), set_cells(table)) == (released, cells)


def test_a_multirow_upwards_covers_the_rows_above():
    assert grid(r" & a \\ & b \\ \multirow{-3}{*}{x} & c").to_rows() == [
        ["x", "a"],
        ["x", "b"],
        ["x", "c"],
    ]


def test_a_block_of_rows_and_columns():
    found = grid(r"\multicolumn{2}{c}{\multirow{2}{*}{x}} & a \\ \multicolumn{2}{c}{} & b \\")
    assert found.to_rows() == [["x", "x", "a"], ["x", "x", "b"]]
    assert found.cells[0].row_span == found.cells[0].column_span == 2


def test_multirow_with_all_its_options():
    cell = grid(r"\multirow[t]{3}[2]{*}[1pt]{x} & a \\ & b \\ & c").cells[0]
    assert (cell.text, cell.row_span) == ("x", 3)


@pytest.mark.parametrize(
    "begin",
    [
        r"\begin{tabular}[t]{@{}l*{2}{c}@{}}",
        r"\begin{tabular*}{\textwidth}{@{\extracolsep{\fill}}lcc}",
        r"\begin{tabularx}{\linewidth}{lXX}",
        r"\begin{longtable}{lcc}",
        r"\begin{array} {lcc}",
        r"\begin{tabu}{lXX}",
        r"\begin{tabu} to \linewidth {lXX}",
        r"\begin{longtabu} spread 0.5\textwidth[c]{l X[2,c] c}",
        r"\begin{tblr}{colspec={lcc}, row{1}={font=\bfseries}}",
        r"\begin{talltblr}[caption={A}, note{a}={B}]{lcc}",
        r"\begin{NiceTabular}{lcc}[hvlines]",
        r"\begin{NiceTabularX}{\linewidth}{lXX}",
        r"\begin{supertabular*}{\linewidth}{lcc}",
    ],
)
def test_environments_and_their_arguments(begin):
    name = begin[7 : begin.index("}")]
    (found,) = parse_grids(f"{begin} a & b & c \\\\ 1 & 2 & 3 \\end{{{name}}}")
    assert found.to_rows() == [["a", "b", "c"], ["1", "2", "3"]]


def test_tables_side_by_side_are_grids_of_their_own():
    both = TABLE + r"text \begin{tabular}{l} a \end{tabular}"
    assert [found.shape for found in parse_grids(both)] == [(4, 3), (1, 1)]
    assert parse_grids("no table at all") == ()


@pytest.mark.parametrize(
    "table",
    [
        "no table at all",
        r"\begin{table} a & b \\ \end{table}",
        r"\begin{ctabular}{ll} a & b \\ \end{ctabular}",
    ],
)
def test_a_table_without_a_known_grid_has_no_count(table):
    with pytest.raises(TabBenchError, match="LaTeX: no grid of cells; known are NiceTabular, "):
        set_cells(table)


@pytest.mark.parametrize(
    "broken",
    [
        r"\begin{tabular}{l} a & b \\",
        r"\begin{tabular}{l a \end{tabular}",
        r"\begin{tabular} a & b \end{tabular}",
        r"\begin{tabular}{l} {a & b \end{tabular}",
        r"\begin{tabular}{l} \multirow{2} \end{tabular}",
    ],
)
def test_broken_latex_is_named(broken):
    with pytest.raises(TabBenchError, match="LaTeX: "):
        parse_grids(broken)


CELLS = st.text("abcXYZ019 .,-+()$^_'", max_size=8).map(lambda text: " ".join(text.split()))
ESCAPED = CELLS.flatmap(
    lambda text: st.sampled_from(
        ["{}", "{}\\%", "\\&{}", "\\textbf{{{}}}", "\\makecell{{{}\\\\b}}"]
    ).map(lambda form: form.format(text))
)
ROWS = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(ESCAPED, min_size=columns, max_size=columns), min_size=1, max_size=5
    )
)
BREAKS = st.sampled_from(
    [
        "\\\\\n",
        "\\\\[2pt]\n",
        "\\\\ \\midrule\n",
        "\\\\% end & row\n",
        "\\tabularnewline\n",
        "\\\\ \\cmidrule(lr){1-2} \\hline\n",
        "\\\\*\n",
    ]
)


@given(ROWS, st.data())
def test_a_generated_grid_is_read_back(rows, data):
    rows = [[f"k{cell}" if at == 0 else cell for at, cell in enumerate(row)] for row in rows]
    body = "\\toprule\n"
    for number, row in enumerate(rows):
        last = number == len(rows) - 1
        body += " & ".join(row) + ("" if last and data.draw(st.booleans()) else data.draw(BREAKS))
    found = grid(body, "l" * len(rows[0]))
    assert found.to_rows() == rows
    assert found.size == len(rows) * len(rows[0])


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 3))
def test_spans_fill_a_rectangle(widths, height):
    """One row of cells that span columns, all of them ``height`` rows."""
    top = " & ".join(
        rf"\multicolumn{{{width}}}{{c}}{{\multirow{{{height}}}{{*}}{{c{number}}}}}"
        for number, width in enumerate(widths)
    )
    empty = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{}}" for width in widths)
    found = grid(r" \\ ".join([top, *[empty] * (height - 1)]))
    row = [f"c{number}" for number, width in enumerate(widths) for _ in range(width)]
    assert found.to_rows() == [row] * height


@given(st.text("\\{}&%$ab\n[]*beginendtabular ", max_size=60))
def test_any_text_is_read_or_named_as_broken(text):
    try:
        parse_grids(rf"\begin{{tabular}}{{l}}{text}\end{{tabular}}")
    except TabBenchError as error:
        assert str(error).startswith("LaTeX: ")
    assert released_cells(text) >= 0


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\textbf{GPT-4o}", "GPT-4o"),
        (r"\cellcolor{red!20}{12.5\%}", "12.5%"),
        (r"$0.83_{\pm 0.02}$", "0.83 ± 0.02"),
        (r"\makecell{a\\b}", "a b"),
        (r"A~B \& C", "A B & C"),
        (r"$\frac{1}{2}$ of $\alpha$", "1/2 of alpha"),
        ("no LaTeX, 5% & more", "no LaTeX, 5% & more"),
    ],
)
def test_plain_text(latex, text):
    assert plain_text(latex) == text
