"""A record in `mhing web` in Chromium: found in the lobby, judged, gone through and played on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import Window, needs_chromium
from playwright.sync_api import Browser, Page, expect
from web_process import WebProcess

from mhing.data import Games, write_jsonl
from mhing.render.palette import CARDS, PALETTES

pytestmark = [pytest.mark.once, needs_chromium]


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The lobby."""
    write_jsonl(tmp_path / "game.jsonl", Games("mhing", ["expert", "random"], games=2, seed=4))
    saves, record = tmp_path / "saves", str(tmp_path / "game.jsonl")
    with WebProcess(saves, record) as server, Window(browser) as window:
        opened = window.context.new_page()
        opened.goto(server.link.strip())
        yield opened


@pytest.mark.slow
def test_a_record_is_looked_at_and_played_on(page: Page) -> None:
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    assert page.url.endswith("/review/file-0/1#frame=0&view=open")
    assert page.locator(".values table").count() == 1
    page.keyboard.press("n")
    page.keyboard.press("v")
    expect(page.locator(".graph circle").first).to_be_visible()
    here = page.url
    page.reload()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    assert page.url == here
    judge = page.get_by_label("Judged by")
    expect(judge).to_have_value("net")
    judge.fill("greedy")
    judge.press("Enter")
    expect(page.locator(".notice")).to_contain_text("greedy has neither values nor probabilities")
    judge.fill("expert")
    judge.press("Enter")
    expect(page.locator(".counts caption")).to_have_text("In the judgement of expert")
    page.wait_for_selector("html[data-judged=true]", state="attached")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.get_by_label("in the seat of").select_option("expert 1")
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_selector("html[data-number]", state="attached")
    assert "/at/" in page.url
    expect(page.locator(".players")).to_contain_text("you: 0")
    page.go_back()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    assert page.url == here


@pytest.mark.slow
def test_a_telephone_has_the_upright_picture(page: Page) -> None:
    """And keeps its place when it is turned."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    picture = page.locator(".table svg")
    expect(picture).to_have_attribute("viewBox", "0 0 360 640")
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] == 360 - 2 * 8  # all of the window but its margins
    assert page.evaluate("() => document.documentElement.scrollWidth") == 360
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    badges = page.locator(".badge").all_text_contents()
    assert badges
    page.keyboard.press("v")
    page.keyboard.press("n")
    here = page.url
    page.set_viewport_size({"width": 740, "height": 360})
    expect(picture).to_have_attribute("viewBox", "0 0 960 720")
    assert page.url == here
    expect(page.get_by_label("Seen by")).to_have_value("1")
    page.keyboard.press("Home")
    page.get_by_label("Seen by").select_option("all cards open")
    expect(page.locator(".badge")).to_have_text(badges)


def test_a_record_lies_on_the_table_that_was_chosen(page: Page) -> None:
    """As the system has it, and as the page of a table was given it."""
    page.emulate_media(color_scheme="dark")
    review = page.get_by_role("link", name="look at game 1").evaluate("link => link.href")
    for chosen in ("", "light"):
        page.evaluate("chosen => localStorage.setItem('palette', chosen)", chosen)
        page.goto(review)
        page.wait_for_selector("html[data-judged=true]", state="attached")
        ground = page.locator(".table .fill-felt").first
        expect(ground).to_have_css("fill", rgb(PALETTES[chosen or "dark"]["felt"]))
        written = page.locator(".table defs .fill-ink").first
        expect(written).to_have_css("fill", rgb(CARDS["ink"]))


def rgb(color: str) -> str:
    """A colour as browsers write it."""
    return f"rgb({', '.join(map(str, bytes.fromhex(color[1:])))})"


def test_at_the_end_there_is_nothing_to_play_on(page: Page) -> None:
    page.get_by_role("link", name="look at game 1").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    page.keyboard.press("End")
    page.keyboard.press("w")
    expect(page.locator(".notice")).to_have_text("the record ends here; go back to a moment before")


GRAPH = """async (values) => {
    const { Graph } = await import("/page/graph.js");
    const place = document.querySelector(".graph");
    const film = { frames: values.map((_, number) => ({ asked: [number] })) };
    const judgement = {
        value: (number) => values[number],
        text: () => "",
        decisions: values.map(() => ({ seat: 0 })),
        mistakes: new Set(),
    };
    new Graph(place, () => {}).draw(film, judgement, ["a"]);
    return [...place.querySelectorAll("text")].map((label) => {
        const { top, bottom } = label.getBoundingClientRect();
        return [label.textContent, top, bottom];
    });
}"""


def test_labels_of_the_graph_keep_their_distance(page: Page) -> None:
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    for values, labels in [
        ([10, -0.09], ["10.0", "-0.09"]),
        ([0.2, -10], ["0.20", "-10.0"]),
        ([10, -5], ["10.0", "0.00", "-5.00"]),
        ([3, 4], ["4.00", "0.00"]),
    ]:
        shown = sorted(page.evaluate(GRAPH, values), key=lambda label: float(label[1]))
        assert [text for text, _, _ in shown] == labels
        assert all(one[2] <= other[1] + 1 for one, other in pairwise(shown))


def test_a_game_that_is_not_there_yet_is_being_read(page: Page) -> None:
    """Nothing can be asked of it before it has loaded."""
    page.add_init_script("WebSocket = EventTarget")  # a line on which nothing ever comes
    page.get_by_role("link", name="look at game 2").click()
    expect(page.locator(".progress")).to_have_text("The game is being read ...")
    expect(page.get_by_role("button", name="Play on from here")).to_be_disabled()
    expect(page.get_by_role("slider", name="Frame")).to_be_disabled()
    expect(page.get_by_label("Judged by")).to_be_disabled()
    page.keyboard.press("w")


@pytest.mark.slow
def test_each_page_of_a_review_has_its_own_judge(page: Page) -> None:
    """A second page takes nothing from the first one, and each finds its judge again."""
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("html[data-judged=true]", state="attached")
    choose(other, "expert")
    choose(page, "search:10")
    for one, judge in ((other, "expert"), (page, "search:10")):
        expect(one.locator(".notice")).to_be_empty()
        one.get_by_role("heading", level=1).click()
        expect(one.get_by_label("Judged by")).to_have_value(judge)
    other.reload()
    expect(other.get_by_label("Judged by")).to_have_value("expert")
    page.reload()
    expect(page.get_by_label("Judged by")).to_have_value("search:10")


def choose(page: Page, judge: str) -> None:
    """Lets another one judge, and waits until it has judged all."""
    page.get_by_label("Judged by").fill(judge)
    page.get_by_label("Judged by").press("Enter")
    expect(page.locator(".counts caption")).to_have_text(f"In the judgement of {judge}")
    page.wait_for_selector("html[data-judged=true]", state="attached")


@pytest.mark.slow
def test_whatever_leads_to_a_mistake_leads_to_its_decision(page: Page) -> None:
    """A line of what happened, a line of the worst, and a key: to the same frame and line."""
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    for line in page.locator(".log .bad").all():
        what = line.text_content() or ""
        line.click()
        here = page.url
        expect(line).to_have_attribute("aria-current", "step")
        expect(page.locator(".judgement")).to_contain_text(what)
        away = [("ArrowRight", "p"), ("ArrowLeft", "n")]
        for aside, back in away[: 1 if "frame=0" in here else 2]:
            page.keyboard.press(aside)
            page.keyboard.press(back)
            expect(page).to_have_url(here)
            expect(line).to_have_attribute("aria-current", "step")
    worst = page.locator(".worst button").first
    worst.click()
    mistake = page.locator(".log .bad[aria-current]").last.text_content()
    expect(worst).to_contain_text(mistake or "none")


@pytest.mark.parametrize("width", [320, 360, 414])
def test_the_tables_of_a_search_fit_a_telephone(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    choose(page, "search:100")
    assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_it_is_said_why_a_move_has_no_value(page: Page) -> None:
    page.get_by_role("link", name="look at game 2").click()
    page.wait_for_selector("html[data-judged=true]", state="attached")
    choose(page, "search:100")
    page.get_by_role("heading", level=1).click()
    untried = page.locator(".values td", has_text="\N{EN DASH}")
    while not untried.count():
        page.keyboard.press("ArrowRight")
    expect(page.locator(".values p")).to_have_text(
        "\N{EN DASH}: search:100 has not tried this move"
    )
    expect(untried.first.get_by_title("search:100 has not tried this move")).to_be_visible()
