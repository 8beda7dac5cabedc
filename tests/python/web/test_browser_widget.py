"""Tables in a notebook's cells, in Chromium: the widget's module with models that stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from chromium import Window, needs_chromium
from notebook_page import Notebook
from playwright.sync_api import Browser, FrameLocator, Page, expect

import mhing
from mhing.web.play import PlaySession
from mhing.web.widget import TableWidget

pytestmark = [pytest.mark.once, needs_chromium]

Opened = Callable[[Sequence[TableWidget]], Notebook]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Opens widgets on a page."""
    with Window(browser, viewport={"width": 1000, "height": 1400}) as window:
        yield lambda widgets: Notebook(window.context.new_page(), widgets)


def table(game: str = "mhing", delay: float = 0.0, **settings: Any) -> TableWidget:
    widget: TableWidget = mhing.play_widget(game, **{"seed": 1, **settings})
    assert isinstance(widget._session, PlaySession)
    widget._session.delay = delay
    return widget


def wait(frame: FrameLocator, what: str) -> None:
    """Until the page of a table says so of itself."""
    frame.locator(f"html[{what}]").wait_for(state="attached")


def moves(frame: FrameLocator) -> Any:
    """Things to click for a move: buttons, and cards with one move."""
    return frame.locator("[data-action]")


def number(frame: FrameLocator) -> str:
    return str(frame.locator("html").get_attribute("data-number"))


@pytest.mark.slow
def test_a_round_is_played_by_clicks(opened: Opened) -> None:
    widget = table("general_mhing")
    frame = opened([widget]).show(0)
    while not widget.view["over"]:
        wait(frame, "data-asked=true")
        before = number(frame)
        moves(frame).first.click()
        frame.locator(f"html:not([data-number='{before}'])").wait_for(state="attached")
        frame.locator("html[data-asked=true], html[data-over=true]").wait_for(state="attached")
    expect(frame.locator(".result")).not_to_be_empty()
    frame.locator("[data-do=next]").click()
    wait(frame, "data-over=false")
    assert not widget.view["result"]


def test_a_picture_has_all_its_sprites_however_often_it_is_loaded(opened: Opened) -> None:
    widget = table()
    notebook = opened([widget])
    frame = notebook.show(0)
    click_one(frame)
    assert lost_sprites(frame) == []
    ids = frame.locator("defs > *").evaluate_all("(all) => all.map((one) => one.id)")
    assert len({*ids}) == len(ids)
    notebook.page.evaluate(
        "() => { const f = document.querySelector('iframe'); f.parentElement.append(f); }"
    )
    wait(frame, f"data-number='{widget.view['number']}'")
    assert lost_sprites(frame) == []


def click_one(frame: FrameLocator) -> None:
    """Play a move, and wait for the next question: until it is answered, nothing happens."""
    known = number(frame)
    moves(frame).first.click()
    asked = frame.locator(f"html[data-asked=true]:not([data-number='{known}'])")
    asked.wait_for(state="attached")


def lost_sprites(frame: FrameLocator) -> list[str]:
    """The sprites that are used and are not there."""
    lost: list[str] = frame.locator("html").evaluate(
        """(html) => [...html.querySelectorAll('use')].map((use) => use.getAttribute('href'))
          .filter((name) => !html.querySelector(name))"""
    )
    return lost


@pytest.mark.slow
def test_two_tables_and_one_that_is_shown_twice(opened: Opened) -> None:
    one, other = table(), table("leduc")
    notebook = opened([one, other])
    first, second, again = notebook.show(0), notebook.show(1), notebook.show(0)
    before = number(second)
    for clicked, shown in ((first, again), (again, first)):
        click_one(clicked)
        wait(shown, f"data-number='{one.view['number']}'")
    assert number(second) == before
    expect(second.locator("h1")).to_have_text("Leduc poker")


def test_keys_are_the_tables_only_while_it_has_the_focus(opened: Opened) -> None:
    widget = table()
    notebook = opened([widget])
    frame = notebook.show(0)
    page = notebook.page
    page.evaluate(
        """() => {
          document.body.append(document.createElement("textarea"));
          window.keys = [];
          document.addEventListener("keydown", (event) => window.keys.push(event.key), true);
        }"""
    )
    page.locator("textarea").focus()
    page.keyboard.press("h")
    expect(frame.locator(".advice")).to_be_empty()
    assert keys(page) == ["h"]
    frame.locator("main").focus()
    page.keyboard.press("h")
    expect(frame.locator(".advice caption")).to_contain_text("would play")
    page.keyboard.press("x")
    assert keys(page) == ["h"]
    assert page.locator("textarea").input_value() == "h"


def keys(page: Page) -> list[str]:
    """The messages that the notebook has heard."""
    heard: list[str] = page.evaluate("() => window.keys")
    return heard


@pytest.mark.slow
def test_bots_go_on_by_themselves_while_they_are_watched(opened: Opened) -> None:
    widget = table("general_mhing", seat=None)
    notebook = opened([widget])
    notebook.show(0)
    twice = notebook.show(0)
    wait(twice, "data-over=true")
    assert widget.view["over"]


def test_a_table_that_is_shown_no_longer_waits(opened: Opened) -> None:
    notebook = opened([table(seat=None, delay=1000.0)])
    clock = notebook.page.clock
    clock.install()
    notebook.page.evaluate("async () => { window.end = await window.show(0); }")
    notebook.wait(answered=2)
    assert {request["do"] for request in notebook.heard} == {"wait", "shape"}
    clock.fast_forward(1_001_000)
    notebook.wait(answered=3)
    assert notebook.heard[-1]["do"] == "tick"
    notebook.page.evaluate("() => window.end()")
    clock.fast_forward(1_001_000)
    assert len(notebook.heard) == 3


def test_a_kernel_that_was_started_anew(opened: Opened) -> None:
    notebook = opened([table()])
    frame = notebook.show(0)
    notebook.page.evaluate("() => { window.kernelIsGone = true; }")
    moves(frame).first.click()
    expect(frame.locator(".notice")).to_contain_text("run the cell again")


def test_a_kernel_that_does_not_answer(opened: Opened) -> None:
    widget = table()
    notebook = opened([widget])
    notebook.page.clock.install()
    frame = notebook.show(0)
    notebook.alive = False
    before = number(frame)
    moves(frame).first.click()
    notebook.wait_for_request("play")
    expect(frame.locator(".notice")).to_be_empty()
    notebook.page.clock.fast_forward(6000)
    expect(frame.locator(".notice")).to_contain_text("The kernel does not answer")
    assert number(frame) == before
    notebook.alive = True
    moves(frame).first.click()
    wait(frame, "data-asked=true")
    frame.locator(f"html:not([data-number='{before}'])").wait_for(state="attached")
    expect(frame.locator(".notice")).to_be_empty()
