"""The page of results: what it reads, what it shows, and that equal results give equal bytes."""

import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.figure
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_frames import grid

from tabbench.config.endpoints import Prices
from tabbench.core.errors import TabBenchError
from tabbench.reporting.page.artifacts import collect
from tabbench.reporting.page.findings import NOT_ASKED
from tabbench.reporting.page.page import build_page
from tabbench.reporting.page.questions import QUESTIONS, artifact_title, section
from tabbench.reporting.page.run_summary import (
    answers_table,
    cost_table,
    coverage_table,
    totals,
    warnings,
)
from tabbench.reporting.page.versions import package_versions, workflow_hash
from tabbench.reporting.reader import read_markdown
from tabbench.reporting.style import Figure, save
from tabbench.reporting.tables.rq2 import table6
from tabbench.reporting.writer import DASH, Table, write_table

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "workflow/scripts/tabbench/reporting/page/templates/index.html"
MODELS = {"small": "Small & Co", "large": "Large-14B"}
# No line breaks, and no stars or tags that would read as the marks of a cell.
TEXT = st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="*<"), min_size=1)
ROW = st.tuples(TEXT, TEXT)


def write(table, folder, name):
    paths = {form: folder / f"{name}.{form}" for form in ("csv", "md", "tex")}
    write_table(table, **paths)
    return list(paths.values())


@given(ROW, st.lists(ROW, max_size=4), st.lists(TEXT, max_size=3), st.sets(st.integers(0, 1)))
def test_a_written_table_is_read_back(tmp_path_factory, header, rows, notes, marked):
    folder = tmp_path_factory.mktemp("table")
    places = frozenset((0, at) for at in marked if rows)
    table = Table("A caption", header, tuple(rows), pd.DataFrame(), tuple(notes), places, places)
    write(table, folder, "one")
    read = read_markdown(folder / "one.md")
    assert (read.caption, read.header, read.notes) == ("A caption", header, tuple(notes))
    assert [tuple(cell.text for cell in row) for row in read.rows] == rows
    assert {
        (number, at)
        for number, row in enumerate(read.rows)
        for at, cell in enumerate(row)
        if cell.bold and cell.underlined
    } == places


def test_another_file_is_refused(tmp_path):
    (tmp_path / "one.md").write_text("# Something else\n")
    with pytest.raises(TabBenchError, match=r"one\.md: not a table"):
        read_markdown(tmp_path / "one.md")


@pytest.fixture
def results(tmp_path):
    """A table with all its files, a figure, and a page that is only linked."""
    scores = grid(["small", "large"], ["diabetes", "tae"])
    folder = tmp_path / "results/rq2"
    paths = write(table6(scores, MODELS), folder, "table6")
    figure = matplotlib.figure.Figure(figsize=(3, 2))
    save(Figure(figure, ""), pdf=folder / "figure9.pdf", png=folder / "figure9.png")
    (folder / "figure9.md").write_text('Bars of a < b & "c".\n')
    paths += [folder / f"figure9.{form}" for form in ("pdf", "png", "md")]
    cells = tmp_path / "results/domains/cells.html"
    cells.parent.mkdir()
    cells.write_text("<p>cells</p>")
    return [*paths, cells], scores


def test_files_become_artifacts(results):
    paths, _ = results
    found = collect(paths, paths[0].parents[1] / "index.html")
    table, figure = found["rq2"]
    assert (table.title, figure.title) == ("Table VI", "Figure 9")
    assert table.table.header == ("Configuration", *MODELS.values())
    assert (figure.picture.width, figure.picture.height) == (600, 400)
    assert [link.address for link in figure.links] == ["rq2/figure9.png", "rq2/figure9.pdf"]
    (page,) = found["domains"]
    assert not page.table and not page.picture
    assert [link.address for link in page.links] == ["domains/cells.html"]


def test_a_table_and_a_figure_may_bear_one_name(results):
    paths, _ = results
    png = next(path for path in paths if path.suffix == ".png")
    twin = paths[0].with_name("table6.png")
    twin.write_bytes(png.read_bytes())
    caption = paths[0].with_name("table6_caption.md")
    caption.write_text("Both.")
    figure, table = collect([*paths[:3], twin, caption], "index.html")["rq2"]
    assert figure.caption == "Both." and figure.picture and table.table
    with pytest.raises(TabBenchError, match=r"table6\.png: no caption"):
        collect([twin], "index.html")


class Outline(HTMLParser):
    """Headings, ids and links of a page, and whether its tags close in order."""

    VOID = frozenset(("meta", "link", "img", "input"))

    def __init__(self, text):
        super().__init__()
        self.open, self.levels, self.ids, self.targets, self.images = [], [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if re.fullmatch(r"h\d", tag):
            self.levels.append(int(tag[1]))
        if tag == "img":
            self.images.append(found)
        self.ids += [found["id"]] if "id" in found else []
        self.targets += [found["href"]] if "href" in found else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def page_of(results, asked=("rq2",)):
    paths, scores = results
    page = paths[0].parents[1] / "index.html"
    return build_page(
        TEMPLATE,
        page=page,
        artifacts=paths,
        scores=scores,
        asked=asked,
        models=MODELS,
        prices={},
        settings={"Seeds": "1, 2"},
        versions={"Python": "3"},
    )


def test_the_page_is_whole(results):
    text = page_of(results)
    assert text == page_of(results)
    outline = Outline(text)
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
    steps = zip(outline.levels, outline.levels[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    assert len(outline.ids) == len(set(outline.ids))
    inside = {target[1:] for target in outline.targets if target.startswith("#")}
    assert inside and inside <= set(outline.ids)
    small, image = outline.images
    assert small["alt"].startswith("Mean ROC-AUC: NoCols-NoContext 0.")
    assert small["src"].startswith("data:image/svg+xml;base64,")
    assert image["alt"] == 'Figure 9. Bars of a < b & "c".'
    assert image["src"].startswith("data:image/png;base64,")
    assert not re.search(r"(src|href)=\"https?:", text)
    assert "Small &amp; Co" in text and "Small & Co" not in text


def test_the_page_names_every_question_asked_or_not(results):
    text = page_of(results)
    for name, one in QUESTIONS.items():
        assert f'id="{name}"' in text and one.question in text
        assert (f'id="{name}-card"' in text) == (name == "rq2")
    assert text.count(NOT_ASKED) == len(QUESTIONS) - 1
    assert "Not part of this configuration: RQ1 Zero-shot, RQ3 Examples," in text
    assert "Table VI tests no difference." in text
    assert page_of(results, asked=()).count(NOT_ASKED) == len(QUESTIONS)


def test_titles():
    titles = [artifact_title(name) for name in ("table4", "table9", "table18", "figure31")]
    assert titles == ["Table IV", "Table IX", "Table XVIII", "Figure 31"]
    assert artifact_title("figure{number}") == "Figure {number}"
    assert artifact_title("rank_view") == "Rank view"
    assert section("rq3").question and section("own_set").title == "Own set"


def test_how_the_run_went():
    scores = grid(["large", "small"], ["diabetes", "tae"], shots=(0, 4))
    poor = (scores["model"] == "small") & (scores["mode"] == "forward")
    scores.loc[poor, "n_scored"] = 50
    scores.loc[poor & (scores["k"] == 0), "label_mass"] = 0.2
    sums = totals(scores)
    row = sums[(sums["model"] == "small") & (sums["mode"] == "forward")].iloc[0]
    cells = int(poor.sum())
    assert row["cells"] == cells and row["asked"] == 100 * cells
    assert row["invalid"] == 50 * cells
    assert row["seconds"] == pytest.approx(0.2 * 100 * cells)
    assert row["low_mass"] == 8  # 2 datasets x 4 contexts
    found = warnings(sums, MODELS)
    assert len(found) == 2 and all(text.startswith("Small & Co, forward") for text in found)
    assert "50.0%" in found[0] and f"8 of {cells} cells" in found[1]
    table = answers_table(sums, MODELS)
    assert [row[0].text for row in table.rows] == ["Small & Co"] * 2 + ["Large-14B"] * 2
    prices = {"large": Prices("USD", "2026-11-30", input=2.0, output=1e6)}
    cost = cost_table(sums, MODELS, prices)
    assert cost.rows[0][1].text == "generation" and cost.rows[0][3].text == "0.300"
    assert {row[-1].text for row in cost.rows[:2]} == {DASH}
    large = sums[(sums["model"] == "large") & (sums["mode"] == "generation")].iloc[0]
    money = 2e-6 * large["prompt_tokens"] + large["completion_tokens"]
    assert cost.rows[2][-1].text == f"{money:,.2f} USD"
    datasets = coverage_table(scores)
    assert [cell.text for cell in datasets.rows[0]][:5] == [
        *("diabetes", "classic", "Healthcare", "100 (capped)", "256")
    ]


def test_versions(tmp_path):
    found = package_versions(["pandas", "no-such-package"])
    assert found["pandas"] == pd.__version__
    assert found["no-such-package"].startswith("not in the environment")
    (tmp_path / "workflow").mkdir()
    (tmp_path / "Snakefile").write_text("one")
    first = workflow_hash(tmp_path)
    (tmp_path / "workflow/new.py").write_text("two")
    assert workflow_hash(tmp_path) != first
    assert workflow_hash(ROOT) == workflow_hash(ROOT)
