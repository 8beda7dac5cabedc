"""Players from what was given for them, wherever they sit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mhing._lib.arguments import whole
from mhing.game import DEFAULT_GAME, Game, State
from mhing.options import Options
from mhing.players.asking import ask_rows, check_shape, reason
from mhing.players.player import Command, Guest, Outside, Player, Plays, Policy
from mhing.players.registry import find, identity
from mhing.players.views import PlayerView
from mhing.players.wrap import meant, wrap
from mhing.words import plural

if TYPE_CHECKING:
    from typing_extensions import Unpack


Given: TypeAlias = str | Policy | Player
"""A player's name, see :func:`mhing.players.kinds`, or an object that plays, see
:func:`mhing.players.wrap`."""

OUTSIDE: tuple[Outside, ...] = (Command, Guest)
"""All that plays outside this process."""

SELF = "self"
"""The name of the caller among the opponents in a batch."""

_SERVERS = ("server:", "tcp:", "ipc:")
_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
_MISNAMED = re.compile(r"[^=:/]+=")


def load(player: Given, game: Game | str = DEFAULT_GAME, **options: Unpack[Options]) -> Player:
    """Make a player of a game.

    Args:
        player: its name, see :func:`mhing.players.kinds`, or an object that plays.
        game: the game that it plays, or its id.
        options: of the game, if `game` is an id.

    Raises:
        ValueError: no such player, or a file or a module that cannot be used.
        TypeError: it is neither text nor an object that plays, or there are options beside a game.
        ModuleNotFoundError: an extra is missing.

    >>> load("search:50", "mhing").name
    'search:50'
    """
    if not isinstance(game, Game):
        game = Game(game, **options)
    elif options:
        raise TypeError(f"{next(iter(options))}: the game is made already; give options to Game()")
    return seat(player, game, outside=OUTSIDE)


def seat(
    given: Given,
    game: Game,
    argument: str = "player",
    *,
    also: str = "",
    outside: Sequence[Outside] = (),
) -> Player:
    """Make a player of a game, for a place where users name one.

    Args:
        given: its name, or an object that plays.
        game: the game that it plays.
        argument: what errors call the argument.
        also: names that the caller takes beside those of players, each with a comma.
        outside: what it may be that plays outside this process; :data:`OUTSIDE`: all of that.

    Raises:
        ValueError: no such player, or a file or a module that cannot be used.
        TypeError: it is neither text nor an object that plays.
        ModuleNotFoundError: an extra is missing.
    """
    if isinstance(given, Player):
        player = given
        if player.game is not game:
            again = seat(given.given, game, argument, also=also, outside=outside)
            player = replace(again, name=given.name)
    elif isinstance(given, str):
        plays = find(given, game, argument, also)
        if not isinstance(plays, int | Command | Guest):
            try:
                plays = wrap(plays)
            except TypeError as error:
                raise ValueError(f"{argument}: {given} {error}") from None
        player = _made(given, game, plays, argument)
    else:
        try:
            plays = wrap(given)
        except TypeError as error:
            shown = called(given) if "\n" in repr(given) else repr(given)
            raise TypeError(f"{argument}: {shown} {error}") from None
        player = _made(given, game, plays, argument)
    if isinstance(player.plays, Command | Guest) and type(player.plays) not in outside:
        who = "only environments, " if isinstance(player.plays, Command) else "only "
        raise ValueError(
            f"{argument}: {player.name} plays outside this process: {who}the arena and mhing "
            "record ask it"
        )
    return player


def _made(given: Given, game: Game, plays: Plays, argument: str) -> Player:
    """Return the player, with the first view of those it may see under which it can be asked."""
    wanted = getattr(plays, "sees", None)
    views = wanted if isinstance(wanted, tuple) else (wanted,)
    name, (mark, is_marked) = called(given), identity(given)
    refused: Exception | None = None
    for sees in views:
        try:
            player = Player(game, name, plays, PlayerView(game, sees), given, mark, is_marked)
            _try(player)
        except ValueError as error:
            refused = refused or error
        else:
            return player
    raise ValueError(f"{argument}: {name} {refused}") from refused


def _try(player: Player) -> None:
    """Ask a player that answers for rows about one position; ValueError where it cannot play."""
    if not hasattr(player.plays, "choose_rows"):
        return
    state = next(filter(_is_asked, map(player.game.new_state, count())))
    observations, masks = player.view.of_states([state]), state.action_mask()[None]
    try:
        actions = ask_rows(player.policy, observations, masks)
        check_shape(actions, 1)
    except Exception as error:  # whatever its code raises
        shape = f" of {np.shape(observations)}" if isinstance(observations, np.ndarray) else ""
        raise ValueError(
            f"fails when it is asked about an observation{shape}: {reason(error)}"
        ) from error
    if isinstance(actions[0], str):
        return
    try:
        action = whole(actions[0], "its answer")
    except TypeError as error:
        raise ValueError(f"does not play: {error}") from None
    if not (0 <= action < masks.shape[1] and masks[0, action]):
        raise ValueError(
            f"answers with action {action} where the mask forbids it; does it read masks?"
        )


def _is_asked(state: State) -> bool:
    return not state.is_terminal


def line_up(
    given: Sequence[Given] | Mapping[str, Given], game: Game, argument: str
) -> list[Player]:
    """Make several players, programs and guests too, with names that differ.

    Args:
        given: the players, by name or in order. ``NAME=`` before a text names the player; a name
            has letters, digits, ``_``, ``.`` and ``-``.
        game: the game that they play.
        argument: what errors call the argument.

    Raises:
        ValueError: one cannot be used.
        TypeError: one is neither text nor an object that plays.
        ModuleNotFoundError: an extra is missing.
    """
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        advice = f"; give a list, [{given!r}, ...]" if isinstance(given, str) else meant(given)
        raise TypeError(
            f"{argument}: {given!r} is neither a sequence of players nor a mapping{advice}"
        )
    named = [*given.items()] if isinstance(given, Mapping) else [split_name(one) for one in given]
    players: list[Player] = []
    for name, one in named:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{argument}: {name!r} is no text to name a player by")
        if isinstance(one, str) and _MISNAMED.match(one):
            raise ValueError(
                f"{argument}: {one!r}: a name before = has letters, digits, '_', '.' and '-' only"
            )
        player = seat(one, game, argument, outside=OUTSIDE)
        taken = {other.name for other in players}
        found = next(one for one in _numbered(name or player.name) if one not in taken)
        players.append(replace(player, name=found))
    return players


def check_marks(players: Iterable[Player], begun: str) -> None:
    """Refuse to continue what was begun with a player that cannot be told from another one.

    Args:
        players: who play.
        begun: what was begun, and that it was, as errors say it.

    Raises:
        ValueError: one is an object without an attribute `identity`.
    """
    for player in players:
        if not player.is_marked:
            raise ValueError(
                f"{begun} already, and {player.name} is an object that may be another one than "
                "then; give it an attribute 'identity', a text that changes whenever the player "
                "does, or name it, as MODULE:NAME"
            )


def changed(key: str, begun: Any, now: Any) -> str:
    """Return the setting with which something was begun, and the other one that it has now.

    Args:
        key: what it is called; ``"players"`` are pairs of names and marks, ``"field"`` are marks.
        begun: its value then, as JSON has it.
        now: its value now.
    """
    if key == "field":
        begun, now = (
            [(mark.partition(" sha256:")[0], mark) for mark in one] for one in (begun, now)
        )
    if key in ("players", "field"):
        before, after = ([name for name, _ in one] for one in (begun, now))
        if before == after:
            name = next(one[0] for one, other in zip(begun, now, strict=True) if one[1] != other[1])
            return f"another player {name}: its name, files or identity have changed"
        return f"the {key} {', '.join(before) or None}, not {', '.join(after) or None}"
    if isinstance(begun, dict) and isinstance(now, dict):
        name = next(name for name in {**begun, **now} if begun.get(name) != now.get(name))
        return f"{key} {name}={begun.get(name)}, not {now.get(name)}"[:400]
    if isinstance(begun, list):
        return f"other {key} than there are now"
    return f"{key} {begun!r}"[:200] + f", not {now!r}"[:200]


def split_name(given: Given) -> tuple[str | None, Given]:
    """Return the name that a text has before ``=``, or None, and the player."""
    found = _NAMED.fullmatch(given) if isinstance(given, str) else None
    return (found[1], found[2]) if found else (None, given)


def _numbered(name: str) -> Iterator[str]:
    """The name, and then with a number, for where others have it."""
    yield name
    yield from (f"{name} ({number})" for number in count(2))


def called(given: Given) -> str:
    """Return a player's name where none was given beside it: a text, or an object's own name."""
    if isinstance(given, str):
        return given.rpartition("/")[2] if given.startswith(_SERVERS) else given
    own = getattr(given, "name", None)
    return own if isinstance(own, str) else getattr(given, "__name__", type(given).__name__)


# ---- Opponents ----------------------------------------------------------------------------------


def has_self(opponents: Any) -> bool:
    """Return whether ``"self"`` is among the opponents, so that the caller plays several seats."""
    return any(isinstance(player, str) and player == SELF for player in listed(opponents))


def listed(players: Any) -> Sequence[Any]:
    """The players; one alone as a list."""
    if isinstance(players, Sequence) and not isinstance(players, str):
        return players
    return [players]


def unlisted(players: Sequence[Any]) -> Any:
    """The players; one alone without the list, as one who takes every seat is given.

    >>> unlisted(["greedy"]), unlisted(["greedy", "random"])
    ('greedy', ['greedy', 'random'])
    """
    return players if len(players) > 1 else players[0]


def one_per_seat(game: Game, opponents: Any, argument: str = "opponents") -> Sequence[Any]:
    """The player given for each other seat, clockwise from the learner's; None: the default bot.

    Raises:
        ValueError: a list of the wrong length.
    """
    others = game.num_seats - 1
    given: Sequence[Any] = listed(game.default_bot if opponents is None else opponents)
    if listed(opponents) is not opponents:  # one alone
        return [*given] * others
    if len(given) != others:
        raise ValueError(
            f"{argument}: {len(given)} given for {plural(others, 'other seat')}; "
            "give one for each, clockwise from the learner's, or a single one for all"
        )
    return given
