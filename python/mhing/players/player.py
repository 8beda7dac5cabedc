"""A player: who it is, and how it is asked.

>>> import mhing
>>> game = mhing.Game("mhing")
>>> player = mhing.players.load("random", game)
>>> state = game.new_state(seed=3)
>>> player.name, player.choose(state) in state.legal_actions()
('random', True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import whole
from mhing.game import Game, State
from mhing.players.asking import ask, replies
from mhing.players.views import PlayerView, position_of

if TYPE_CHECKING:
    from mhing import render
    from mhing.text.answers import Reader

Policy = Callable[[Any, NDArray[np.int8], dict[str, Any]], Any]
"""Chooses for one seat: (observation, mask, info) -> a legal action, or a text that means one.

Observation and mask are uint8 (observation_size,) and int8 (num_actions,); `info` holds
``action_mask``, the mask once more, and ``seat``; in the arena also ``game``, a number that is the
same for all questions of a game. The seed is not in it: it would give all cards away. A coroutine
(``async def``) is waited for. Texts are read as :mod:`mhing.text.answers` says.

One with an attribute `sees` gets that view of the position as its observation, whatever the game
shows to others: one of :data:`mhing.players.views.SEES`, or the size of the observation, with or
without hints, for which it was made.

One that also has a method ``choose_rows(observations, masks)`` is asked once for many rows, where
they wait at the same time: uint8 (rows, observation_size) and int8 (rows, num_actions) -> (rows,)
actions. Its arrays are copies, which it may keep or change. Where it is given, it is asked about
one position by way of trial, so that wrong sizes and types and illegal actions are found there; a
callable without it is not, which may be a person, or a service.

One that also has an attribute `identity`, a text that changes whenever the player does, can be
continued from a log of the arena; functions of a module can without it.

One that also has an attribute `clock`, a number of seconds, has so long for an answer in the arena
where nobody sets another clock.

One that also has an attribute `usage`, a mapping of whole numbers such as ``{"prompt_tokens": 0}``
that it counts up, says by it what it costs; results have it.

One that also has a method ``probabilities(observations, masks)`` can judge decisions, see
:mod:`mhing.judge`: for such rows it returns how likely it plays each action, floats
(rows, num_actions).
"""

GUEST_NAME = "[A-Za-z0-9_-]{1,32}"
"""A pattern: names under which bots wait at a server, and by which the arena invites them."""


CLOCK = 10.0
"""Seconds for a decision, as at a server's table."""

START = 60.0
"""Seconds for the first answer of a program or a callable."""

WAIT = 60.0
"""Seconds in which guests must come."""

LONGEST = 86400
"""Seconds that can be given for these."""

MOST_RETRIES = 100
"""Times that a player can be asked again whose answer is illegal."""


@dataclass(frozen=True)
class Command:
    """A program that plays over its standard input and output."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Guest:
    """A bot that waits under this name at a server."""

    endpoint: str
    name: str


Outside: TypeAlias = type[Command] | type[Guest]
"""The players outside this process."""

Plays: TypeAlias = int | Policy | Command | Guest
"""A built-in bot's number, a policy to be called, a program, or a server's guest."""


@dataclass(frozen=True, eq=False)
class Player:
    """One who plays a game; given as a player anywhere, it plays there too."""

    game: Game
    name: str
    """Its name in results and records."""
    plays: Plays
    view: PlayerView
    """Its view of positions, where it is a policy."""
    given: Any = field(repr=False)
    """The text or the object that it was made from."""
    identity: str = field(repr=False)
    """Its mark in a log, so that no other player continues in its place."""
    is_marked: bool = field(repr=False)
    """True if the mark tells it from all others; False: it says the type of an object alone."""

    @property
    def policy(self) -> Policy:
        """The callable that is asked in this process.

        Raises:
            ValueError: it plays outside this process.
        """
        assert not isinstance(self.plays, int)
        if isinstance(self.plays, Command | Guest):
            raise ValueError(f"player: {self.name} plays outside this process; the arena asks it")
        return self.plays

    def choose(self, state: State, random: int = 0) -> int:
        """Return its action for the seat to act; programs and guests cannot be asked this way.

        Args:
            state: the table, of its game.
            random: where a built-in bot draws numbers from, 0 to 2**64 - 1.

        Raises:
            ValueError: the action is not legal, or it plays outside this process.
            TypeError: it is not a whole number.
            Exception: whatever a policy raises.
        """
        return self.decide(state, random)[0]

    def decide(self, state: State, random: int = 0) -> tuple[int, tuple[str, ...]]:
        """Return the same, and the texts by which it was chosen; a player that writes has some."""
        if isinstance(self.plays, int):
            return state._bot_action(self.plays, random)[0], ()
        mask = state.action_mask()
        answer = ask(self.policy, self.view.of(state), mask, state.seat)
        return self.action(answer, mask, lambda: state), replies(answer)

    def action(
        self,
        answer: Any,
        mask: NDArray[np.int8],
        state: Callable[[], State | render.View],
        where: str = "",
    ) -> int:
        """Return the legal action that its answer means: a number, or what is read as one.

        What it has said and could play is in no error that names a place, since that may reach
        its rivals; it is in the cause.

        Args:
            answer: whatever it has returned; an exception: it has raised that.
            mask: int8 (num_actions,).
            state: returns the position, or what a client knows of it; not called where the answer
                is no text.
            where: what errors call the player, see :meth:`called_at`; "": it is asked alone.

        Raises:
            ValueError: the answer means no legal action.
            TypeError: it is of a type that means none.
            RuntimeError: the answer is an exception, which is the cause.
        """
        if isinstance(answer, Exception):
            raise RuntimeError(f"{where} has raised {type(answer).__name__}") from answer
        refused: type[Exception] = ValueError
        shown = ""
        if isinstance(answer, str):
            shown = position_of(state()).words("status")
        else:
            try:
                number = whole(answer, "answer")
                if 0 <= number < len(mask) and mask[number]:
                    return number
            except TypeError:
                refused = TypeError
        from mhing.text.answers import Refusal  # noqa: PLC0415  few players write

        read = self._reader.read(answer, mask, shown)
        if isinstance(read, Refusal):
            error = refused(read.advice)
            if not where:
                raise error
            raise refused(f"{where} has given no legal action") from error
        return read.action

    def called_at(self, seat: int, row: int | None = None) -> str:
        """The name and place by which errors call it as an opponent."""
        where = f"opponent {self.name} at seat {seat}"
        return where if row is None else f"{where} in row {row}"

    @cached_property
    def _reader(self) -> Reader:
        from mhing.text.answers import Reader  # noqa: PLC0415  as above

        return Reader(self.game)

    def probabilities(self, state: State) -> NDArray[np.float64]:
        """Return how likely it plays each action, (num_actions,), for the seat to act.

        Raises:
            AttributeError: it does not say that.
            ValueError: what it says has another shape.
            Exception: whatever a policy raises.
        """
        policy: Any = self.plays
        mask = state.action_mask()
        rows = policy.probabilities(self.view.of_states([state]), mask[None])
        likely: NDArray[np.float64] = np.asarray(rows, np.float64).reshape(mask.shape)
        return likely
