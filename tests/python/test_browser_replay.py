"""The page of a recorded game in Chromium, from the disk: by clicks and by keys."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from mhing.analysis import Analysis
from mhing.data import Games, write_jsonl
from mhing.records import Record
from mhing.web.film import Film, films
from mhing.web.replay import page as page_of

PROGRAM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium: .ci/setup browser")
READY = "html[data-ready]"
SIZES = {"narrow": (360, 740), "wide": (1280, 900), "4K": (3840, 2160)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Film]]:
    """A page, and what is in it."""
    folder = tmp_path_factory.mktemp("replay")
    write_jsonl(folder / "one.jsonl", Games("mhing", ["expert", "random"], games=1, seed=4))
    record = Record(folder / "one.jsonl")
    made = films(record, [None, 0, 1, 2, 3], Analysis(record, "expert"))
    (folder / "one.html").write_text(page_of(record, made), encoding="utf-8")
    return folder / "one.html", made


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A new window, in which nothing may be said on the console."""
    opened = browser.new_context()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("weberror", lambda error: said.append(str(error.error)))
    yield opened
    opened.close()
    assert said == []


def open_page(context: BrowserContext, path: Path, fragment: str = "") -> Page:
    page = context.new_page()
    page.goto(f"{path.as_uri()}{fragment}")
    page.wait_for_selector(READY, state="attached")
    return page


def place(page: Page) -> int:
    return int(page.locator(".place").input_value())


def test_keys_step_through_the_frames(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    last = len(made[0].frames) - 1
    page = open_page(context, path)
    assert place(page) == 0
    for key, wanted in [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last),
        ("Home", 0), ("ArrowLeft", 0),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert place(page) == wanted
        assert f"#frame={wanted}&view=open" in page.url
        expect(page.locator(".count")).to_have_text(f"{wanted} of {last}")
        title = made[0].frames[wanted].scene.title
        expect(page.locator(".table")).to_have_attribute("aria-label", title)


def test_every_frame_is_painted_as_it_is(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    page = open_page(context, path, "#view=2")
    film = made[3]
    for number, frame in enumerate(film.frames):
        assert page.locator(".table svg > g > *").count() == len(frame.scene.shapes) + 1
        texts = page.locator(".table svg > g > text").all_text_contents()
        assert texts == [shape.text for shape in frame.scene.shapes if hasattr(shape, "text")]
        assert place(page) == number
        page.keyboard.press("ArrowRight")


def test_buttons_do_what_keys_do(context: BrowserContext, game: tuple[Path, list[Film]]) -> None:
    path, made = game
    last = len(made[0].frames) - 1
    page = open_page(context, path)
    for name, wanted in [("On", 1), ("To the end", last), ("Back", last - 1), ("To the deal", 0)]:
        page.get_by_role("button", name=name, exact=True).click()
        assert place(page) == wanted
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_disabled()
    page.locator(".place").fill("7")
    expect(page.locator(".count")).to_have_text(f"7 of {last}")
    page.get_by_role("button", name="Keys").click()
    expect(page.locator(".keys")).to_be_visible()


def test_a_line_of_the_log_leads_to_its_frame(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    page = open_page(context, path)
    lines = page.locator(".log button")
    line = lines.nth(10)
    wanted = int(line.get_attribute("data-place") or "")
    assert line.text_content() == "; ".join(made[0].frames[wanted].words)
    line.click()
    assert place(page) == wanted
    expect(page.locator(".log [aria-current]")).to_have_count(1)
    expect(line).to_have_attribute("aria-current", "step")


def test_the_next_one_of_a_kind(context: BrowserContext, game: tuple[Path, list[Film]]) -> None:
    path, made = game
    costly = [number for number, frame in enumerate(made[0].frames) if frame.is_costly]
    claims = [number for number, frame in enumerate(made[0].frames) if "claim" in frame.kinds]
    page = open_page(context, path)
    for wanted in costly:
        page.keyboard.press("n")
        assert place(page) == wanted
        expect(page.locator(".judgement")).to_have_text(" ".join(made[0].frames[wanted].judgement))
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert place(page) == costly[-2]
    page.locator(".kind").select_option("claim")
    page.keyboard.press("Home")
    page.get_by_role("button", name="To the next one").click()
    assert place(page) == claims[0]


def test_other_eyes_see_the_same_moment(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    page = open_page(context, path, "#frame=20&view=open")
    told = sum(len(frame.kinds) for frame in made[0].frames[:21])
    for seat in (0, 1, 2, 3):
        page.keyboard.press("v")
        assert f"view={seat}" in page.url
        shown = made[seat + 1].frames[: place(page) + 1]
        assert sum(len(frame.kinds) for frame in shown) == told
    page.get_by_label("Seen by").select_option("all cards open")
    assert "view=open" in page.url


def test_a_link_leads_to_its_frame(context: BrowserContext, game: tuple[Path, list[Film]]) -> None:
    page = open_page(context, game[0], "#frame=11&view=3")
    assert place(page) == 11
    expect(page.get_by_label("Seen by")).to_have_value("4")
    page.evaluate("() => { location.hash = '#frame=5&view=1'; }")
    expect(page.locator(".place")).to_have_value("5")
    expect(page.get_by_label("Seen by")).to_have_value("2")
    page.evaluate("() => { location.hash = '#frame=nonsense&view=9'; }")
    expect(page.locator(".place")).to_have_value("0")
    expect(page.get_by_label("Seen by")).to_have_value("2")


def test_it_plays_to_the_end_and_stops(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    last = len(made[0].frames) - 1
    page = open_page(context, path, f"#frame={last - 2}")
    page.get_by_label("Speed").select_option("4")
    page.locator("body").press(" ")
    expect(page.locator(".play")).to_have_text("Stop")
    expect(page.locator(".place")).to_have_value(str(last))
    expect(page.locator(".play")).to_have_text("Play")
    page.locator("body").press(" ")  # again, from the deal on
    expect(page.locator(".play")).to_have_text("Stop")
    page.locator("body").press(" ")
    assert place(page) < last


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_it_fits_and_all_can_use_it(
    browser: Browser, game: tuple[Path, list[Film]], size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = open_page(context, game[0], "#frame=30")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    for button in page.locator(".row button, .row select").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 24  # WCAG 2.2, 2.5.8
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if size != "4K":
        found = Axe().run(page)
        serious = [one["id"] for one in found.response["violations"]]
        assert serious == []
    context.close()
