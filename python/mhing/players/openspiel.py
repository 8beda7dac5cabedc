"""Bots of OpenSpiel as players."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from mhing.game import Game, State
from mhing.openspiel import MhingState, game_of, state_of  # says how to install it
from mhing.players.rows import RowPolicy

import pyspiel  # isort: skip


class BotPolicy(RowPolicy):
    """Plays as a bot of OpenSpiel; given as a player, one is seated so by itself.

    OpenSpiel shows its bots the whole state. This one is shown a state in which all cards that its
    seat cannot know are dealt anew, and whose memory begins at the question.

    Args:
        bot: a ``pyspiel.Bot`` that plays any seat, such as a search; or a function that makes the
            one of a seat, such as ``lambda seat: UniformRandomBot(seat, rng)``.
    """

    sees = "world"

    def __init__(self, bot: pyspiel.Bot | Callable[[int], pyspiel.Bot]) -> None:
        make = (lambda seat: bot) if isinstance(bot, pyspiel.Bot) else bot
        self._of_seat: Callable[[int], pyspiel.Bot] = cache(make)

    def choose_rows(self, observations: list[State], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Choose an action in each world."""
        return np.array([self._choose(state_of(world)) for world in observations])

    def _choose(self, state: MhingState) -> int:
        action: int = self._of_seat(state.current_player()).step(state)
        return action


def load(name: str, game: Game) -> BotPolicy:
    """Return a bot that is registered with OpenSpiel; ValueError where there is none.

    >>> import mhing
    >>> mhing.players.load("openspiel:uniform_random", "general_mhing").name
    'openspiel:uniform_random'
    """
    known = pyspiel.registered_bots()
    if name not in known:
        raise ValueError(f"OpenSpiel has no bot {name!r} registered; it has {', '.join(known)}")
    played = game_of(game)
    return BotPolicy(lambda seat: pyspiel.load_bot(name, played, seat))


def refuse_agent(agent: Any) -> NoReturn:
    """Raise TypeError that says how an agent of ``rl_environment`` plays."""
    raise TypeError("mhing.openspiel.AgentPolicy(agent, game) makes a player of it")
