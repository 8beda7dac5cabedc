"""`mhing web` in Chromium: rounds by clicks and by keys, and what else a page must stand."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from statistics import median

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import (
    NARROW,
    WIDE,
    Pages,
    click_one,
    hand,
    is_over,
    needs_chromium,
    number,
    wait_after,
)
from playwright.sync_api import Browser, Error, Page, Route, expect
from web_process import COOKIE, WebProcess

import mhing
from mhing.render.palette import PALETTES
from mhing.web.guard import browser_of
from mhing.web.play import begin
from mhing.web.saves import Saves

pytestmark = [pytest.mark.once, needs_chromium]
GAMES = ["mhing", "general_mhing", "mexican_rummy", "leduc"]
JAVASCRIPT = 60_000  # bytes of all pages of the application together
TARGET = 24  # CSS pixels, see WCAG 2.2, 2.5.8


@pytest.fixture
def pages(browser: Browser, web: WebProcess) -> Iterator[Pages]:
    with Pages(browser, web) as opened:
        yield opened


def press_one(page: Page) -> None:
    """Plays a move by keys: a letter, or along the hand and Enter."""
    before = number(page)
    buttons = page.locator(".moves .move")
    if buttons.count():
        page.keyboard.press(buttons.last.get_attribute("data-letter") or "")
    else:
        while page.locator(".board [aria-disabled=false]:focus").count() == 0:
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        if page.locator(".menu .move").count():
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
    wait_after(page, before)


# ---- Whole rounds -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_round_by_clicks(pages: Pages, game: str) -> None:
    """From the lobby to the next round; how long each click takes is printed."""
    page = pages.lobby
    page.locator("[name=game]").select_option(game)
    page.get_by_text("More").click()
    page.locator("[name=delay]").fill("0")
    page.locator("[name=seed]").fill("7")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("html[data-number]", state="attached")
    painted = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"
    )
    expect(page.get_by_role("heading", level=1)).to_have_text(mhing.Game(game).title)
    times = []
    while not is_over(page):
        expect(page.locator(".status")).to_have_text("Your move")
        click_one(page)
        times.append(int(page.get_attribute("html", "data-painted") or 0))
    expect(page.locator(".status")).to_have_text("The round is over")
    expect(page.locator(".result")).not_to_be_empty()
    assert page.locator(".moves .move").count() == 0
    for card in hand(page).all():  # none glows as if it could be played
        expect(card).to_have_css("filter", "none")
        expect(card).to_have_css("outline-style", "none")
    before = number(page)
    page.get_by_role("button", name="Next").click()
    wait_after(page, before)
    # The next deal is another each time: one in some thousand is over before one is asked.
    assert bool(page.locator(".result p").count()) == is_over(page)
    print(
        f"{game}: painted first {painted:.0f} ms, click to frame {median(times)} ms of {len(times)}"
    )


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_round_by_keys_alone(pages: Pages, game: str) -> None:
    page = pages.table(game=game, seed="8")
    while not is_over(page):
        press_one(page)
    before = number(page)
    page.keyboard.press("n")
    wait_after(page, before)
    status = "The round is over" if is_over(page) else "Your move"
    expect(page.locator(".status")).to_have_text(status)


def test_the_lobby_says_what_is_wrong_where_it_is(pages: Pages) -> None:
    page, pages.expected = pages.lobby, "422"
    page.locator("[name=players]").fill("greedy, greedy")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("label:has([name=players]) + .notice")).to_have_text(
        "The others: name one player or 3, not 2"
    )
    page.locator("[name=players]").fill("greedy")
    page.get_by_text("More").click()
    page.locator("[name=seed]").fill("9" * 30)
    page.get_by_text("More").click()
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("label:has([name=seed]) + .notice")).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/server"])
def test_every_field_says_what_it_does(pages: Pages, path: str) -> None:
    page = pages.lobby
    page.goto(f"{pages.web.address}{path}")
    expect(page.locator("[name=num_players], [name='option.num_players']")).to_be_attached()
    unsaid = page.locator("label").filter(has_not=page.locator("small:not(:empty)"))
    assert unsaid.all_text_contents() == []


def test_nothing_can_be_typed_before_the_games_are_known(pages: Pages) -> None:
    """Text typed into a field would be lost when the page fills that field in."""
    page = pages.context.new_page()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/lobby.json", hold)
    page.goto(pages.web.address)
    expect(page.locator("[name=players]")).to_be_disabled()
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()
    held[0].continue_()
    expect(page.locator("[name=players]")).to_be_enabled()
    expect(page.locator("[name=players]")).to_have_value("greedy")


@pytest.mark.slow
def test_the_last_tables_come_first(browser: Browser, tmp_path: Path) -> None:
    saves = kept(tmp_path)
    session = begin({"game": "leduc", "seat": 0, "seed": "1"}, saves)
    while not (view := session.view("wide"))["over"]:
        if view["asked"]:
            action = view["moves"][0]["action"]
            session.do({"do": "play", "number": view["number"], "action": action})
        else:
            session.tick()
    session.close()
    with WebProcess(tmp_path) as web, Pages(browser, web) as pages:
        expect(pages.lobby.locator("h2").first).to_have_text("Your last tables")
        yours = view["players"][0]["total"]
        expect(pages.lobby.locator(".tables li")).to_contain_text(f"Last rewards: you {yours:g}")


def kept(folder: Path) -> Saves:
    """The games of the tests' browser."""
    return Saves(folder).of(browser_of(COOKIE.partition("=")[2]))


def before_a_lay_down(saves: Saves) -> tuple[str, int]:
    """A game of Mexican Rummy, not in practice, and a first step of several to lay down."""
    for seed in range(100):
        settings = {"game": "mexican_rummy", "seat": 0, "seed": str(seed), "practice": False}
        session = begin(settings, saves)
        while not session.table.state.is_terminal:
            view = session.view("wide")
            for move in view["moves"]:
                after = session.table.state.clone()
                after.apply(move["action"])
                if move["group"] == "set" and after.to_dict()["plan"]:
                    session.close()
                    assert session.saved_as
                    return session.saved_as, move["action"]
            if view["asked"]:
                action, _ = session.table.state.bot_action("greedy", seed)
                session.do({"do": "play", "number": view["number"], "action": action})
            else:
                session.tick()
        session.close()
    raise AssertionError("nobody can lay down")


@pytest.mark.slow
def test_a_lay_down_is_planned_and_taken_back(browser: Browser, tmp_path: Path) -> None:
    id, step = before_a_lay_down(kept(tmp_path))
    with WebProcess(tmp_path) as web, Pages(browser, web) as pages:
        page = pages.at(id)
        shown = page.locator(".board .canvas").inner_html()
        undo = page.get_by_role("button", name="Undo")
        expect(undo).to_be_hidden()  # what was drawn cannot be put back
        before = number(page)
        page.locator(f".moves [data-action='{step}']").click()
        wait_after(page, before)
        assert page.locator(".board .canvas").inner_html() != shown
        expect(page.locator(".what")).to_contain_text("Undo takes the plan back")
        before = number(page)
        undo.click()
        wait_after(page, before)
        expect(page.locator(".what")).not_to_contain_text("Undo")
        expect(undo).to_be_hidden()  # as before
        assert page.locator(".board .canvas").inner_html() == shown


# ---- One move -----------------------------------------------------------------------------------


def before_a_take(saves: Saves) -> str:
    """A game of Mexican Rummy whose viewer may take a discard of which it holds the other copy."""
    settings = {"game": "mexican_rummy", "seat": 0, "seed": "2", "hint": "expert"}
    session = begin(settings, saves)
    while True:
        view = session.view("wide")
        hand = {card.rstrip("'") for card in session.table.state.to_dict()["hands"][0]}
        offers = [one["cards"][0]["card"] for one in view["moves"] if one["group"] == "take"]
        if hand & {*offers}:
            session.close()
            assert session.saved_as
            return session.saved_as
        if view["asked"]:
            action, _ = session.table.state.bot_action("greedy", 1)
            session.do({"do": "play", "number": view["number"], "action": action})
        else:
            session.tick()


@pytest.mark.slow
def test_a_hint_about_the_discard_is_not_on_the_hand(browser: Browser, tmp_path: Path) -> None:
    """It stood on the same card there."""
    id = before_a_take(kept(tmp_path))
    with WebProcess(tmp_path) as web, Pages(browser, web) as pages:
        page = pages.at(id)
        page.keyboard.press("h")
        expect(page.locator(".advice caption")).to_contain_text("expert would play")
        expect(page.locator(".advice tbody")).to_contain_text("take")
        expect(page.locator(".badge")).to_have_count(0)


def test_the_focus_stays_on_its_place_of_the_hand(pages: Pages) -> None:
    page = pages.table(game="general_mhing", seed="3")
    place, played = 4, 0
    hand(page).nth(place).focus()
    while not is_over(page) and played < 3:
        before = number(page)
        if page.locator(".board [aria-disabled=false]:focus").count():
            page.keyboard.press("Enter")
            played += 1
        else:
            page.keyboard.press(
                page.locator(".moves .move").last.get_attribute("data-letter") or ""
            )
        wait_after(page, before)
        is_over(page)
        focused = page.evaluate(
            "() => [...document.querySelectorAll('.board [role=button]')]"
            ".indexOf(document.activeElement)"
        )
        assert focused == min(place, hand(page).count() - 1)
    assert played > 1


def test_only_legal_moves_are_offered(pages: Pages) -> None:
    page = pages.table(game="mhing", seed="3")
    state = mhing.Game("mhing").new_state(3)
    offered = page.locator("[data-action]").evaluate_all(
        "all => all.map((one) => Number(one.dataset.action))"
    )
    if state.seat == 0:
        assert sorted({*offered}) == state.legal_actions().tolist()
    names = [hand(page).nth(n).get_attribute("aria-label") for n in range(hand(page).count())]
    assert all(name and name.startswith("discard ") for name in names)
    spoken = dict(zip(state.game.labels["cards"], state.game.labels["spoken"], strict=True))
    cards = [hand(page).nth(n).get_attribute("data-card") for n in range(hand(page).count())]
    assert names == [f"discard {spoken[card or '']}" for card in cards]
    expect(page.locator(".what")).to_have_text("Choose a card to discard")


def test_events_stand_on_the_page_once(pages: Pages) -> None:
    """In the list where it has room, else in the picture; the list can be unfolded there."""
    page = pages.table(game="mhing", seat=0, delay=0, seed="7")
    for _ in range(3):
        assert not is_over(page)
        click_one(page)
    assert not is_over(page)
    last = page.locator(".log li").last
    line = last.text_content() or ""
    drawn = page.locator(".board text").get_by_text(line, exact=True)
    expect(last).to_be_visible()
    expect(drawn).to_have_count(0)
    page.set_viewport_size(NARROW)
    expect(drawn).to_have_count(1)
    expect(last).not_to_be_visible()
    page.locator("summary").click()
    expect(last).to_be_visible()


def test_a_card_is_dragged_to_the_table(pages: Pages) -> None:
    page = pages.table(game="mhing", seed="3")
    box = hand(page).nth(2).bounding_box()
    card = hand(page).nth(2).get_attribute("data-card")
    assert box
    before = number(page)
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, box["y"] - 200, steps=4)
    page.mouse.up()
    wait_after(page, before)
    expect(page.locator(".log")).to_contain_text(f"You discard {card}")


def test_hints_and_undo_by_keys(pages: Pages) -> None:
    page = pages.table(game="mhing", seed="3", hint="expert")
    canvas = page.locator(".board .canvas")
    shown = canvas.inner_html()
    page.keyboard.press("h")
    expect(page.locator(".advice caption")).to_contain_text("expert would play: discard")
    expect(page.locator(".advice thead")).to_have_text("moveexpects, creditsloses")
    badges = page.locator(".badge").all_text_contents()
    assert len(badges) == page.locator(".board [data-action]").count()
    lost = page.locator(".advice td:last-child").all_text_contents()
    assert {*badges} == {"best", *(f"\N{MINUS SIGN}{number or '0.00'}" for number in lost[1:])}
    page.keyboard.press("h")  # takes it away
    expect(canvas).to_have_js_property("innerHTML", shown)
    expect(page.locator(".advice")).to_be_empty()
    page.keyboard.press("h")
    expect(page.locator(".badge")).to_have_text(badges)
    click_one(page)
    is_over(page)
    while page.get_by_role("button", name="Undo").is_visible():
        before = number(page)
        page.keyboard.press("u")
        wait_after(page, before)
    expect(page.locator(".board .canvas")).to_have_js_property("innerHTML", shown)


def test_players_of_one_name_are_numbered(pages: Pages) -> None:
    page = pages.table(game="mhing", players=["greedy", "expert", "greedy"])
    shown = page.locator(".players li").all_text_contents()
    assert shown == ["you: 0", "greedy 1: 0", "expert: 0", "greedy 3: 0"]


def test_no_text_becomes_elements(pages: Pages) -> None:
    """The browser refuses it, no matter who tries."""
    page = pages.table(game="leduc")
    pages.expected = "TrustedHTML"
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("() => { document.querySelector('.log').innerHTML = '<b>you</b>'; }")


def test_rules_and_keys_are_a_key_away(pages: Pages) -> None:
    page = pages.table(game="mexican_rummy")
    page.keyboard.press("?")
    expect(page.locator(".keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".keys")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.locator(".book")).to_contain_text("How to play Mexican Rummy")


@pytest.mark.parametrize(
    ("game", "heading"),
    [("mhing", "What a hand scores"), ("general_mhing", "What sequences score"),
     ("mexican_rummy", "What counts against you"), ("leduc", "What is scored")],
)  # fmt: skip
def test_what_is_scored_is_a_key_away(pages: Pages, game: str, heading: str) -> None:
    page = pages.table(game=game)
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name=heading)).to_be_in_viewport()


def test_bots_are_watched(pages: Pages) -> None:
    page = pages.table(game="general_mhing", seat=None, delay=5)
    page.keyboard.press(" ")
    expect(page.locator(".status")).to_have_text("Paused")
    before = number(page)
    page.keyboard.press(".")
    wait_after(page, before)
    assert page.locator(".board [data-zone=hand][data-card='']").count() == 0
    page.get_by_label("Seen by").select_option("greedy 1")
    page.wait_for_selector(".board [data-zone=hand][data-card='']", state="attached")
    page.get_by_label("Speed").select_option("at once")
    page.keyboard.press(" ")
    page.wait_for_selector("html[data-over=true]", state="attached")


# ---- What happens to pages ----------------------------------------------------------------------


@pytest.mark.slow
def test_a_page_that_is_loaded_again_shows_the_same(pages: Pages) -> None:
    page = pages.table(game="mexican_rummy", seed="5")
    for _ in range(4):
        if is_over(page):
            break
        click_one(page)
    is_over(page)
    shown = page.locator(".board .canvas").inner_html(), page.locator(".log").inner_html()
    page.reload()
    is_over(page)
    assert (page.locator(".board .canvas").inner_html(), page.locator(".log").inner_html()) == shown
    click_one(page)


def test_of_two_tabs_the_newer_one_has_the_table(pages: Pages) -> None:
    older = pages.table(game="leduc")
    newer = pages.context.new_page()
    newer.goto(older.url)
    newer.wait_for_selector("html[data-number]", state="attached")
    expect(older.locator(".notice")).to_have_text("This table is open in another tab.")
    older.get_by_role("button", name="Take it back here").click()
    expect(newer.locator(".notice")).to_have_text("This table is open in another tab.")
    expect(older.locator(".notice")).to_be_empty()
    click_one(older)


@pytest.mark.slow
def test_a_line_that_was_cut_is_taken_up_again(browser: Browser, tmp_path: Path) -> None:
    with WebProcess(tmp_path) as web, Pages(browser, web) as pages:
        page = pages.table(game="mhing", seed="3")
        click_one(page)
        is_over(page)
        before, shown = number(page), page.locator(".board .canvas").inner_html()
        pages.expected = "WebSocket connection"
        web.kill()
        expect(page.locator(".notice")).to_contain_text("The command does not answer")
        expect(page.locator(".moves")).to_have_js_property("inert", True)
        with WebProcess(tmp_path, "--port", str(web.port)) as again:
            welcomed = pages.context.new_page()
            welcomed.goto(again.link.strip())
            page.wait_for_selector(f"html:not([data-number='{before}'])", state="attached")
            assert page.locator(".board .canvas").inner_html() == shown
            welcomed.get_by_role("link", name="Mhing").click()
            is_over(welcomed)
            assert welcomed.locator(".board .canvas").inner_html() == shown


def test_a_table_that_is_not_there_says_so(pages: Pages) -> None:
    pages.expected = "404"
    page = pages.context.new_page()
    page.goto(f"{pages.web.address}/at/nothing")
    expect(page.locator(".notice")).to_have_text("There is no such table")
    page.get_by_role("link", name="Back to the tables").click()
    expect(page.get_by_role("button", name="Begin")).to_be_enabled()


# ---- For everybody ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW, {"width": 3840, "height": 2160}])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_findings(
    browser: Browser, web: WebProcess, size: object, scheme: str
) -> None:
    with Pages(browser, web, viewport=size, color_scheme=scheme) as pages:
        look_for_findings(pages)


def look_for_findings(pages: Pages) -> None:
    """At the lobby, a table and its dialogs."""
    page = pages.table(game="mhing", seed="3")
    for shown in (pages.lobby, page):
        found = Axe().run(shown)
        assert found.violations_count == 0, found.generate_report()
        assert shown.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for key in ("?", "r"):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    for target in page.locator("button:visible, select:visible, a:visible").all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= TARGET or target.evaluate("one => one.matches('a')")


@pytest.mark.slow
def test_looks_follow_the_system_and_the_reader(browser: Browser, web: WebProcess) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        with Pages(browser, web, color_scheme=scheme) as pages:
            page = pages.table(game="mhing", seed="3")
            felt = "() => getComputedStyle(document.querySelector('.canvas > rect')).fill"
            grounds.add(page.evaluate(felt))
            page.keyboard.press("?")
            page.locator(".palette").select_option("green felt")
            assert page.evaluate(felt) == "rgb(20, 63, 51)"
            page.reload()
            page.wait_for_selector("html[data-number]", state="attached")
            assert page.evaluate(felt) == "rgb(20, 63, 51)"
    assert len(grounds) == 2


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_cards_are_the_same_on_every_table(browser: Browser, web: WebProcess, game: str) -> None:
    """A page paints a card as the card says, whatever the page looks like."""
    painted = """() => [...document.querySelectorAll(".board defs [class]")].flatMap((part) =>
      ["fill", "stroke"].filter((kind) => part.getAttribute(kind)?.startsWith("#")).map((kind) => {
        const light = part.getAttribute(kind).match(/[0-9a-f]{2}/g).map((two) => parseInt(two, 16));
        return [`rgb(${light.join(", ")})`, getComputedStyle(part)[kind], part.outerHTML];
      }))"""
    for scheme in ("light", "dark"):
        with Pages(browser, web, color_scheme=scheme) as pages:
            page = pages.table(game=game, seed="3")
            page.keyboard.press("?")
            for name in ("", *PALETTES):
                page.locator(".palette").select_option(name)
                found = page.evaluate(painted)
                assert found
                for own, shown, part in found:
                    assert shown == own, (scheme, name, part)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_cards_glide_unless_somebody_minds(browser: Browser, web: WebProcess, motion: str) -> None:
    """Nor where the picture before was painted a moment ago, as at a table that plays fast."""
    with Pages(browser, web, reduced_motion=motion) as pages:
        page = pages.table(game="mhing", seed="7")
        page.evaluate(
            "() => { window.glided = 0; const own = Element.prototype.animate;"
            " performance.now = () => 1e6;"
            " Element.prototype.animate = function (...all)"
            " { window.glided += 1; return own.apply(this, all); }; }"
        )
        click_one(page)
        glided = page.evaluate("() => window.glided")
        assert bool(glided) == (motion == "no-preference")
        assert not is_over(page)
        click_one(page)
        assert page.evaluate("() => window.glided") == glided


def test_modules_are_small() -> None:
    folder = files("mhing.web") / "page"
    notebook = {"widget.js", "frame_line.js"}
    modules = [one for one in folder.iterdir() if one.name.endswith(".js")]
    sizes = [len(one.read_bytes()) for one in modules if one.name not in notebook]
    assert len(sizes) > 5
    assert sum(sizes) < JAVASCRIPT
