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
_FAINT = """() => {
  const rgba = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || !node.checkVisibility() || node.closest("script")) continue;
    const [a, b] = [rgba(getComputedStyle(node).color), ground(node)].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < LEAST) found.push(`${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return found;
}"""
_LEAST_CONTRAST = 4.5
"""Of text with its ground (WCAG 2.2, 1.4.3)."""
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

    def faint(self) -> list[str]:
        """Texts that can hardly be told from their ground, with the ratio of contrast."""
        result: list[str] = self.page.evaluate(_FAINT.replace("LEAST", str(_LEAST_CONTRAST)))
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
