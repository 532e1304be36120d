"""The helper that opens pages sees what goes wrong on them."""

from pathlib import Path

import pytest
from browser import open_page

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<p>All is well.</p>", ""),
        ("<script>console.error('logged')</script>", "logged"),
        ("<script>undefinedName()</script>", "undefinedName"),
        ("<img src='missing.png'>", "missing.png"),
        ("<img src='https://example.org/picture.png'>", "example.org"),
    ],
)
def test_problems_of_a_page_are_seen(tmp_path: Path, body: str, problem: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset='utf-8'><title>T</title>{body}")
    with open_page(page) as opened:
        seen = opened.problems
    assert (problem in " ".join(seen)) if problem else not seen


def test_what_sticks_out_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><body style='margin:0'><div style='width:500px'>x</div>")
    with open_page(page, width=400) as opened:
        assert opened.overflow() == 100


def test_faint_texts_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><body style='background:#fff'><p style='color:#777'>faint</p>"
        "<p style='color:#767676'>just</p><p hidden style='color:#fff'>unseen</p>"
        "<div style='background:#333'><p style='color:#444'>dark</p></div>"
    )
    with open_page(page) as opened:
        assert [text.partition(": ")[2] for text in opened.faint()] == ["faint", "dark"]
