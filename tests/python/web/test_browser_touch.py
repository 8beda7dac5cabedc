"""`mhing web` on telephones, in Chromium: what is in sight, and what a finger does."""

from __future__ import annotations

import json

import pytest
from chromium import (
    NARROW,
    WAITING,
    WIDE,
    Pages,
    click_one,
    hand,
    is_over,
    needs_chromium,
    number,
    wait_after,
)
from playwright.sync_api import Browser, Locator, Page, expect
from web_process import WebProcess

pytestmark = [pytest.mark.once, needs_chromium]
ON_ITS_SIDE = {"width": 740, "height": 360}
GAMES = ["mhing", "general_mhing", "mexican_rummy", "leduc"]


def is_in_sight(part: Locator, size: dict[str, int]) -> bool:
    box = part.bounding_box()
    assert box
    across = box["x"] >= -1 and box["x"] + box["width"] <= size["width"] + 1
    return across and box["y"] >= -1 and box["y"] + box["height"] <= size["height"] + 1


def play_on(page: Page, group: str) -> Locator:
    """Plays until there is a button for a move of that kind."""
    found = page.locator(f".moves [data-group={group}]")
    for _ in range(200):
        if found.count():
            return found
        assert not is_over(page)
        click_one(page)
    raise AssertionError("there is no such move")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_telephone_shows_the_hand_and_the_moves(
    browser: Browser, web: WebProcess, game: str
) -> None:
    """And the moves, of which seed 2 has many in Mhing, cover no card."""
    with Pages(browser, web, viewport=NARROW) as pages:
        page = pages.table(game=game, seat=0, delay=0, seed="2")
        bar = page.locator(".moves").bounding_box()
        bottom = bar["y"] if bar else NARROW["height"]
        for parts, lowest in [(hand(page), bottom), (page.locator(".move"), NARROW["height"])]:
            for part in parts.all():
                box = part.bounding_box()
                assert box
                assert box["y"] + box["height"] <= lowest


def test_a_narrow_page_gets_no_wide_picture(browser: Browser, web: WebProcess) -> None:
    widths: list[int] = []

    def take(payload: str | bytes) -> None:
        message = json.loads(payload)
        widths.extend([message["frame"]["width"]] if message["kind"] == "view" else [])

    with Pages(browser, web, viewport=NARROW) as pages:
        page = pages.context.new_page()
        page.on("websocket", lambda line: line.on("framereceived", take))
        page.goto(f"{web.address}/at/{web.begin(game='general_mhing', seat=0, delay=0)}")
        page.wait_for_selector(WAITING, state="attached")
        assert {*widths} == {360}
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        expect(page.locator(".board svg")).to_have_attribute("viewBox", "0 0 960 720")


@pytest.mark.parametrize("game", GAMES)
def test_a_telephone_on_its_side_shows_the_hand_and_the_moves(
    browser: Browser, web: WebProcess, game: str
) -> None:
    with Pages(browser, web, viewport=ON_ITS_SIDE) as pages:
        page = pages.table(game=game, seat=0, delay=0, seed="2")
        for part in [*hand(page).all(), *page.locator(".moves .move").all()[:3]]:
            assert is_in_sight(part, ON_ITS_SIDE)


@pytest.mark.slow
@pytest.mark.parametrize("size", [NARROW, ON_ITS_SIDE])
def test_pass_is_in_sight_however_many_claims_there_are(
    browser: Browser, web: WebProcess, size: dict[str, int]
) -> None:
    """The others scroll below it."""
    most = 0
    with Pages(browser, web, viewport=size) as pages:
        page = pages.table(game="mhing", seat=0, delay=0, seed="2")
        for _ in range(6):
            passing = play_on(page, "pass")
            assert is_in_sight(passing, size)
            most = max(most, page.locator(".moves .move").count())
            before = number(page)
            page.keyboard.press("p")
            wait_after(page, before)
            if is_over(page):
                break
    assert most > 5


def test_a_finger_raises_a_card_before_it_plays_it(browser: Browser, web: WebProcess) -> None:
    with Pages(browser, web, viewport=NARROW, has_touch=True) as pages:
        page = pages.table(game="general_mhing", seat=0, delay=0, seed="1")
        play_on_hand(page)
        before = number(page)
        cards = page.locator(".board [role=button][aria-disabled=false]")
        first, second = cards.nth(0), cards.nth(1)
        first.tap()
        expect(page.locator(".raised")).to_have_count(1)
        second.tap()
        expect(second).to_have_class(f"{second.get_attribute('class')}")
        expect(page.locator(".raised")).to_have_count(1)
        assert number(page) == before
        second.tap()
        wait_after(page, before)


def play_on_hand(page: Page) -> None:
    """Plays buttons until a card is to be chosen."""
    while page.locator(".moves .move").count():
        click_one(page)
