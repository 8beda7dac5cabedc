"""Players outside this process: programs, and guests of a server."""

from __future__ import annotations

import re

from mhing.game import Game
from mhing.players.player import GUEST_NAME, Command, Guest
from mhing.remote.bridge import command_words

_GUEST = re.compile(f"((?:tcp|ipc)://.*[^/])/({GUEST_NAME})")


def program(command: str, game: Game) -> Command:
    """Return the program of a command line; ValueError where it cannot be started."""
    return Command(tuple(command_words(command)))


def guest(place: str, game: Game) -> Guest:
    """Return the guest that waits at ENDPOINT/NAME; ValueError where that is none."""
    found = _GUEST.fullmatch(place)
    if not found or (place.startswith("tcp:") and not re.search(r":\d+$", found[1])):
        raise ValueError(
            f"{place}: no guest of a server; write the endpoint and the name under which it "
            "waits, as in tcp://127.0.0.1:7644/NAME"
        )
    return Guest(found[1], found[2])


def tcp(place: str, game: Game) -> Guest:
    """Return the guest that waits at ``tcp:`` and this."""
    return guest(f"tcp:{place}", game)


def ipc(place: str, game: Game) -> Guest:
    """Return the guest that waits at ``ipc:`` and this."""
    return guest(f"ipc:{place}", game)
