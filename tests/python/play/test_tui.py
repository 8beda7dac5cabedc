"""`mhing play` as an application: whole rounds by keys, and what is on the screen meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pages
import pytest
from pictures import states
from textual.pilot import Pilot
from textual.widgets import Static

from mhing import Game, render
from mhing.tui.app import TableApp
from mhing.tui.moves import Moves
from mhing.tui.pages import Confirmation, Page
from mhing.tui.words import NO_EVENTS, fitting, meant
from mhing.web.play import PlaySession, Wishes

pytestmark = pytest.mark.once

GAMES = ["mhing", "general_mhing", "mexican_rummy"]
Script = Callable[[Pilot[None]], Awaitable[None]]


def session(
    game: str = "mhing", seat: int | None = 0, seed: int = 7, **options: Any
) -> PlaySession:
    """A game against greedy players who do not pause."""
    made = Game(game, **options)
    return PlaySession(made, ["greedy"], Wishes(seat=seat, delay=0.0), seed)


def drive(play: PlaySession, script: Script, size: tuple[int, int] = (80, 24)) -> TableApp:
    """Runs the application while the script presses keys."""
    app = TableApp(play)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.view["asked"] or "next" in app.view["can"])
            await script(pilot)

    asyncio.run(asyncio.wait_for(run(), 100))
    return app


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Waits for something to be so."""
    while not is_so():
        await pilot.pause(0.01)


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Presses keys, and waits until the player is asked again or something has ended."""
    app = pilot.app
    assert isinstance(app, TableApp)
    await pilot.press(*keys)
    await until(pilot, lambda: app.view["asked"] or bool({"next", "go"} & {*app.view["can"]}))
    await pilot.pause()


def shown(pilot: Pilot[None], id: str) -> str:
    """The text of a part of the screen; "" where it is hidden."""
    widget = pilot.app.screen_stack[0].query_one(f"#{id}", Static)
    return str(widget.render()) if widget.display else ""


def listed(pilot: Pilot[None]) -> list[str]:
    """The moves in the list."""
    moves = pilot.app.screen_stack[0].query_one(Moves)
    return [str(moves.get_option_at_index(place).prompt) for place in range(moves.option_count)]


# ---- Playing -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("mhing", {"num_players": 2}),
        ("general_mhing", {"turn_limit": 16}),
        ("mexican_rummy", {"num_players": 3, "turn_limit": 12}),
    ],
)
def test_a_whole_round_by_enter(game: str, options: dict[str, Any]) -> None:
    """A hint first, so that the round comes to an end; Enter plays what it says."""
    play = session(game, **options)

    async def script(pilot: Pilot[None]) -> None:
        moves = 0
        while not play.table.state.is_terminal:
            await press(pilot, "h")
            await press(pilot, "enter")
            moves += 1
        assert moves > 3
        assert "The round is over" in shown(pilot, "status")
        assert "Earned in all: " in shown(pilot, "ended")
        seed = play.table.seed
        await press(pilot, "n")
        assert play.table.seed != seed
        assert not play.table.state.is_terminal

    drive(play, script)


@pytest.mark.slow
def test_moves_by_number_by_card_and_by_word() -> None:
    play = session("general_mhing")

    async def script(pilot: Pilot[None]) -> None:
        texts = [move["text"] for move in play.words()["moves"]]
        assert len(listed(pilot)) == len(texts)
        place = texts.index(next(text for text in texts if text.startswith("discard")))
        card = texts[place].split()[-1]
        await pilot.press(*card)
        assert texts[place].split()[0] in listed(pilot)[0]
        assert len(listed(pilot)) == len(fitting(card, texts)) < len(texts)
        await pilot.press("backspace", "backspace")
        assert len(listed(pilot)) == len(texts)
        await pilot.press("x", "enter")  # fits nothing
        assert listed(pilot) == []
        subtitle = pilot.app.query_one(Moves).border_subtitle
        assert subtitle == "no move with x; Esc clears"
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, Page)
        await press(pilot, "escape")
        assert listed(pilot) == []
        await press(pilot, "alt+question_mark")  # so come Esc and a key at once
        assert isinstance(pilot.app.screen, Page)
        await press(pilot, "escape")
        assert len(listed(pilot)) == len(texts)
        await press(pilot, *str(place + 1), "enter")
        assert play.table.played[-1].by == "bot"
        own = [one for one in play.table.played if one.by == "player"]
        assert [play.game.action_text(one.action) for one in own] == [texts[place]]

    drive(play, script)


@pytest.mark.slow
def test_letters_of_commands_are_typed_after_a_slash() -> None:
    play = session("mexican_rummy", seed=3, num_players=3)

    async def script(pilot: Pilot[None]) -> None:
        while not any(move["text"] == "refuse" for move in play.words()["moves"]):
            await press(pilot, "enter")
            assert not play.table.state.is_terminal
        await pilot.press("slash", *"refuse")
        assert [line.split()[-1] for line in listed(pilot)] == ["refuse"]
        assert not isinstance(pilot.app.screen, Page)  # as by r alone
        await press(pilot, "enter")
        assert any("You refuse" in line for line in play.log)

    drive(play, script)


def test_a_click_plays_a_move() -> None:
    play = session()

    async def script(pilot: Pilot[None]) -> None:
        third = play.words()["moves"][2]["action"]
        await pilot.click("#moves", offset=(5, 3))
        await until(pilot, lambda: bool([p for p in play.table.played if p.by == "player"]))
        (own,) = [one for one in play.table.played if one.by == "player"]
        assert own.action == third

    drive(play, script)


@pytest.mark.slow
def test_a_hint_is_beside_the_moves() -> None:
    play = session()

    async def script(pilot: Pilot[None]) -> None:
        assert shown(pilot, "hint") == ""
        await press(pilot, "h")
        decision = play.judged()
        said = render.spelled(play.table.state, decision.text(decision.choice), symbols=True)
        line = f"{decision.bot} would play {said}; beside the moves what it expects (credits)"
        assert shown(pilot, "hint") == line
        values = [float(line.split()[-1]) for line in listed(pilot)]
        assert values == [float(f"{value:.2f}") for value in decision.values.round(3)]
        moves = pilot.app.screen.query_one(Moves)
        assert moves.highlighted == [*decision.actions].index(decision.choice)
        await press(pilot, "enter")
        assert shown(pilot, "hint") == ""

    drive(play, script)


@pytest.mark.slow
def test_undo_takes_the_own_move_back() -> None:
    play = session()

    async def script(pilot: Pilot[None]) -> None:
        before, lines, board = play.table.state.clone(), [*play.log], shown(pilot, "board")
        await press(pilot, "u")  # there is nothing to be taken back
        await press(pilot, "enter")
        assert shown(pilot, "board") != board
        await press(pilot, "enter")
        await press(pilot, "u")
        await press(pilot, "u")
        assert play.table.state == before
        assert (play.log, shown(pilot, "board")) == (lines, board)

    drive(play, script)


@pytest.mark.slow
def test_a_game_has_its_rounds_and_an_end() -> None:
    play = session("general_mhing", episode="game", rounds=2, turn_limit=8)

    async def script(pilot: Pilot[None]) -> None:
        for number in (1, 2):
            while "next" not in play.words()["can"]:
                await press(pilot, "h")
                await press(pilot, "enter")
            assert play.table.state.rounds_over == number
            ended = shown(pilot, "ended")
            assert re.search(
                r"^(You|greedy|Nobody) (has |have )?won (this round|the last round)",
                ended,
                re.MULTILINE,
            )
            assert ("n: another game" if number == 2 else "n: the next round") in ended
            assert play.table.state.is_terminal == (number == 2)
            await pilot.press("=")
            await pilot.pause()
            page = str(pilot.app.screen.query_one(Static).render())
            assert page == play.table.state.sheet().text(play.called, 200)
            await pilot.press("escape")
            if number == 1:
                await press(pilot, "n")
        assert "The game is over" in shown(pilot, "status")

    drive(play, script)


# ---- What is shown -----------------------------------------------------------------------------


@pytest.mark.slow
def test_you_and_names_and_symbols_are_shown_and_no_seats() -> None:
    play = session(num_players=3)

    async def script(pilot: Pilot[None]) -> None:
        for _ in range(2):
            await press(pilot, "enter")
        everything = "".join(shown(pilot, id) for id in ("board", "status", "lines", "heading"))
        assert "eat " not in everything
        assert re.search(r"^You discard \d?[‖●#EWSNRGPJ]", shown(pilot, "lines"), re.MULTILINE)
        assert "greedy 2 discards" in shown(pilot, "lines")
        assert re.search("^You have .*cards: ", shown(pilot, "board"), re.MULTILINE)

    drive(play, script)


def test_letters_in_place_of_symbols() -> None:
    app = TableApp(session(), letters=True)

    async def run() -> None:
        async with app.run_test() as pilot:
            await until(pilot, lambda: app.view["asked"])
            await pilot.pause()
            assert shown(pilot, "board").isascii()
            assert all(line.isascii() for line in listed(pilot))
            await pilot.press("question_mark")
            await pilot.pause()
            assert "‖" not in str(app.screen.query_one(Static).render())

    asyncio.run(run())


@pytest.mark.slow
def test_brackets_of_cards_are_no_markup() -> None:
    """A discard on offer is written [1s], which Rich could take for a style."""
    play = session(seat=None)

    async def script(pilot: Pilot[None]) -> None:
        assert "[\x1b[32m1\x1b[0m\x1b[32m‖\x1b[0m]" in pilot.app._spelled("[1s]")  # type: ignore[attr-defined]
        pilot.app._write("board", "[1‖] [bold] \x1b[31m[red]")  # type: ignore[attr-defined]
        assert shown(pilot, "board") == "[1‖] [bold] [red]"

    drive(play, script)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 6])
@pytest.mark.parametrize("game", GAMES)
def test_all_is_seen_at_80_columns_and_24_rows(game: str, players: int) -> None:
    """Nothing of the table has to be scrolled for, and some moves are in view."""
    made = Game(game, num_players=min(players, 3) if game == "general_mhing" else players)
    play = PlaySession(made, ["greedy"], Wishes(seat=0, delay=0.0), 7)
    own = [s for s in states(made, seeds=2, every=1, mistakes=9) if s.seat == 0][::9]

    async def script(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, TableApp)
        for state in own:
            play.table.state = state
            app.view = play.words()
            app._show()
            await pilot.pause()
            table = app.query_one("#table")
            assert table.max_scroll_y == 0, shown(pilot, "board")
            assert app.query_one("#moves").size.height >= 3
            for id in ("heading", "status"):
                assert app.query_one(f"#{id}").region.height == len(shown(pilot, id).splitlines())
            assert app.query_one("#moves").region.bottom <= 23

    drive(play, script)


def test_the_window_may_change() -> None:
    play = session(num_players=6)

    async def script(pilot: Pilot[None]) -> None:
        app = pilot.app
        await pilot.resize_terminal(160, 50)
        await pilot.pause()
        table, moves = app.query_one("#table").region, app.query_one("#moves").region
        assert moves.x >= table.right  # beside it
        await pilot.resize_terminal(60, 24)
        await pilot.pause()
        table, moves = app.query_one("#table").region, app.query_one("#moves").region
        assert moves.y >= table.bottom
        assert max(map(len, shown(pilot, "board").splitlines())) <= 58
        await press(pilot, "enter")
        assert [one.by for one in play.table.played].count("player") == 1

    drive(play, script)


def test_a_small_terminal_is_asked_to_grow() -> None:
    async def script(pilot: Pilot[None]) -> None:
        for columns, rows in ((60, 15), (79, 24), (80, 23)):
            await pilot.resize_terminal(columns, rows)
            await pilot.pause()
            said = shown(pilot, "heading")
            assert said == f"This terminal is {columns}x{rows}: make it 80x24 to see all"
            assert pilot.app.query_one("#heading").size.width >= len(said)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert shown(pilot, "heading").startswith("Mhing, round 1")

    drive(session(), script)


def test_who_moves_first_reads_that_nothing_happened() -> None:
    play = session("leduc")

    async def script(pilot: Pilot[None]) -> None:
        assert shown(pilot, "lines") == NO_EVENTS
        await press(pilot, "enter")
        assert shown(pilot, "lines").startswith("You call.\n")
        assert NO_EVENTS not in shown(pilot, "lines")

    drive(play, script)


@pytest.mark.slow
def test_rules_and_keys_are_pages() -> None:
    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Page)
        page = pilot.app.screen.query_one("#page")
        await pilot.press("space", "down")
        await pilot.pause()
        assert page.scroll_y > 10
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        text = str(pilot.app.screen.query_one(Static).render())
        assert "takes your last move back" in text
        assert "R◆ G◆ P◇" in text
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, Page)
        await press(pilot, "enter")

    drive(session(), script)


# ---- Watching ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_watching_with_pause_step_speed_and_eyes() -> None:
    play = PlaySession(Game("mhing"), ["greedy"], Wishes(delay=5.0), 7)

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("space")
        await until(pilot, lambda: "go" in play.words()["can"])
        await pilot.pause()
        assert shown(pilot, "status").startswith("Paused")
        assert shown(pilot, "board").count(" cards: ") == 4  # all hands are open
        for number in range(1, 4):
            await pilot.press("full_stop")
            await until(pilot, lambda number=number: len(play.table.played) == number)
        await pilot.press("e")
        await until(pilot, lambda: play.eyes == 0)
        await pilot.pause()
        assert shown(pilot, "board").count(" cards: ") == 1
        for _ in range(12):
            await pilot.press("plus")
        await until(pilot, lambda: play.delay == 0.0)
        await pilot.press("minus", "space")
        await until(pilot, lambda: 0 < play.delay < 0.1)
        await until(pilot, lambda: play.table.state.is_terminal)

    app = TableApp(play)

    async def run() -> None:
        async with app.run_test() as pilot:
            await script(pilot)

    asyncio.run(asyncio.wait_for(run(), 100))


def test_a_player_that_fails_stops_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its error is shown, and the table can be left, or the move taken back."""
    answers = iter([True])

    def moody(observation: Any, mask: Any, info: Any) -> int:
        if next(answers, False):
            return int(mask.nonzero()[0][-1])
        raise RuntimeError("no mood for cards")

    moody.__name__ = "[bold]moody[/bold]"
    play = PlaySession(Game("general_mhing", num_players=2), [moody], Wishes(seat=0, delay=0.0), 6)

    async def script(pilot: Pilot[None]) -> None:
        app = pilot.app
        while not app._notifications:
            await pilot.press("enter")
            await pilot.pause()
        (said,) = {each.message for each in app._notifications}
        assert said == "[bold]moody[/bold], the player in seat 1, fails"
        assert not any(each.markup for each in app._notifications)
        await pilot.press("u")
        await until(pilot, lambda: bool(play.words()["asked"]))

    drive(play, script)


# ---- Leaving -----------------------------------------------------------------------------------


def test_leaving_a_game_that_is_not_kept_asks_first() -> None:
    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Confirmation)
        await pilot.press("n")
        await pilot.pause()
        await press(pilot, "enter")
        await pilot.press("q", "y")
        await until(pilot, lambda: pilot.app._exit)

    drive(session(), script)


@pytest.mark.parametrize("wanted", [True, False])
def test_no_colours_where_none_are_wanted(wanted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not wanted:
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(pilot: Pilot[None]) -> None:
        strips = pilot.app.screen._compositor.render_strips()
        segments = [segment for strip in strips for segment in strip if segment.style]
        colors = {color for one in segments for color in (one.style.color, one.style.bgcolor)}
        assert any(color and not color.is_default for color in colors) == wanted
        chosen = "".join(one.text for one in segments if one.style.underline).rstrip()
        assert chosen == ("" if wanted else listed(pilot)[0])

    drive(session(), script)


@pytest.mark.slow
def test_the_pictures_of_the_page_are_current() -> None:
    """`python python/docs/terminal_pictures.py` writes them."""
    pictures = pages.site_module("terminal_pictures")
    written = pictures.PAGE.read_text(encoding="utf-8")
    assert pictures.page(written) == written
    drawn, text = pictures.screens("mhing")
    assert pictures.DRAWN.read_text(encoding="utf-8") == drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert text.count("\n") == 24


def test_what_is_typed_so_far() -> None:
    moves = ["discard 5s", "discard 5p", "triplet P*P*P*", "discard P", "pass"]
    assert fitting("", moves) == moves
    assert fitting("P", moves) == ["discard P", "triplet P*P*P*"]
    assert fitting("p", moves) == ["pass"]
    assert fitting("5", moves) == ["pass", "discard 5s", "discard 5p"]
    assert fitting("dis", moves) == ["discard 5s", "discard 5p", "discard P"]
    assert meant("99", moves) == fitting("x", moves) == []
