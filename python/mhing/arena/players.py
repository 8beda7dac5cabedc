"""Who plays: names, callables and programs, each made a player that the tables can ask."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from mhing import bots
from mhing.game import Game
from mhing.remote.bridge import command_words

Given: TypeAlias = bots.Opponent
"""A built-in bot's name, ``"onnx:FILE"``, ``"module:function"``, ``"exec:COMMAND"``, or a policy.

``NAME=`` before a text gives the player a name of its own.
"""

_EXEC = "exec:"
_ONNX = "onnx:"
_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A program that plays over its standard input and output."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Player:
    """One who plays."""

    name: str
    """Unique among those of a tournament."""
    identity: str
    """What a log holds of it, so that nobody else goes on in its place."""
    plays: int | bots.Policy | Command
    """A built-in bot's number, a policy to be called, or a program."""


def make(game: Game, given: Sequence[Given] | Mapping[str, Given], argument: str) -> list[Player]:
    """The players that were given, by name or in order.

    Raises:
        ValueError: one cannot be used, or two have the same name.
        TypeError: one is neither text nor callable.
        ModuleNotFoundError: an extra is missing.
    """
    if isinstance(given, str) or callable(given):
        given = [given]
    named = [*given.items()] if isinstance(given, Mapping) else [_name(one) for one in given]
    players: list[Player] = []
    for name, one in named:
        taken = {player.name for player in players}
        same, unique = 1, name
        while unique in taken:
            same += 1
            unique = f"{name} ({same})"
        players.append(Player(unique, _identity(one), _plays(game, one, argument)))
    return players


def _name(given: Given) -> tuple[str, Given]:
    """The name of a player, and the player."""
    if not isinstance(given, str):
        return _identity(given).rpartition(":")[2], given
    if found := _NAMED.fullmatch(given):
        return found[1], found[2]
    return given, given


def _plays(game: Game, given: Given, argument: str) -> int | bots.Policy | Command:
    if isinstance(given, str) and given.startswith(_EXEC):
        try:
            return Command(tuple(command_words(given.removeprefix(_EXEC))))
        except ValueError as error:
            raise ValueError(f"{argument}: {error}") from None
    return bots.named(game, given, argument)


def _identity(given: Any) -> str:
    if isinstance(given, str):
        path = Path(given.removeprefix(_ONNX))
        if given.startswith(_ONNX) and path.is_file():
            return f"{given} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        return given
    kind = given if hasattr(given, "__qualname__") else type(given)
    return f"{kind.__module__}:{kind.__qualname__}"
