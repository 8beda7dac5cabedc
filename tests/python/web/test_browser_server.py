"""Tables of a server in Chromium: found in the list, watched, and played at by clicks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import Window, click_one, needs_chromium
from playwright.sync_api import Browser, Page, expect
from remote_bots import First
from server_process import Server
from web_process import WebProcess

from mhing.remote import Turn

pytestmark = [pytest.mark.once, needs_chromium]
READY = "html[data-ready]"
ASKED, WAITING = "html[data-asked=true]", "html[data-asked=true], html[data-over=true]"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def web(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with WebProcess(tmp_path_factory.mktemp("saves"), "--server", server.endpoint) as process:
        yield process


@pytest.fixture
def page(browser: Browser, web: WebProcess) -> Iterator[Page]:
    """The list of tables, at which the command opens, and which the lobby names as well."""
    with Window(browser) as window:
        opened = window.context.new_page()
        opened.goto(web.link.strip())
        expect(opened).to_have_title("Tables of a server - Mhing")
        opened.get_by_role("link", name="Games on this machine").click()
        opened.get_by_role("link", name="Tables of a server").click()
        opened.wait_for_selector(READY, state="attached")
        yield opened


@pytest.mark.slow
def test_a_round_by_clicks_with_the_page_loaded_anew(page: Page, server: Server) -> None:
    page.locator("[name=name]").fill("ann")
    page.locator("[name=table]").fill("friday")
    page.get_by_role("button", name="Open it and sit down").click()
    page.wait_for_selector(ASKED, state="attached")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mhing, table friday")
    expect(page.locator(".clock")).to_contain_text("s to answer")
    click_one(page)
    page.wait_for_selector(WAITING, state="attached")
    hand = page.locator(".board [role=button]").count()
    page.reload()
    page.wait_for_selector(WAITING, state="attached")
    assert page.locator(".board [role=button]").count() == hand
    while page.get_attribute("html", "data-over") == "false":
        click_one(page)
        page.wait_for_selector(WAITING, state="attached")
    expect(page.locator(".status")).to_have_text("The game is over")
    expect(page.locator(".players .you")).to_contain_text("you")
    expect(page.get_by_role("button", name="Leave the table")).to_be_hidden()
    page.get_by_role("link", name="Back to the tables").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tables of a server")


class Held(First):
    """Waits until it may play."""

    def __init__(self) -> None:
        super().__init__("<i>bot</i>")
        self.go = threading.Event()

    def act(self, turn: Turn) -> int | str:
        assert self.go.wait(60)
        return super().act(turn)


@pytest.mark.slow
def test_bots_are_watched_and_a_seat_is_taken_beside_one(page: Page, server: Server) -> None:
    bot, terms = Held(), {"table": "robots", "options": "num_players=2"}
    thread = threading.Thread(target=bot.play, args=(server.endpoint,), kwargs=terms)
    thread.start()
    row = page.locator(".tables li", has_text="robots")
    expect(row).to_contain_text("robots: mhing, waiting, 10 s a move; <i>bot</i>, nobody")
    assert Axe().run(page).response["violations"] == []
    row.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("html[data-number]", state="attached")
    seat = page.url
    page.go_back()
    expect(page.locator(".open a")).to_have_attribute("href", seat.removeprefix(page.url[:-7]))
    row.get_by_role("button", name="Watch").click()
    expect(page.locator(".players")).to_contain_text("<i>bot</i>: 0")
    expect(page.locator("aside h2")).to_have_text("So far")  # a spectator has no turn
    expect(page.locator(".moves .move")).to_have_count(0)
    page.goto(seat)
    page.get_by_role("button", name="Leave the table").click()
    expect(page.locator(".status")).to_have_text("You have left the table")
    expect(page.locator("header a")).to_have_attribute("href", "/server")
    bot.go.set()
    thread.join(60)
    assert not thread.is_alive()


def test_an_address_at_which_nobody_answers(browser: Browser, web: WebProcess) -> None:
    with Window(browser) as window:
        page = window.context.new_page()
        page.goto(web.link.strip())
        page.goto(f"{web.address}/server")
        page.wait_for_selector(READY, state="attached")
        page.locator("[name=server]").fill("nonsense")
        page.get_by_role("button", name="List its tables").click()
        expect(page.locator(".none")).to_contain_text("write tcp://HOST:PORT or ipc://PATH")


@pytest.mark.slow
def test_own_seats_are_listed_while_the_server_is_silent(page: Page) -> None:
    page.locator("[name=table]").fill("silent")
    page.get_by_role("button", name="Open it and sit down").click()
    page.wait_for_selector(ASKED, state="attached")
    seat = page.url
    page.route("**/server.json", lambda _: None)  # no answer
    page.get_by_role("link", name="Tables", exact=True).click()
    own = page.locator(f".open a[href='{urlsplit(seat).path}']")
    expect(own).to_have_text("Mhing, table silent")
    expect(page.locator(".none")).to_have_text("The server is asked...")
    page.unroute("**/server.json")
    expect(page.locator(".tables li", has_text="silent")).to_be_visible()
    page.locator("[name=server]").fill("nonsense")
    page.get_by_role("button", name="List its tables").click()
    expect(page.locator(".none")).to_contain_text("write tcp://HOST:PORT")
    expect(page.locator(".tables li")).to_have_count(0)
    expect(own).to_be_visible()
    page.goto(seat)
    page.get_by_role("button", name="Leave the table").click()
    expect(page.locator(".status")).to_have_text("You have left the table")


def test_keys_without_a_server_are_refused(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("public x\nsecret y\n")
    with pytest.raises(AssertionError, match="--server-key: also give the server's address"):
        WebProcess(tmp_path, "--server-key", "k" * 40, "--key", str(keys))
