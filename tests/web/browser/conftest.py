"""One real browser and one running explorer for each file of tests.

Where no browser is installed, these tests are skipped. If the environment variable HANNAN_BROWSER is `required`, a
missing browser is a failure.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hannan.bench.browser import Explorer, browser, browser_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page
    from playwright.sync_api._generated import LocatorAssertions

FIGURES = Path(__file__).parents[3] / "docs" / "figures"

Shoot = Callable[["Page", str], None]


def missing() -> str | None:
    """Say what the tests lack; None: nothing."""
    if importlib.util.find_spec("playwright") is None:
        return "no browser test: the package playwright is not installed"
    if browser_program() is None:
        return "no browser test: no Chromium is installed (apt-get install chromium)"
    return None


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    lacking = missing()
    if lacking and os.environ.get("HANNAN_BROWSER") == "required":
        pytest.fail(lacking)
    if lacking:
        pytest.skip(lacking)
    with browser() as opened:
        yield opened


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page of 1280 by 720 that must not complain: no error, and nothing that the policy of the server forbids."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # refusals are shown in the page
            complaints.append(message.text)

    opened.on("console", note)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


@pytest.fixture
def shoot() -> Shoot:
    """Take a picture for the documentation, if HANNAN_FIGURES is set."""

    def take(page: Page, name: str) -> None:
        if os.environ.get("HANNAN_FIGURES"):
            page.evaluate("document.querySelector('main').scrollTop = 0")
            page.mouse.move(0, 719)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FIGURES / f"explorer_{name}.png")

    return take


def opened(page: Page, server: Explorer, fragment: str) -> None:
    """Open a view with the address that the server printed."""
    page.goto(f"{server.url}#/{fragment}")
    page.wait_for_selector("nav.rail")


def expect(locator: Locator) -> LocatorAssertions:
    """Assert something about an element, waiting up to 20 seconds until it holds.

    A page draws a moment after it has its data, so an assertion that reads the page once can fail on a busy machine.
    """
    from playwright.sync_api import expect as assertions

    assertions.set_options(timeout=20_000)
    return assertions(locator)
