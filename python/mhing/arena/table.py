"""A game of a tournament in play: what its players see, are asked and hear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.arena.guests import Seated
from mhing.arena.listeners import Listeners
from mhing.arena.schedule import Seating
from mhing.game import Game, State
from mhing.players.asking import replies
from mhing.players.player import Guest
from mhing.players.programs import hint
from mhing.remote.bridge import Program
from mhing.remote.player import Turn
from mhing.text.answers import Refusal


@dataclass(frozen=True)
class Match:
    """A game to be played: a deal at one of its tables."""

    number: int
    """The number among all games of the tournament; no player hears it, for the deal follows."""
    seed: int
    seating: Seating


@dataclass(frozen=True)
class GameOutcome:
    """The outcome of a game."""

    returns: NDArray[np.float64]
    """(seats,) the rewards of each."""
    rounds: int
    tally: NDArray[np.int64]
    """(seats, n): wins and the game's totals, added up over the rounds."""
    forfeits: dict[int, str] = field(default_factory=dict)
    """Seats that lost the game by what they did, and what it was."""
    illegal: Mapping[int, int] = field(default_factory=dict)
    """Seats whose answers were illegal, and how many."""
    actions: Sequence[int] | NDArray[np.int32] = ()
    """All that was played; of games that the core played, known where it was asked for."""
    replies: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The texts of the players who write, by the place of the action that they led to."""


class ArenaTable:
    """A game in play."""

    def __init__(self, game: Game, match: Match, plays: Sequence[object], number: int) -> None:
        """Deal. The number counts games that have begun: players may hear it, since it says nothing
        of the deal."""
        self._game, self.match, self._random = game, match, match.seed
        self._number = number
        self._plays = [plays[player] for player in match.seating]
        self._state = game.new_state(match.seed)
        self.programs: list[Program] = []
        self._listeners: Listeners | None = None
        self._turn: Turn | None = None  # a question that a guest was sent
        self._refused: Refusal | None = None  # the last answer, if it was
        self._illegal = Counter[int]()
        sizes = game._handle.sizes
        self._rounds, self._tally = 0, np.zeros((sizes.seats, sizes.tally), np.int64)
        self._forfeits: dict[int, str] = {}
        self._actions: list[int] = []
        self._replies: dict[int, list[str]] = {}
        self._count_round()  # one may end with the deal

    def admit(
        self,
        names: Sequence[str],
        seats: Mapping[int, Program | Seated],
        clock: float,
        start: float,
    ) -> None:
        """Seat programs and guests, who hear of all that happens."""
        self._listeners = Listeners(
            self._game, clock, start, self._number, names, seats, self._state
        )
        self.programs = [one for one in seats.values() if isinstance(one, Program)]
        if self._rounds:
            self._listeners.round_over(self._state)

    @property
    def is_secret(self) -> bool:
        """True if others must not notice that the player to act is asked."""
        return not self._state.is_settled

    @property
    def player(self) -> int:
        """The player to act."""
        return self.match.seating[self._state.seat]

    @property
    def state(self) -> State:
        """The position, which others must not change."""
        return self._state

    def mask(self) -> NDArray[np.int8]:
        """Its action mask."""
        return self._state.action_mask()

    def status(self) -> str:
        """The request to the player to act, in words."""
        return self._state.words(self._state.seat, "status")

    def info(self) -> dict[str, Any]:
        """The info for a policy, without the seed, which would give all cards away.

        One that is asked again finds why in ``refused``.
        """
        info = {"action_mask": self.mask(), "seat": self._state.seat, "game": self._number}
        return info | {"refused": self._refused.advice} if self._refused else info

    @property
    def launched(self) -> float | None:
        """The time at which the program to act was started, if it has not answered since."""
        asked = self._program()
        return asked.launched if asked and asked.is_new else None

    def hint(self) -> str:
        """Return what may help the program to act, which has given no answer in time."""
        asked = self._program()
        return hint(asked) if asked else ""

    def _program(self) -> Program | None:
        asked = self._listeners.seats.get(self._state.seat) if self._listeners else None
        return asked if isinstance(asked, Program) else None

    def ask_guest(self) -> None:
        """Send its question to the player to act, if it is a guest."""
        seat = self._state.seat
        if self._listeners and isinstance(self._plays[seat], Guest):
            self._turn = self._listeners.ask(seat, self._state)

    def answer(self) -> int | str:
        """The answer of the program or guest to act, see :meth:`Listeners.answer`."""
        assert self._listeners
        seat = self._state.seat
        turn = self._turn or self._listeners.ask(seat, self._state)
        self._turn = None
        return self._listeners.answer(seat, turn)

    def advance(self) -> bool:
        """Play for built-in bots and idle seats; whether somebody else is to act then."""
        while (seat := self._state.seat) >= 0:
            bot = self._plays[seat]
            if seat in self._forfeits:
                action = self._state.idle_action()
                if self._listeners:
                    self._listeners.substitute(seat)
            elif isinstance(bot, int):
                action, self._random = self._state._bot_action(bot, self._random)
            else:
                return True
            self._apply(action)
        return False

    def hear(self, answer: object) -> None:
        """Keep the texts of an answer, with the action that follows."""
        if said := replies(answer):
            self._replies.setdefault(len(self._actions), []).extend(said)

    def play(self, action: int) -> None:
        """Play what the player to act has answered."""
        self._apply(action)

    def refuse(self, refusal: Refusal, retries: int) -> None:
        """The player to act has answered with what is not legal, and is asked so often again."""
        seat = self._state.seat
        self._illegal[seat] += 1
        self._refused = refusal
        if self._listeners:
            self._listeners.refuse(seat, refusal, retries)

    def forfeit(self, reason: str) -> None:
        """The player to act loses the game."""
        seat = self._state.seat
        self._forfeits[seat] = reason
        if self._listeners:
            self._listeners.forfeit(seat, reason)

    def end(self) -> GameOutcome:
        """Its outcome."""
        if self._listeners:
            self._listeners.over(self._state)
        returns = self._state.returns()
        returns[[*self._forfeits]] = returns.min()
        return GameOutcome(
            returns, self._rounds, self._tally, self._forfeits, self._illegal, self._actions,
            self._replies,
        )  # fmt: skip

    def _apply(self, action: int) -> None:
        self._refused = None
        before = self._state.clone() if self._listeners else None
        self._state.apply(action)
        self._actions.append(action)
        if self._listeners and before:
            self._listeners.see(before, self._state)
        self._count_round()

    def _count_round(self) -> None:
        if self._state.rounds_over != self._rounds:
            self._rounds = self._state.rounds_over
            self._state._add_round(self._tally)
            if self._listeners:
                self._listeners.round_over(self._state)
