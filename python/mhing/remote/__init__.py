"""Games on a server: environments as in this process, and tables for bots.

>>> import mhing
>>> connection = mhing.connect("tcp://127.0.0.1:7644")  # mhing serve prints the endpoint
>>> env = connection.make("Mhing-v0")  # or gym.make("Mhing-v0", endpoint="tcp://...")
>>> connection.close()

Needs the extra ``mhing[server]``. Modules: :mod:`mhing.remote.connection` (sessions),
:mod:`mhing.remote.batch` (rows that a server steps), :mod:`mhing.remote.bot` (seats at tables),
:mod:`mhing.remote.player` (who is asked there), :mod:`mhing.remote.spectator` (who looks on),
:mod:`mhing.remote.seeds` (whether the deals were those that had been promised).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mhing.remote.bot import Bot
from mhing.remote.player import AskedPlayer, Turn
from mhing.remote.seeds import check_seeds

if TYPE_CHECKING:
    from mhing.remote.connection import Connection
    from mhing.remote.spectator import Spectator

__all__ = ["AskedPlayer", "Bot", "Connection", "Spectator", "Turn", "check_seeds"]


def __getattr__(name: str) -> type[Connection | Spectator]:
    """Import what needs the extra; bots and programs play in this process without it."""
    if name == "Connection":
        from mhing.remote.connection import Connection  # noqa: PLC0415

        return Connection
    if name == "Spectator":
        from mhing.remote.spectator import Spectator  # noqa: PLC0415

        return Spectator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
