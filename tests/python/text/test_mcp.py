"""The server of the Model Context Protocol: a scripted model plays by the library's own client."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from every_game import LARGE

import mhing
from mhing.cli import main

pytest.importorskip("mcp")

import twins
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from mhing.text import mcp
from mhing.text.mcp import server

pytestmark = pytest.mark.once

ID = re.compile(r"Game: ([\w-]+)\n")
COMMAND = [sys.executable, "-m", "mhing", "mcp"]

Session = Callable[[Client], Awaitable[Any]]


def with_client(source: Any, session: Session) -> Any:
    """The result of a session with a server."""

    async def run() -> Any:
        async with Client(source) as client:
            return await session(client)

    return asyncio.run(run())


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """The text that a tool returns."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert not result.is_error, content
    return content.text


async def error(client: Client, tool: str, **arguments: Any) -> str:
    """The error that a tool returns."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert result.is_error, content
    return content.text


async def begun(client: Client, **arguments: Any) -> tuple[str, str]:
    """A new game: its id, and all else that is said of it."""
    text = await said(client, "new_game", **arguments)
    found = ID.match(text)
    assert found
    return found[1], text[found.end() :]


async def play(client: Client, seed: int = 1, **arguments: Any) -> list[str]:
    """All that a model hears that plays a game to its end at random, and tries what is no move."""
    rng = Random(seed)
    game_id, first = await begun(client, seed=seed, **arguments)
    heard = [first]
    while "Earned (" not in heard[-1]:
        moves = (await said(client, "legal_moves", game_id=game_id)).splitlines()
        if rng.random() < 0.2:
            heard.append(await error(client, "move", game_id=game_id, move="fly away"))
            assert heard[-1].splitlines()[-1] == heard[-2].splitlines()[-1]
        heard.append(await said(client, "move", game_id=game_id, move=rng.choice(moves)))
    assert await said(client, "look", game_id=game_id) == heard[-1]
    for tool in ("legal_moves", "hint"):
        over = await error(client, tool, game_id=game_id)
        assert over.endswith("the game is over: new_game begins another one")
    return heard


@contextmanager
def by_http(*options: str) -> Iterator[str]:
    """The address of a server that serves by HTTP; nothing may be on its stderr."""
    with subprocess.Popen(
        [*COMMAND, "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
    assert errors == ""
    assert process.returncode == 0


STDIO = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])


# ---- Games --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game_id", mhing.games())
def test_a_game_is_played_to_its_end_and_again(game_id: str) -> None:
    opponents = ["random" if game_id == "leduc" else "greedy"]

    async def session(client: Client) -> None:
        heard = await play(client, game=game_id, opponents=opponents)
        assert await play(client, game=game_id, opponents=opponents) == heard
        assert await play(client, seed=2, game=game_id, opponents=opponents) != heard
        refused = sum("fly away" in text for text in heard)
        assert heard[-1].endswith(f" Moves refused: {refused}; hints: 0.")

    with_client(server(), session)


@pytest.mark.slow
def test_by_both_transports_a_game_is_the_same() -> None:
    def session(client: Client) -> Awaitable[list[str]]:
        return play(client, game="general_mhing", options={"num_players": 2})

    heard = with_client(server(), session)
    assert with_client(STDIO, session) == heard
    with by_http() as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", address)
        assert with_client(address, session) == heard


@pytest.mark.slow
def test_clients_at_the_same_time_have_their_own_games() -> None:
    async def together(address: str) -> tuple[Any, ...]:
        async with Client(address) as one, Client(address) as other:
            return await asyncio.gather(
                play(one, seed=1, game="leduc"), play(other, seed=2, game="mhing")
            )

    alone = [
        with_client(server("random"), lambda client: play(client, seed=1, game="leduc")),
        with_client(server("random"), lambda client: play(client, seed=2, game="mhing")),
    ]
    with by_http("--opponents", "random") as address:
        assert [*asyncio.run(together(address))] == alone


def test_a_game_is_found_by_its_id_alone() -> None:
    made = server(kept=2)

    async def session(client: Client) -> list[str]:
        return [(await begun(client, game="leduc", seed=1))[0] for _ in range(3)]

    ids = with_client(made, session)
    assert len({*ids}) == 3
    assert all(len(id) >= 16 for id in ids)

    async def other(client: Client) -> None:
        assert "hand: " in await said(client, "look", game_id=ids[1])
        for wrong in (ids[0], "1", ""):
            words = await error(client, "look", game_id=wrong)
            assert words.endswith(f"there is no game {wrong!r} here: new_game begins one")
        await begun(client, game="leduc")
        await said(client, "look", game_id=ids[1])
        await error(client, "look", game_id=ids[2])

    with_client(made, other)


# ---- Tools and resources ------------------------------------------------------------------------


def test_tools_explain_themselves() -> None:
    async def tools(client: Client) -> dict[str, Any]:
        return {one.name: one for one in (await client.list_tools()).tools}

    found = with_client(server(), tools)
    assert [*found] == ["new_game", "look", "legal_moves", "move", "rules", "hint"]
    for one in found.values():
        assert one.description
        assert all("description" in about for about in one.input_schema["properties"].values())
    assert "hint" not in with_client(server(hints=False), tools)


def test_rules_and_pictures() -> None:
    async def session(client: Client) -> None:
        game = mhing.Game("mhing")
        assert await said(client, "rules", game="mhing") == game.guide_text()
        assert await said(client, "rules", game="mhing", full=True) == game.rules_text()
        (page,) = (await client.read_resource("mhing://rules/mhing")).contents
        assert page.text == game.rules_text()
        game_id, _ = await begun(client, seed=3, seat=2)
        state = game.new_state(3)
        while state.seat != 2:
            state.apply(state.bot_action(game.default_bot, 0)[0])
        (drawn,) = (await client.read_resource(f"mhing://tables/{game_id}/svg")).contents
        assert drawn.mime_type == "image/svg+xml"
        assert drawn.text == mhing.render.svg(state, view=2)
        (pixels,) = (await client.read_resource(f"mhing://tables/{game_id}/png")).contents
        assert pixels.mime_type == "image/png"
        with pytest.raises(MCPError, match="there is no game 'x' here"):
            await client.read_resource("mhing://tables/x/svg")

    with_client(server(), session)


def test_hints_are_counted() -> None:
    async def session(client: Client) -> None:
        game_id, _ = await begun(client, game="general_mhing", seed=1)
        text, hints = "", 0
        while "Earned" not in text:
            hints += 1
            hint = await said(client, "hint", game_id=game_id)
            bot, _, move = hint.splitlines()[0].partition(" would play: ")
            assert bot == mhing.Game("general_mhing").default_judge
            text = await said(client, "move", game_id=game_id, move=move)
        assert text.endswith(f" Moves refused: 0; hints: {hints}.")

    with_client(server(), session)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"options": {"num_players": 99}}, "num_players: '99'"),
        ({"options": {"id": "leduc"}}, "options: the game is a separate argument"),
        ({"options": {"colour": 1}}, "'colour' is unknown"),
        ({"opponents": ["nobody"]}, "opponents: no bot 'nobody'"),
        ({"opponents": ["greedy", "greedy"]}, "opponents: 2 given for 3 other seats"),
        ({"opponents": ["os:getcwd"]}, "opponents: 'os:getcwd' is on this machine"),
        ({"opponents": ["search:9,bot=net:x"]}, "is on this machine"),
        ({"seat": 4}, "seat: 4 is not from 0 to 3"),
        ({"seed": -(2**70)}, "seed: -1180591620717411303424 is not from 0 to 2**64 - 1"),
        ({"seed": -1}, "seed: -1 is not from 0 to 2**64 - 1"),
        ({"seed": "luck"}, "seed: 'luck' is none; give: 0 to 2**64 - 1: the same seed, the same"),
        ({"options": 3}, "options: 3 is none; give: Options of the game by name, such as"),
        ({"opponents": [3]}, "opponents: [3] is none; give: Built-in bots: one for all other"),
        (
            {"sed": 3},
            "sed: new_game has no such argument, but game, options, opponents, seed, seat; did",
        ),
    ],
    ids=str,
)
def test_a_model_can_read_what_was_wrong(wrong: dict[str, Any], words: str) -> None:
    said = with_client(server(), lambda client: error(client, "new_game", **wrong))
    assert words in said
    assert "pydantic" not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("move", {"game_id": "x"}, "move: is missing; give: The text of a legal move, such as"),
        ("move", {}, "game_id: is missing; give: The game, as new_game has named it."),
        ("move", {"game_id": "x", "move": ["pass"]}, "move: ['pass'] is none; give: The text of"),
        (
            "moves",
            {},
            "moves: there is no such tool, but new_game, look, legal_moves, move, rules; did",
        ),
        ("hint", {}, "hint: there is no such tool, but new_game,"),
    ],
)
def test_a_model_can_read_how_a_tool_is_called(
    tool: str, given: dict[str, Any], words: str
) -> None:
    said = with_client(server(hints=False), lambda client: error(client, tool, **given))
    assert said.startswith(words)
    assert "\n" not in said


# ---- The command --------------------------------------------------------------------------------


def test_a_bot_that_fails_ends_the_game_and_shows_no_cards(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: Any) -> str:
        return "I hold the king."

    async def session(client: Client) -> None:
        game_id, _ = await begun(client, game="general_mhing", seat=0, seed=1)
        result = None
        while result is None or not result.is_error:
            moves = (await said(client, "legal_moves", game_id=game_id)).splitlines()
            result = await client.call_tool("move", {"game_id": game_id, "move": moves[0]})
        (content,) = result.content
        assert content.text.endswith("the player in seat 1 fails, and with it the game has ended")
        for tool in ("look", "legal_moves", "hint"):
            assert "there is no game" in await error(client, tool, game_id=game_id)
        assert "there is no game" in await error(client, "move", game_id=game_id, move=moves[0])

    with_client(server(broken), session)

    assert "illegal answer: 'I hold the king.'" in caplog.text


def test_a_bot_may_be_named_alone() -> None:
    async def session(client: Client) -> None:
        one = await begun(client, game="leduc", seed=1, opponents="random")
        assert one[1] == (await begun(client, game="leduc", seed=1, opponents=["random"]))[1]

    with_client(server("greedy"), session)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--host 0.0.0.0 --port 0", "--host 0.0.0.0: also name it for others, by --allowed-host"),
        ("--allowed-host here", "--host and --allowed-host: they are for HTTP; name a --port"),
        ("--opponents nobody", "opponents: no bot 'nobody'"),
        ("--port 70000", "'70000' is not a whole number from 0 to 65535"),
    ],
)
def test_bad_options(options: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(["mcp", *options.split()])
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "mhing.text.mcp")
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert main(["mcp"]) == 2
    assert re.match(r"mhing: this needs mcp\S*: pip install '.*\[mcp\]'", capsys.readouterr().err)


# ---- Secrets ------------------------------------------------------------------------------------


class Script:
    """Plays the actions of a path, which holds those of all seats in their order; then any."""

    def __init__(self) -> None:
        self.path: tuple[int, ...] = ()
        self.played: list[Any] = []

    def __call__(self, _: Any, mask: Any, info: Any) -> int:
        return self.path[len(self.played)] if self.goes_on else int(mask.argmax())

    @property
    def goes_on(self) -> bool:
        return len(self.played) < len(self.path)


def messages_to(deal: twins.Deal, path: tuple[int, ...], seat: int) -> list[str]:
    """All that a seat is told in a game in which these actions are played."""
    script = Script()
    tools = mcp._Tools([script] * (deal.game.num_seats - 1), 1)
    tools.new_game(deal.game.id, seat=seat, seed=0)
    ((game_id, play),) = tools._plays.items()
    at = play.env.table
    at.reset(0)
    at.table.state, script.path = deal.state(), path
    at.table.played.clear()
    script.played = at.table.played
    at._log, at._steps, at._heard = [], 0, [type(one)() for one in at._heard]
    play.turn = at._next()
    heard = [play.turn.text]
    while script.goes_on:
        heard += [tools.look(game_id), tools.legal_moves(game_id), tools.svg(game_id)]
        heard += [tools.hint(game_id)]
        action = deal.game.action_text(path[len(script.played)])
        heard.append(tools.move(game_id, action))
    return heard[:-1]  # the last one tells what others have played after the path


@pytest.mark.slow
@pytest.mark.parametrize("game_id", LARGE)
def test_twins_get_the_same_messages(game_id: str) -> None:
    """Also where another seat was asked in secret in one of two worlds only."""
    game, compared, differ = mhing.Game(game_id), 0, 0
    for seed in range(24):
        pair = twins.twins(game, seed, 12)
        for _ in twins.moments(pair, seed, 60):
            alike = set(pair.alike)
            paths = pair.one.path, pair.other.path
        differ += len(paths[0]) != len(paths[1])
        for seat in alike:
            one, other = (
                messages_to(deal, path, seat) for deal, path in zip(pair.deals, paths, strict=True)
            )
            assert one == other, (seed, seat)
            compared += len(one)
    assert compared > 40
    assert differ or game_id != "mhing", "nobody was asked in one world alone"
