"""A finished run as people see it: the page of results in a browser, and Snakemake's report."""

import json
import re
from pathlib import Path

import pytest
from browser import WIDTHS, open_page

from tabbench.reporting.page.questions import QUESTIONS, section
from tabbench.reporting.reader import read_markdown

pytestmark = pytest.mark.slow

LARGEST_PAGE = 15e6


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
        assert page.locator("img").count() == len(list(results.glob("*/*.png"))) > 0
        loaded = page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
        assert loaded
        assert opened.overflow() == 0
        links = page.locator("nav a").all()
        assert links
        for link in links:
            assert page.locator(link.get_attribute("href")).count() == 1
        broken = [
            href
            for href in page.evaluate("[...document.links].map((one) => one.getAttribute('href'))")
            if not href.startswith("#") and not (results / href).exists()
        ]
        assert not broken
        assert not opened.problems


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
