"""The page of a recorded game in Chromium, from the disk: by clicks and by keys."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import Window, needs_chromium
from pictures import texts as texts_of
from playwright.sync_api import Browser, BrowserContext, Page, expect

from mhing import Game
from mhing.analysis import Analysis
from mhing.data import Games, write_jsonl
from mhing.records import Record
from mhing.web.film import Film, films
from mhing.web.judged import judgement, places
from mhing.web.replay import page as page_of

pytestmark = [pytest.mark.once, needs_chromium]
READY = "html[data-ready]"
PAINTED_AND_WRITTEN = """(svg) => {
  const isColor = ({ name, value }) => /^(fill|stroke)$/.test(name) && value[0] === "#";
  const usual = (one) => one.value === "0" || isColor(one);
  const said = (node) => [
    node.localName, node.children.length ? "" : node.textContent,
    [...node.attributes].filter((one) => !usual(one))
      .map(({ name, value }) => `${name}=${value}`).sort(),
  ];
  const parts = (root, canvas) => {
    const used = [...canvas].map((one) => one.getAttribute("href")).filter(Boolean);
    const sprites = [...new Set(used)].sort().map((href) => root.querySelector(href));
    const all = sprites.flatMap((one) => [one, ...one.querySelectorAll("*")]);
    return [...all, ...canvas].map(said);
  };
  const written = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const shown = document.querySelector(".table svg");
  const isPainted = ({ localName }) => !/^(title|defs)$/.test(localName);
  const behind = [...written.children].filter(isPainted);
  return [parts(shown, shown.querySelector(":scope > g").children), parts(written, behind)];
}"""
"""The page's elements made of rows, and a browser's of the document: names, texts, and attributes
but for colours that a class names and what is usual."""
SIZES = {"narrow": (360, 740), "wide": (1280, 900), "4K": (3840, 2160)}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Film]]:
    """A page, and what is in it."""
    folder = tmp_path_factory.mktemp("replay")
    write_jsonl(folder / "one.jsonl", Games("mhing", ["expert", "random"], games=1, seed=4))
    record = Record(folder / "one.jsonl")
    made = films(record, [None, 0, 1, 2, 3])
    html = page_of(record, made, Analysis(record, "expert"))
    (folder / "one.html").write_text(html, encoding="utf-8")
    return folder / "one.html", made


@pytest.fixture(scope="module")
def said(game: tuple[Path, list[Film]]) -> Any:
    """The expert's judgement of it."""
    record = Record(game[0].with_suffix(".jsonl"))
    return judgement(Analysis(record, "expert"), game[1])


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with Window(browser) as window:
        yield window.context


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
    page.keyboard.press("m")  # the picture is called by its title alone
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


@pytest.mark.slow
def test_every_frame_is_painted_as_it_is(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    page = open_page(context, path, "#view=2")
    page.keyboard.press("m")
    film = made[3]
    for number, frame in enumerate(film.frames):
        painted, written = page.evaluate(PAINTED_AND_WRITTEN, frame.scene.to_svg())
        assert painted == written
        assert len(painted) > len(frame.scene.rows())
        texts = page.locator(".table svg > g > text").all_text_contents()
        assert texts == [text.text for text in texts_of(frame.scene)]
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
    expect(line).to_have_attribute("aria-current", "step")
    page.keyboard.press("End")
    expect(page.locator(".log [aria-current]")).to_have_count(1)
    expect(lines.last).to_have_attribute("aria-current", "step")


def asked_in(film: Film, numbers: dict[int, int], wanted: set[int]) -> list[int]:
    """The frames in which one of these decisions is made."""
    return [
        place
        for place, frame in enumerate(film.frames)
        if wanted & {numbers[number] for number in frame.asked}
    ]


def test_the_next_one_of_a_kind(
    context: BrowserContext, game: tuple[Path, list[Film]], said: Any
) -> None:
    path, made = game
    mistakes = {number for player in said["players"] for number in player["mistakes"]}
    costly = asked_in(made[0], places(made), mistakes)
    claims = [number for number, frame in enumerate(made[0].frames) if "claim" in frame.kinds]
    page = open_page(context, path)
    expect(page.get_by_label("Find")).to_have_value("mistake")
    for wanted in costly:
        page.keyboard.press("n")
        assert place(page) == wanted
        expect(page.locator(".judgement")).to_contain_text("expert plays")
    page.keyboard.press("n")
    page.keyboard.press("p")
    assert place(page) == costly[-2]
    page.get_by_role("button", name="To the next one").click()
    assert place(page) == costly[-1]
    page.get_by_role("button", name="To the previous one").click()
    assert place(page) == costly[-2]
    page.locator(".kind").select_option("claim")
    page.keyboard.press("Home")
    page.get_by_role("button", name="To the next one").click()
    assert place(page) == claims[0]


@pytest.mark.slow
def test_all_moves_of_a_decision_are_compared(
    context: BrowserContext, game: tuple[Path, list[Film]], said: Any
) -> None:
    path, made = game
    numbers = places(made)
    page = open_page(context, path)
    for frame in made[0].frames:
        tables = page.locator(".values table")
        assert tables.count() == len(frame.asked)
        for table, number in zip(tables.all(), frame.asked, strict=True):
            decision = said["decisions"][numbers[number]]
            texts = table.locator("tbody th").all_text_contents()
            wanted = [move["text"] for move in decision["moves"]]
            assert all(text.startswith(move) for text, move in zip(texts, wanted, strict=True))
            assert "expert" in texts[0]
            assert "played" in texts[decision["played"]]
            values = table.locator("tbody tr td:nth-of-type(1)").all_text_contents()
            assert values == [f"{move['value']:.2f}" for move in decision["moves"]]
            lost = table.locator("tbody tr td:nth-of-type(2)").all_text_contents()
            assert lost == [
                f"{move['loss']:.2f}" * (move["loss"] > 0) for move in decision["moves"]
            ]
        page.keyboard.press("ArrowRight")


@pytest.mark.slow
def test_values_stand_on_the_cards(
    context: BrowserContext, game: tuple[Path, list[Film]], said: Any
) -> None:
    path, made = game
    numbers = places(made)
    page = open_page(context, path)
    for frame in made[0].frames:
        decisions = [said["decisions"][numbers[number]] for number in frame.asked]
        wanted = [value for decision in decisions for value in on_cards(page, decision)]
        assert page.locator(".badge").all_text_contents() == wanted
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert page.locator(".badge").count() > 0
    page.keyboard.press("m")
    assert page.locator(".badge").count() == 0
    expect(page.locator(".table")).to_have_attribute("aria-label", made[0].frames[0].scene.title)
    page.get_by_label("Judgement on the cards").click()
    assert page.locator(".badge").count() > 0


def test_a_policy_shows_how_likely_it_plays_each_card(
    context: BrowserContext, game: tuple[Path, list[Film]], tmp_path: Path
) -> None:
    record = Record(game[0].with_suffix(".jsonl"))
    analysis = Analysis(record, Even())
    path = tmp_path / "policy.html"
    path.write_text(page_of(record, game[1], analysis), encoding="utf-8")
    page = open_page(context, path)
    first = analysis.played[0].decision
    share = f"{1 / len(first.actions):.0%}"
    expect(page.locator(".values thead")).to_have_text("movelikely")
    assert page.locator(".values td").all_text_contents() == [share] * len(first.actions)
    assert {*page.locator(".badge").all_text_contents()} == {share}
    expect(page.locator(".table")).to_have_attribute(
        "aria-label", re.compile(f" {share}, .* {share}")
    )
    expect(page.locator(".graph")).to_be_hidden()
    expect(page.locator(".judgement")).not_to_contain_text("loses")


class Even:
    """Finds all actions alike."""

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        return int(np.flatnonzero(mask)[0])

    def probabilities(self, observations: Any, masks: Any) -> Any:
        return masks / masks.sum(1, keepdims=True)


def on_cards(page: Page, decision: dict[str, Any]) -> list[str]:
    """The marks on the hand: on each card how far the best move with it is below the best."""
    best: dict[str, str] = {}
    for place, move in enumerate(decision["moves"]):
        if len(move["cards"]) == 1 and move["value"] is not None:
            digits = 2 if move["loss"] < 9.995 else 1
            lost = f"\N{MINUS SIGN}{move['loss']:.{digits}f}"
            best.setdefault(move["cards"][0], lost if place else "best")
    label = page.locator(".table").get_attribute("aria-label") or ""
    assert label.endswith(", ".join(f"{card} {words}" for card, words in best.items()))
    seat = f'[data-seat="{decision["seat"]}"]'
    hand = page.locator(f"[data-zone=hand]{seat}, [data-zone=drawn]{seat}").all()
    cards = [card.get_attribute("data-card") or "" for card in hand]
    assert best.keys() <= {*cards}
    return [best[card] for card in cards if card in best]


def test_of_the_moves_with_a_card_the_best_one_counts(
    context: BrowserContext, tmp_path: Path
) -> None:
    """In Mexican Rummy a card that may be laid may be discarded as well."""
    write_jsonl(tmp_path / "one.jsonl", Games("mexican_rummy", ["greedy"], games=1, seed=1))
    analysis = Analysis(Record(tmp_path / "one.jsonl"), "net")
    made = films(analysis.record, [0])
    (tmp_path / "one.html").write_text(page_of(analysis.record, made, analysis), encoding="utf-8")
    decisions = judgement(analysis, made)["decisions"]
    numbers = places(made)
    page, tried = open_page(context, tmp_path / "one.html"), 0
    for place, frame in enumerate(made[0].frames):
        for decision in (decisions[numbers[number]] for number in frame.asked):
            cards = [move["cards"][0] for move in decision["moves"] if move["cards"]]
            if len({*cards}) < len(cards):
                page.locator(".place").fill(str(place))
                assert page.locator(".badge").all_text_contents() == on_cards(page, decision)
                tried += 1
    assert tried > 0


def test_the_way_back_leads_to_where_one_was(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    page = open_page(context, game[0], "#frame=7&view=1")
    page.locator(".worst button").first.click()
    assert place(page) != 7
    page.keyboard.press("ArrowRight")
    page.keyboard.press("b")
    expect(page.locator(".place")).to_have_value("7")
    assert "#frame=7&view=1" in page.url


def test_the_worst_moves_come_first_and_lead_there(
    context: BrowserContext, game: tuple[Path, list[Film]], said: Any
) -> None:
    path, made = game
    page = open_page(context, path)
    decisions = said["decisions"]
    losses = {
        number: decisions[number]["moves"][decisions[number]["played"]]["loss"]
        for player in said["players"]
        for number in player["mistakes"]
    }
    worst = max(losses, key=losses.__getitem__)
    lines = page.locator(".worst button")
    assert lines.count() == len(losses)
    expect(lines.first).to_contain_text(f"loses {losses[worst]:.2f}")
    lines.first.click()
    assert [place(page)] == asked_in(made[0], places(made), {worst})
    rows = page.locator(".counts tbody tr").all()
    for row, player in zip(rows, said["players"], strict=True):
        cells = row.locator("td").all_text_contents()
        counts = [player["decisions"], player["agreed"], len(player["mistakes"])]
        assert cells == [*map(str, counts), f"{player['lost']:.2f}"]
    page.keyboard.press("v")  # a seat has its own alone
    assert lines.count() == len(said["players"][0]["mistakes"])


def test_the_graph_leads_to_decisions(
    context: BrowserContext, game: tuple[Path, list[Film]], said: Any
) -> None:
    path, made = game
    numbers = places(made)
    asked = [(at, numbers[n]) for at, frame in enumerate(made[0].frames) for n in frame.asked]
    page = open_page(context, path)
    dots = page.locator(".graph circle")
    assert dots.count() == len(asked)
    mistakes = {number for player in said["players"] for number in player["mistakes"]}
    assert page.locator(".graph circle.mistake").count() == len(mistakes)
    for which in (3, len(asked) - 1, 0):
        box = dots.nth(which).bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert place(page) == asked[which][0]
    graph = page.get_by_role("slider", name="What is expected")
    graph.focus()
    for key, which in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", -1)]:
        page.keyboard.press(key)
        assert place(page) == asked[which][0]
        text = said["decisions"][asked[which][1]]["moves"][0]["text"]
        shown = graph.get_attribute("aria-valuetext")
        assert shown is not None
        assert text in shown


def test_other_eyes_see_the_same_moment(
    context: BrowserContext, game: tuple[Path, list[Film]]
) -> None:
    path, made = game
    page = open_page(context, path, "#frame=20&view=open")
    reported = sum(len(frame.kinds) for frame in made[0].frames[:21])
    for seat in (0, 1, 2, 3):
        page.keyboard.press("v")
        assert f"view={seat}" in page.url
        shown = made[seat + 1].frames[: place(page) + 1]
        assert sum(len(frame.kinds) for frame in shown) == reported
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


@pytest.mark.slow
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


def test_on_a_telephone_the_picture_stays_in_sight_and_can_be_enlarged(
    browser: Browser, game: tuple[Path, list[Film]]
) -> None:
    width, height = SIZES["narrow"]
    with Window(browser, viewport={"width": width, "height": height}) as window:
        page = open_page(window.context, game[0])
        page.keyboard.press("End")
        assert page.evaluate("() => scrollY") == 0
        log, line = page.locator(".log").bounding_box(), page.locator(".log [aria-current]")
        box = line.bounding_box()
        assert log is not None
        assert box is not None
        assert log["y"] <= box["y"] < log["y"] + log["height"] - box["height"] + 1
        picture = page.locator(".table svg")
        for wanted in (860, width - 2 * 8):
            page.locator(".table").click()
            expect(picture).to_have_css("width", f"{wanted}px")
            assert page.evaluate("() => document.documentElement.scrollWidth") == width


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_it_fits_and_all_can_use_it(
    browser: Browser, game: tuple[Path, list[Film]], size: str, scheme: str
) -> None:
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    with Window(browser, viewport=viewport, color_scheme=scheme) as window:
        page = open_page(window.context, game[0], "#frame=30")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        for button in page.locator("button, select").all():
            box = button.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 24  # WCAG 2.2, 2.5.8
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        if size != "4K":
            found = Axe().run(page)
            serious = [one["id"] for one in found.response["violations"]]
            assert serious == []


@pytest.mark.slow
@pytest.mark.parametrize("size", ["narrow", "wide"])
def test_a_game_of_rounds_has_its_sheet(browser: Browser, tmp_path: Path, size: str) -> None:
    """It scrolls by itself, so the page is as wide as the window; a round alone has none."""
    game = Game("general_mhing", episode="game")
    write_jsonl(tmp_path / "one.jsonl", Games(game, ["greedy"], games=1, seed=4))
    record = Record(tmp_path / "one.jsonl")
    (tmp_path / "one.html").write_text(page_of(record, films(record, [None])), encoding="utf-8")
    sheet = record.sheet()
    assert sheet is not None
    width, height = SIZES[size]
    with Window(browser, viewport={"width": width, "height": height}) as window:
        page = open_page(window.context, tmp_path / "one.html")
        lines = page.locator(".sheet tr")
        cells = [line.locator("th, td").all_inner_texts() for line in lines.all()]
        assert cells[0] == ["round", *map(str, sheet.rounds)]
        written = [line[1:] for line in cells[2:] if len(line) > 1]
        assert written == [
            ["" if value is None else str(value) for value in row.values] for row in sheet.rows
        ]
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []


def test_a_round_alone_has_no_sheet(context: BrowserContext, game: tuple[Path, list[Film]]) -> None:
    expect(open_page(context, game[0]).locator(".scores")).to_be_hidden()
