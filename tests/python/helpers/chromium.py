"""Chromium, for the tests of pages: windows in which nothing may be said, and moves at a table."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright
from web_process import WebProcess

_PROGRAM = shutil.which("chromium-headless-shell") or shutil.which("chromium")

needs_chromium = pytest.mark.skipif(
    _PROGRAM is None, reason="there is no Chromium: .ci/setup browser"
)

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 360, "height": 740}


@contextmanager
def launched(*options: str) -> Iterator[Browser]:
    """The browser. Playwright's event loop runs meanwhile, so there can be no other."""
    with sync_playwright() as playwright:
        given = ["--no-sandbox", *options]
        browser = playwright.chromium.launch(executable_path=_PROGRAM, args=given)
        yield browser
        browser.close()


class Window:
    """A new window, closed at the end of a ``with``; nothing may have been said on its console.

    A test that makes the browser complain sets `expected`, which is in all that is said.
    """

    def __init__(self, browser: Browser, **settings: Any) -> None:
        self.context = browser.new_context(**{"viewport": WIDE, **settings})
        self.expected: str | None = None
        self._said: list[str] = []
        self.context.on("console", lambda message: self._said.append(message.text))
        self.context.on("weberror", lambda error: self._said.append(str(error.error)))

    def __enter__(self) -> Window:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.context.close()
        if kind is None:
            odd = [one for one in self._said if self.expected is None or self.expected not in one]
            assert not odd, odd


# ---- The page of a table ------------------------------------------------------------------------

WAITING = "html[data-asked=true], html[data-over=true]"


class Pages(Window):
    """A window with the lobby, and with what is opened from there."""

    def __init__(self, browser: Browser, web: WebProcess, **settings: Any) -> None:
        super().__init__(browser, **settings)
        self.web = web
        name, _, value = web.cookie.partition("=")
        self.context.add_cookies([{"name": name, "value": value, "url": web.address}])
        self.lobby = self.context.new_page()
        self.lobby.goto(web.link.strip())

    def table(self, **settings: object) -> Page:
        """The page of a new table; if its viewer has a seat, once that seat is asked for a move."""
        page = self.at(self.web.begin(**{"seat": 0, "delay": 0, **settings}))
        if settings.get("seat", 0) is not None:
            page.wait_for_selector(WAITING, state="attached")
        return page

    def at(self, id: str) -> Page:
        page = self.context.new_page()
        page.goto(f"{self.web.address}/at/{id}")
        page.wait_for_selector("html[data-number]", state="attached")
        return page


def number(page: Page) -> int:
    """Of the view that is shown."""
    return int(page.get_attribute("html", "data-number") or -1)


def wait_after(page: Page, before: int) -> None:
    """Until a later view is shown than the one of this number."""
    page.wait_for_function("before => document.documentElement.dataset.number > before", arg=before)


def click_one(page: Page) -> None:
    """Plays a move: by a button if there are any, else by a card, maybe through its menu."""
    before = number(page)
    buttons = page.locator(".moves .move")
    cards = page.locator(".board [role=button][aria-disabled=false]")
    (buttons.last if buttons.count() else cards.last).click()
    if page.locator(".menu .move").count():
        page.locator(".menu .move").first.click()
    wait_after(page, before)


def is_over(page: Page) -> bool:
    page.wait_for_selector(WAITING, state="attached")
    return page.get_attribute("html", "data-over") == "true"


def hand(page: Page) -> Locator:
    return page.locator(".board [role=button]")
