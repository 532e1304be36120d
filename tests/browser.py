"""A page of the results in a real browser: Chromium without a network, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = (400, 1400)
"""Widths, in pixels, at which a page has to be readable: a telephone's and a screen's."""


@dataclass
class OpenPage:
    """A page with what went wrong on it so far.

    Attributes
    ----------
    page : Playwright's page
    problems : console errors, exceptions that nothing caught, failed requests, and requests
        that leave the machine (they are refused)
    """

    page: Page
    problems: list[str] = field(default_factory=list)

    def overflow(self) -> int:
        """Pixels by which the page is wider than its window; 0 when nothing sticks out."""
        result: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return result


def chromium() -> str:
    """Return the path of Chromium; skip the test where there is none, but fail under CI."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found:
        return found
    reason = f"no browser: none of {', '.join(PROGRAMS)} is installed"
    if "CI" in os.environ:
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def open_page(path: Path, width: int = 1400, height: int = 900) -> Iterator[OpenPage]:
    """Open a file in Chromium and yield it when it has loaded.

    Parameters
    ----------
    path : an HTML file
    width, height : of the window, pixels
    """
    program = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        opened = OpenPage(browser.new_page(viewport={"width": width, "height": height}))
        problems = opened.problems

        def refuse(route: Route) -> None:
            problems.append(f"request to {route.request.url}")
            route.abort()

        opened.page.route(lambda url: url.startswith(("http:", "https:", "ws:", "wss:")), refuse)
        opened.page.on(
            "console", lambda one: problems.append(one.text) if one.type == "error" else None
        )
        opened.page.on("pageerror", lambda error: problems.append(str(error)))
        opened.page.on("requestfailed", lambda one: problems.append(f"failed: {one.url}"))
        try:
            opened.page.goto(path.resolve().as_uri(), wait_until="load")
            yield opened
        finally:
            browser.close()
