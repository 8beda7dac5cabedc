"""Evaluators of decisions: bots by values of actions, policies by probabilities.

>>> import mhing
>>> judge = Judge(mhing.Game("mhing"), "expert")
>>> decision = judge.decide(mhing.Game("mhing").new_state(seed=1))
>>> decision.loss(decision.choice)
0.0
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from mhing._lib.games import SEARCH
from mhing.decision import PROBABILITY, Decision
from mhing.game import SEARCHER, Game
from mhing.players.asking import reason
from mhing.players.seating import Given, seat
from mhing.state import State


class Judge:
    """A bot or a policy that is asked what it makes of decisions.

    It goes by what the seat to act knows, and a policy by what it observes.

    Args:
        game: the game.
        bot: its name, or an object that plays, see :mod:`mhing.players`; None:
            ``game.default_judge``.
        argument: what errors call the argument.

    Raises:
        ValueError: no such bot, or a file or a module that cannot be used.
        TypeError: it is neither text nor callable, or cannot be called with three arguments.
        ModuleNotFoundError: an extra is missing.
    """

    def __init__(self, game: Game, bot: Given | None = None, argument: str = "bot") -> None:
        self.game = game
        self._argument = argument
        given = game.default_judge if bot is None else bot
        self._player = seat(given, game, argument)
        self.name = self._player.name

    @property
    def judges(self) -> bool:
        """True if it has values or probabilities of actions, and not only a choice."""
        if isinstance(self._player.plays, int):
            without = [bot.name for bot in self.game.bots if not bot.values]
            return self.name not in without
        return hasattr(self._player.plays, "probabilities")

    @property
    def unit(self) -> str:
        """The unit of its scores: ``game.unit``, or `PROBABILITY`."""
        return self.game.unit if isinstance(self._player.plays, int) else PROBABILITY

    def check(self) -> None:
        """Raise ValueError, which names others, if it has neither values nor probabilities."""
        if not self.judges:
            raise ValueError(
                f"{self._argument}: {self.name} has neither values nor probabilities of actions; "
                f"name one that has: {', '.join(judges(self.game))}, or a network of 'net:FILE', "
                "'onnx:FILE' or 'run:FOLDER'"
            )

    def decide(self, state: State, names: Sequence[str] | None = None) -> Decision:
        """Return its evaluation of the decision of the seat to act.

        Args:
            state: the table.
            names: of the players, as :meth:`mhing.State.words` takes them.

        Raises:
            ValueError: a policy has failed, or what it answers does not fit.
            RuntimeError: the episode is over.
        """
        actions = state.legal_actions()
        texts = tuple(map(self.game.action_text, actions.tolist()))
        meanings = tuple(
            state.words(state.seat, "move", number=action, names=names)
            for action in actions.tolist()
        )
        values, probabilities = np.full((2, len(actions)), np.nan)
        bot = self._player.plays
        if not isinstance(bot, int):
            choice, probabilities = self._asked(state, actions)
        elif self.name.startswith(SEARCH):
            found = state.search(self.name, seed=0)
            choice, values = found.action, found.compared
        else:
            choice = self._player.choose(state)
            if self.judges:
                values = state._values(bot)[: len(actions)]
        return Decision(
            state.seat,
            self.name,
            choice,
            actions,
            texts,
            meanings,
            values,
            probabilities,
            self.unit,
        )

    def _asked(self, state: State, actions: NDArray[np.int64]) -> tuple[int, NDArray[np.float64]]:
        """A policy's choice and how likely it plays each action; NaN if it does not say that."""
        likely = np.full(self.game.num_actions, np.nan)
        try:
            choice = self._player.choose(state)
            if self.judges:
                likely = self._player.probabilities(state)
        except Exception as error:  # whatever its code raises
            raise ValueError(f"{self.name} fails: {reason(error)}") from error
        return choice, likely[actions]


def judges(game: Game) -> list[str]:
    """The bots that judge the game's actions with its options, the weakest first; and a search."""
    found = []
    for bot in game.bots:
        with suppress(ValueError):  # it may be none for these options
            game.bot_index(bot.name)
            if bot.values:
                found.append(bot.name)
    return [*found, SEARCHER]


def analyse(state: State, bot: Given | None = None) -> Decision:
    """Return a bot's choice for the seat to act, and how it judges the others.

    It goes by what that seat knows, as bots do. Values of ``search:BUDGET`` are what the prior
    bot's action is worth and what others gain on it in the same worlds. A policy has
    probabilities instead of values, if it is a network's or has a method for them. A bot that
    does not judge actions has a choice, and all numbers are NaN. One that draws at random draws
    always the same here.

    Args:
        state: the table.
        bot: its name, or a policy: what environments take as an opponent. None:
            ``game.default_judge``. Files are read at each call: for many decisions make a
            :class:`Judge`.

    Raises:
        ValueError: no such bot, a file that cannot be used, or a policy that fails.
        TypeError: it is neither text nor callable, or cannot be called with three arguments.
        RuntimeError: nobody is to act.
        ModuleNotFoundError: an extra is missing.

    >>> import mhing
    >>> decision = mhing.analyse(mhing.Game("mhing").new_state(seed=1))
    >>> decision.loss(decision.choice)
    0.0
    """
    return Judge(state.game, bot).decide(state)
