"""Players made from names, callables, programs and guests, as tables ask them."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeAlias

from mhing import bots
from mhing._lib import nets
from mhing.game import Game
from mhing.remote.bridge import command_words

Given: TypeAlias = bots.Opponent
"""A built-in bot's name, ``"onnx:FILE"``, ``"run:FOLDER"``, ``"module:function"``,
``"exec:COMMAND"``, a guest as ``"tcp://HOST:PORT/NAME"``, or a policy.

``NAME=`` before a text names the player; a name has letters, digits, ``_``, ``.`` and ``-``.
"""

_EXEC = "exec:"
_SERVERS = ("tcp://", "ipc://")
_GUEST = re.compile(f"((?:tcp|ipc)://.*[^/])/({bots.GUEST_NAME})")
_NAMED = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
_MISNAMED = re.compile(r"[^=:/]+=")


@dataclass(frozen=True)
class Command:
    """A program that plays over its standard input and output."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Guest:
    """A bot that waits under this name at a server."""

    endpoint: str
    name: str


@dataclass(frozen=True)
class Player:
    """One who plays."""

    name: str
    """Unique among those of a tournament."""
    identity: str
    """Its mark in a log, so that no other player continues in its place."""
    plays: int | bots.Policy | Command | Guest
    """A built-in bot's number, a policy to be called, a program, or a server's guest."""


def make(game: Game, given: Sequence[Given] | Mapping[str, Given], argument: str) -> list[Player]:
    """The players that were given, by name or in order.

    Raises:
        ValueError: one cannot be used.
        TypeError: one is neither text nor callable.
        ModuleNotFoundError: an extra is missing.
    """
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        raise TypeError(f"{argument}: {given!r} is neither a sequence of players nor a mapping")
    named = [*given.items()] if isinstance(given, Mapping) else [name_of(one) for one in given]
    players: list[Player] = []
    for name, one in named:
        if not isinstance(name, str):
            raise TypeError(f"{argument}: {name!r} is no text to name a player by")
        plays = _plays(game, one, argument)
        players.append(Player(_unique(name, players), _identity(one), plays))
    return players


def _unique(name: str, players: Sequence[Player]) -> str:
    """The name, with a number where others have it."""
    taken = {player.name for player in players}
    numbered = (f"{name} ({number})" for number in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)


def name_of(given: Given) -> tuple[str, Given]:
    """The name of a player that was given without one beside it, and the player."""
    if not isinstance(given, str):
        return _identity(given).rpartition(":")[2], given
    if found := _NAMED.fullmatch(given):
        return found[1], found[2]
    guest = _GUEST.fullmatch(given)
    return guest[2] if guest else given, given


def _plays(game: Game, given: Given, argument: str) -> int | bots.Policy | Command | Guest:
    if isinstance(given, str) and given.startswith(_SERVERS):
        return _guest(given, argument)
    if isinstance(given, str) and given.startswith(_EXEC):
        try:
            return Command(tuple(command_words(given.removeprefix(_EXEC))))
        except ValueError as error:
            raise ValueError(f"{argument}: {error}") from None
    if isinstance(given, str) and _MISNAMED.match(given):
        raise ValueError(
            f"{argument}: {given!r}: a name before = has letters, digits, '_', '.' and '-' only"
        )
    return bots.named(game, given, argument, also="'exec:COMMAND', ")


def _guest(given: str, argument: str) -> Guest:
    found = _GUEST.fullmatch(given)
    if not found or (given.startswith("tcp:") and not re.search(r":\d+$", found[1])):
        raise ValueError(
            f"{argument}: {given}: no guest of a server; write the endpoint and the name under "
            "which it waits, as in tcp://127.0.0.1:7644/NAME"
        )
    return Guest(found[1], found[2])


def _identity(given: Any) -> str:
    """Return its mark in a log: its text with digests of the files that it names, or its type."""
    if not isinstance(given, str):
        kind = given if hasattr(given, "__qualname__") else type(given)
        return f"{kind.__module__}:{kind.__qualname__}"
    files = [path for path in _files(given) if path.is_file()]
    return " ".join([given, *(f"sha256:{_digest(path)}" for path in files)])


def _files(given: str) -> list[Path]:
    if given.startswith(bots.ONNX):
        return [Path(given.removeprefix(bots.ONNX))]
    if given.startswith(nets.NET_FILE):
        return [Path(given.removeprefix(nets.NET_FILE))]
    if given.startswith(bots.RUN):
        return [Path(given.removeprefix(bots.RUN)) / bots.CHECKPOINT]
    if given.startswith(_EXEC):
        return [Path(word) for word in command_words(given.removeprefix(_EXEC))]
    module, colon, _ = given.partition(":")
    found = getattr(sys.modules.get(module), "__file__", None) if colon else None
    return [Path(found)] if found else []


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
