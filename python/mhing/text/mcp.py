"""A server of the Model Context Protocol: language models play games by calls of tools.

Each game is one seat of a :class:`mhing.text.TextEnv`. ``new_game`` returns its id, which nobody
can guess and which the other tools take: so clients have their games apart, whatever transport and
version of the protocol they use. Nothing that a tool returns follows from what the seat cannot
know.

A client can name built-in bots alone, since other names load files and run code here; the host may
seat any players.
"""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Annotated, Any, get_type_hints

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from pydantic import Field, ValidationError

import mhing
from mhing._support.spelling import did_you_mean
from mhing.game import DEFAULT_GAME, Game
from mhing.judge import Judge
from mhing.players.registry import check_built_in
from mhing.players.seating import Given, listed, seat, unlisted
from mhing.render import rgb_array, svg
from mhing.render.png import to_png
from mhing.table import PlayerFailed
from mhing.text.env import TextEnv
from mhing.tui.words import hint

KEPT = 1000
"""Games that a server keeps: one more, and it forgets the game that was not used the longest."""

_LOG = logging.getLogger(__name__)
_NO_LIMIT = 2**31
"""Replies to a question that may be no moves: each is an error, and nothing else is played."""

GameName = Annotated[str, Field(description=f"One of: {', '.join(mhing.games())}.")]
GameId = Annotated[str, Field(description="The game, as new_game has named it.")]
Options = Annotated[
    dict[str, bool | int | str],
    Field(description='Options of the game by name, such as {"num_players": 3}.'),
]
Bots = Annotated[
    list[str] | str,
    Field(description="Built-in bots: one for all other seats, or one for each; none: the host's."),
]
Seed = Annotated[
    int | None, Field(description="0 to 2**64 - 1: the same seed, the same cards and bots.")
]
Seat = Annotated[int | None, Field(description="Your seat, from 0; none: drawn from the seed.")]
Reply = Annotated[str, Field(description="The text of a legal move, such as 'discard 5s'.")]


def server(
    opponents: Given | Sequence[Given] | None = None, *, hints: bool = True, kept: int = KEPT
) -> MCPServer[Any]:
    """Make the server; its ``run`` serves a client.

    Args:
        opponents: who has the other seats of games for which a client names nobody, see
            :mod:`mhing.players`; None: the game's default bot.
        hints: whether there is a tool that says what a bot would play.
        kept: games that it keeps.

    Raises:
        ValueError: the opponents can play none of the games.
        ModuleNotFoundError: an extra is missing.
    """
    _check(opponents)
    tools = _Tools(opponents, kept)
    made = _Server(
        version=mhing.__version__,
        instructions="Card games against bots. Begin with new_game, read rules, then play by move.",
        log_level="ERROR",
    )
    offered: list[Callable[..., Any]] = [
        tools.new_game, tools.look, tools.legal_moves, tools.move, tools.rules,
    ]  # fmt: skip
    for tool in [*offered, tools.hint] if hints else offered:
        made.offer(tool)
    for place, kind, resource in (
        ("mhing://rules/{game}", "text/markdown", tools.rules_page),
        ("mhing://tables/{game_id}/svg", "image/svg+xml", tools.svg),
        ("mhing://tables/{game_id}/png", "image/png", tools.png),
    ):
        made.resource(place, mime_type=kind)(_readable(resource, ResourceError))
    return made


class _Server(MCPServer[Any]):
    """The server, which says in plain sentences what is wrong with the arguments of a call."""

    def __init__(self, **settings: Any) -> None:
        super().__init__("mhing", **settings)
        self._wanted: dict[str, dict[str, str]] = {}
        """The description of each argument, by tool."""

    def offer(self, tool: Callable[..., str]) -> None:
        """Add a tool."""
        hints = get_type_hints(tool, include_extras=True)
        del hints["return"]
        self._wanted[tool.__name__] = {
            name: hint.__metadata__[0].description for name, hint in hints.items()
        }
        self.add_tool(_readable(tool, ToolError), structured_output=False)

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; raise ToolError, which a model can read, where that is wrong."""
        wanted = self._wanted.get(name)
        if wanted is None:
            known = ", ".join(self._wanted)
            meant = did_you_mean(name, self._wanted)
            raise ToolError(f"{name}: there is no such tool, but {known}{meant}")
        for given in arguments:
            if given not in wanted:
                known = ", ".join(wanted)
                meant = did_you_mean(given, wanted)
                raise ToolError(f"{given}: {name} has no such argument, but {known}{meant}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            argument = str(error.__cause__.errors()[0]["loc"][0])
            what = f"{arguments[argument]!r:.80} is none" if argument in arguments else "is missing"
            raise ToolError(f"{argument}: {what}; give: {wanted[argument]}") from None


def _check(opponents: Given | Sequence[Given] | None) -> None:
    """Raise ValueError unless the opponents can play one of the games."""
    refused: ValueError | None = None
    for game in map(Game, mhing.games()):
        try:
            for one in [] if opponents is None else listed(opponents):
                seat(one, game, "opponents")
        except ValueError as error:
            refused = refused or error
        else:
            return
    assert refused
    raise refused


def _readable(call: Callable[..., Any], kind: type[Exception]) -> Callable[..., Any]:
    """The call, whose errors a client can read: it is shown those of this type alone."""

    @wraps(call)
    def readable(*args: Any, **keys: Any) -> Any:
        try:
            return call(*args, **keys)
        except (ValueError, TypeError, LookupError, RuntimeError) as error:
            raise kind(str(error)) from error

    return readable


def _client_error(error: PlayerFailed) -> RuntimeError:
    """The error for a client when a bot fails; the reason is for the log of the host."""
    _LOG.error(error.whole)
    return RuntimeError(f"the player in seat {error.seat} fails, and with it the game has ended")


class _Play:
    """A game in play."""

    def __init__(self, env: TextEnv, seed: int | None) -> None:
        self.env, self.lock = env, Lock()
        self.turn = env.reset(seed)
        self.hints = 0

    @property
    def state(self) -> mhing.State:
        return self.env.table.table.state

    def check(self) -> None:
        """Raise ValueError if it is over."""
        if self.turn.is_over:
            raise ValueError("the game is over: new_game begins another one")

    def end(self) -> str:
        """The rewards of the seats, and how often the client was helped."""
        returns = self.turn.info["returns"]
        earned = (f"seat {seat} {one:+g}" for seat, one in enumerate(returns.tolist()))
        notes = f"Moves refused: {self.turn.info['mistakes']}; hints: {self.hints}."
        return f"Earned ({self.env.game.unit}): {', '.join(earned)}. {notes}"


class _Tools:
    """The tools, each a method; the text above its arguments is for models."""

    def __init__(self, opponents: Given | Sequence[Given] | None, kept: int) -> None:
        self._opponents, self._kept = opponents, kept
        self._plays: OrderedDict[str, _Play] = OrderedDict()
        self._lock = Lock()

    def new_game(
        self,
        game: GameName = DEFAULT_GAME,
        options: Options = {},  # noqa: B006  it is only read, and stands in the schema
        opponents: Bots = [],  # noqa: B006
        seed: Seed = None,
        seat: Seat = None,
    ) -> str:
        """Begin a game. Returns its id, how moves are written, and what you see and are asked."""
        names = listed(opponents)
        for name in names:
            check_built_in("opponents", name)
        if "id" in options:
            raise ValueError("options: the game is a separate argument")
        if seed is not None and not 0 <= seed < 2**64:
            raise ValueError(f"seed: {seed} is not from 0 to 2**64 - 1")
        env = TextEnv(
            Game(game, **options),
            opponents=unlisted(names) if names else self._opponents,
            seat=seat,
            mistakes=_NO_LIMIT,
        )
        try:
            play, name = _Play(env, seed), secrets.token_urlsafe(12)
        except PlayerFailed as error:
            raise _client_error(error) from error
        with self._lock:
            self._plays[name] = play
            while len(self._plays) > self._kept:
                self._plays.popitem(last=False)
        return f"Game: {name}\n{env.texts.forms()}\n{play.turn.text}"

    def look(self, game_id: GameId) -> str:
        """Return all that you see of the table, and what you are asked."""
        with self._at(game_id) as play:
            if play.turn.is_over:
                return f"{play.turn.text}{play.end()}"
            return play.env.texts.observation(play.state, play.env.seat)

    def legal_moves(self, game_id: GameId) -> str:
        """Return your legal moves, a line each."""
        with self._at(game_id) as play:
            play.check()
            return "\n".join(play.turn.moves)

    def move(self, game_id: GameId, move: Reply) -> str:
        """Play a move. Returns what has happened since, and what you see and are asked next."""
        with self._at(game_id) as play:
            play.check()
            try:
                play.turn = play.env.step(move)
            except PlayerFailed as error:
                with self._lock:
                    self._plays.pop(game_id, None)
                raise _client_error(error) from error
            if play.turn.refusal:
                raise ValueError(play.turn.text)
            return play.turn.text + (play.end() if play.turn.is_over else "")

    def hint(self, game_id: GameId) -> str:
        """Return what a bot would play that knows what you know; hints are counted."""
        with self._at(game_id) as play:
            play.check()
            play.hints += 1
            return hint(Judge(play.env.game).decide(play.state))

    def rules(
        self,
        game: GameName = DEFAULT_GAME,
        full: Annotated[bool, Field(description="All rules, instead of a guide.")] = False,
    ) -> str:
        """Return the rules of a game: a guide for newcomers, or all of them."""
        return Game(game).rules_text() if full else Game(game).guide_text()

    def rules_page(self, game: str) -> str:
        """All rules of a game."""
        return self.rules(game, full=True)

    def svg(self, game_id: str) -> str:
        """A picture of the table as your seat sees it."""
        with self._at(game_id) as play:
            return svg(play.state, view=play.env.seat)

    def png(self, game_id: str) -> bytes:
        """A picture of the table as your seat sees it."""
        with self._at(game_id) as play:
            return to_png(rgb_array(play.state, view=play.env.seat))

    @contextmanager
    def _at(self, game_id: str) -> Iterator[_Play]:
        """A game, which answers one call at a time."""
        with self._lock:
            play = self._plays.get(game_id)
            if play is None:
                raise LookupError(f"there is no game {game_id!r} here: new_game begins one")
            self._plays.move_to_end(game_id)
        with play.lock:
            yield play
