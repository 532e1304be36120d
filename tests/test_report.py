"""A finished run as people see it: the page of results in a browser, and Snakemake's report."""

import json
import re
from pathlib import Path

import pytest
from browser import WIDTHS, open_page

from tabbench.reporting.page.artifacts import picture
from tabbench.reporting.page.questions import QUESTIONS, section
from tabbench.reporting.reader import read_markdown

pytestmark = pytest.mark.slow

LARGEST_PAGE = 15e6
LONGEST_PAGE = 21_000
"""Pixels at a width of 1,280: half of what the tiny run's page had with all notes unfolded."""


@pytest.fixture(scope="module")
def results(finished):
    return finished.folder / "results"


def shown_files(results):
    """What Snakemake's report has to hold."""
    return [
        path
        for name in (*QUESTIONS, "complexity", "scitarc", "baselines", "datasets", "paper")
        for path in sorted((results / name).rglob("*.*"))
        if path.suffix == ".png" or (path.suffix in (".csv", ".md") and is_table(path))
    ]


def is_table(path):
    return path.with_suffix(".tex").is_file()


def test_the_page_holds_every_artifact(results):
    page = results / "index.html"
    assert page.stat().st_size < LARGEST_PAGE
    text = page.read_text()
    files = shown_files(results)
    assert len(files) > 30
    for path in files:
        assert f'href="{path.relative_to(results).as_posix()}"' in text


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_opens_without_a_network(results, width):
    with open_page(results / "index.html", width=width) as opened:
        page = opened.page
        drawn = [path for path in results.glob("*/*.png") if not picture(path).empty]
        cards = page.locator(".card").count()
        assert cards == len(QUESTIONS) + 1
        assert page.locator("img").count() == len(drawn) + cards > cards
        loaded = page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
        assert loaded
        assert opened.overflow() == 0
        assert not opened.faint()
        targets = page.evaluate(
            "[...document.querySelectorAll('nav a')].map((one) =>"
            " document.querySelectorAll(one.getAttribute('href')).length)"
        )
        assert targets and set(targets) == {1}
        broken = [
            href
            for href in page.evaluate("[...document.links].map((one) => one.getAttribute('href'))")
            if not href.startswith("#") and not (results / href).exists()
        ]
        assert not broken
        assert not opened.problems


def test_the_page_is_short_and_opens_with_every_answer(results):
    with open_page(results / "index.html", width=1280, height=800) as opened:
        page = opened.page
        assert page.evaluate("document.documentElement.scrollHeight") < LONGEST_PAGE
        ends = page.evaluate(
            "[...document.querySelectorAll('.card, .doubts')]"
            ".map((one) => one.getBoundingClientRect().bottom)"
        )
        assert len(ends) == len(QUESTIONS) + 2
        assert max(ends) <= 800
    with open_page(results / "index.html", width=390, height=844) as opened:
        first = opened.page.locator(".card").first.bounding_box()
        assert first["y"] + first["height"] < 844


def test_no_note_is_said_twice(results):
    with open_page(results / "index.html") as opened:
        notes = opened.page.locator(".notes li").all_text_contents()
        general = opened.page.locator("#reading dd").all_text_contents()
    assert len(notes) > 50
    assert len({*notes, *general}) == len(notes) + len(general)


def test_a_figure_with_nothing_to_show_is_a_sentence(results):
    empty = [path for path in results.glob("scitarc/*.png") if picture(path).empty]
    assert empty  # the small model answers no question right
    with open_page(results / "index.html") as opened:
        for path in empty:
            one = opened.page.locator(f"#scitarc-{path.stem}-figure")
            assert one.locator("img").count() == 0
            assert "none of the answers that were judged" in one.inner_text()


def test_contents_are_searched(results):
    with open_page(results / "index.html") as opened:
        page = opened.page
        contents = page.get_by_label("Contents", exact=True)
        assert not contents.get_by_role("link", name="Table IX").is_visible()
        page.get_by_label("Search this page").fill("prompting REGIME")
        link = contents.get_by_role("link", name="Table IX")
        assert link.is_visible()
        assert not contents.get_by_role("link", name="Table XVI").is_visible()
        assert not contents.get_by_role("link", name="RQ6 Complexity").is_visible()
        assert contents.locator("output").inner_text().endswith(" found")
        page.get_by_label("Search this page").fill("folding conclusions")
        contents.get_by_role("link", name="Folding conclusions").press("Enter")
        table = page.locator("#rq1-folding_conclusions table")
        table.wait_for(state="visible")
        page.get_by_label("Search this page").fill("")
        assert contents.get_by_role("link", name="RQ6 Complexity").is_visible()
        assert not link.is_visible()
        assert not opened.problems


def test_wide_tables_keep_their_first_column_in_sight(results):
    with open_page(results / "index.html", width=400) as opened:
        region = opened.page.locator("#datasets-table12 .scroll")
        moved = region.evaluate("(one) => { one.scrollLeft = 9999; return one.scrollLeft; }")
        assert moved > 0
        heads = region.locator("th:first-child").all()
        left = region.bounding_box()["x"]
        assert len(heads) > 2
        assert all(abs(head.bounding_box()["x"] - left) < 1 for head in heads)


def test_the_printed_page_holds_what_is_folded(results):
    with open_page(results / "index.html") as opened:
        page = opened.page
        note = page.locator("#note-1")
        assert not note.is_visible()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert note.is_visible()
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert not note.is_visible()


def test_tables_filter_and_sort(results):
    with open_page(results / "index.html") as opened:
        table = opened.page.locator("#rq5-table9")
        rows = table.locator("tbody tr:visible")
        everything = rows.all_inner_texts()
        assert len(everything) == 8
        table.get_by_label("Show rows with").fill("EXPERT few")
        assert rows.count() == 2
        assert table.locator("output").inner_text() == "2 of 8 rows"
        table.get_by_label("Show rows with").fill("")
        assert rows.all_inner_texts() == everything

        heading = table.locator("thead th").nth(1)
        heading.get_by_role("button").press("Enter")
        values = [float(text.split()[0]) for text in table.locator("td").all_inner_texts()]
        assert values == sorted(values)
        assert heading.get_attribute("aria-sort") == "ascending"
        heading.get_by_role("button").press("Enter")
        assert heading.get_attribute("aria-sort") == "descending"
        heading.get_by_role("button").press("Enter")
        assert rows.all_inner_texts() == everything
        assert not opened.problems


def plain(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture(scope="module")
def reported(finished):
    """Results in Snakemake's report, by path; made where no network can be reached."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            patch.setenv(name, "http://127.0.0.1:9")
        finished.run("--report", "report.html")
    text = (finished.folder / "report.html").read_text()

    def embedded(name):
        start = re.search(rf'<script id="{name}">\s*var {name} = ', text).end()
        return json.JSONDecoder().raw_decode(text, start)[0]

    return embedded("results"), embedded("categories")


def test_snakemakes_report_holds_every_artifact_and_its_caption(finished, results, reported):
    found, categories = reported
    files = [path.relative_to(finished.folder).as_posix() for path in shown_files(results)]
    assert set(found) == {*files, "results/index.html"}
    for path in files:
        caption = plain(found[path]["caption"])
        assert "System Message" not in caption and "problematic" not in found[path]["caption"]
        source = (finished.folder / path).with_suffix(".md")
        apart = source.with_stem(f"{source.stem}_caption")
        if path.endswith(".png"):
            wanted = [(apart if apart.exists() else source).read_text()]
        else:
            wanted = [read_markdown(source).caption, *read_markdown(source).notes]
        for text in wanted:
            assert " ".join(text.split()).replace("<", "&lt;").replace(">", "&gt;") in caption
        assert found[path]["labels"]["file"] == Path(path).suffix[1:]
    folders = {str(Path(path).parent.relative_to("results")) for path in files}
    titles = {section(folder).title for folder in folders}
    assert set(categories) == {*titles, "All on one page"}


def test_snakemakes_report_opens(finished, reported):
    del reported
    with open_page(finished.folder / "report.html") as opened:
        opened.page.get_by_text("RQ5 Entities").click()
        opened.page.get_by_text("Figures", exact=True).click()
        assert opened.page.get_by_text("Figure 19").count()
        assert not opened.problems


def test_marks_for_the_report_rerun_nothing(finished):
    artifacts = finished.folder / "rules/artifacts.smk"
    marked = artifacts.read_text()
    assert "if path.endswith(forms)" in marked
    try:
        artifacts.write_text(marked.replace("if path.endswith(forms)", "if False"))
        assert finished.planned() == {}
    finally:
        artifacts.write_text(marked)
