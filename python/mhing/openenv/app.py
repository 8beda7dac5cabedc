"""The application that a container serves: ``uvicorn mhing.openenv.app:app``.

Variables of the environment: ``MHING_GAME``, the game's id; ``MHING_OPPONENTS``, a player as in
:mod:`mhing.players`; ``MHING_SESSIONS``, how many clients may play at once.
"""

from __future__ import annotations

import os

from mhing.game import DEFAULT_GAME
from mhing.openenv import SESSIONS, make_app

app = make_app(
    os.environ.get("MHING_GAME", DEFAULT_GAME),
    sessions=int(os.environ.get("MHING_SESSIONS", SESSIONS)),
    opponents=os.environ.get("MHING_OPPONENTS"),
)
