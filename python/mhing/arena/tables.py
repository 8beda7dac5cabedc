"""Tables at which others than built-in bots play, asked about many at once where they can be."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.arena.guests import Guests, Seated
from mhing.arena.listeners import Listeners
from mhing.arena.programs import Programs
from mhing.arena.schedule import Seating
from mhing.game import Game, State
from mhing.players.asking import answered, ask_rows, check_shape, legal
from mhing.players.player import Command, Guest, Player
from mhing.players.views import View
from mhing.remote.bridge import Program
from mhing.remote.player import Turn

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Match:
    """A game to be played: a deal at one of its tables."""

    number: int
    """Among all games of the tournament; no player hears it, for the deal follows."""
    seed: int
    seating: Seating


@dataclass(frozen=True)
class Played:
    """The outcome of a game."""

    returns: NDArray[np.float64]
    """(seats,) the rewards of each."""
    rounds: int
    tally: NDArray[np.int64]
    """(seats, n): wins and the game's totals, added up over the rounds."""
    forfeits: dict[int, str] = field(default_factory=dict)
    """Seats that lost the game by what they did, and what it was."""
    actions: Sequence[int] | NDArray[np.int32] = ()
    """All that was played; of games that the core played, known where it was asked for."""


@dataclass(frozen=True)
class Forfeited:
    """The reason why a player loses the game, instead of an action."""

    reason: str
    error: BaseException | None = None
    """The exception that its code raised."""


class Tables:
    """Plays games among players of all kinds.

    A seat forfeits the game when its player raises an exception, answers with what is no legal
    action, or takes longer than the clock allows. The game's idle actions are played for it to the
    end, so that the others can finish. It earns what the seat that earned least did; its wins and
    totals are those of the idle seat.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        clock: float,
        guests: Guests,
        environment: Collection[str] = (),
    ) -> None:
        self._game, self._clock, self._guests = game, clock, guests
        self._names = [player.name for player in players]
        self._plays = [player.plays for player in players]
        self._views = [player.view for player in players]
        self._reported: set[int] = set()
        self._one_by_one = any(isinstance(plays, Command) for plays in self._plays)
        self.asks_rows = not self._one_by_one and any(
            hasattr(plays, "choose_rows") for plays in self._plays
        )
        """True if a player is asked about many tables at once."""
        self._programs = Programs(game, players, environment)
        self._begun = count()

    def close(self) -> None:
        """End the programs."""
        self._programs.close()

    def play(self, matches: Sequence[Match]) -> list[Played]:
        """Play the games, none of the same deal: one after the other if programs take part,
        otherwise all at once, or as many as there are guests for."""
        left, running = deque(matches), list[_Table]()
        played: dict[int, Played] = {}
        seen = 0
        while left or running:
            if len(running) == 0 or len(played) > seen:
                self._begin(left, running)
                seen = len(played)
            waiting = []
            for table in running:
                if table.advance():
                    waiting.append(table)
                else:
                    played[table.number] = table.end()
            running = waiting
            self._ask_all(waiting)
        return [played[match.number] for match in matches]

    def _begin(self, left: deque[Match], running: list[_Table]) -> None:
        """Open tables for games that are left."""
        most = 1 if self._one_by_one else len(left) + len(running)
        while left and len(running) < most:
            guests = self._guests.at(left[0].seating, wait=not running)
            if guests is None:
                return
            running.append(self._table(left.popleft(), guests))

    def _table(self, match: Match, guests: Mapping[int, Seated]) -> _Table:
        names = [self._names[player] for player in match.seating]
        seats: dict[int, Program | Seated] = {**self._programs.at(match.seating), **guests}
        table = _Table(self._game, match, self._plays)
        if seats:
            table.admit(next(self._begun), names, seats, self._clock)
        return table

    def _ask_all(self, tables: Sequence[_Table]) -> None:
        """Have somebody act at each table.

        Secret questions come first, until all are answered: a table that fell behind the others by
        one would show it to those who play at several of them.
        """
        while secret := [table for table in tables if table.advance() and table.is_secret]:
            self._ask_each(secret)
        self._ask_each([table for table in tables if table.advance()])

    def _ask_each(self, tables: Sequence[_Table]) -> None:
        """Have somebody act at each table; guests think while the others are asked."""
        asked: dict[int, list[_Table]] = {}
        for table in tables:
            table.ask_guest()
            asked.setdefault(table.player, []).append(table)
        for player in sorted(asked, key=lambda player: isinstance(self._plays[player], Guest)):
            theirs = asked[player]
            for table, answer in zip(theirs, self._ask(player, theirs), strict=True):
                if isinstance(answer, Forfeited):
                    self._report(player, answer)
                    if program := table.forfeit(answer.reason):
                        self._programs.end(program)
                else:
                    table.play(answer)

    def _report(self, player: int, lost: Forfeited) -> None:
        """Say at once why a player forfeits a game, the first time that it does."""
        if player not in self._reported:
            self._reported.add(player)
            name = self._names[player]
            _log.warning(
                "%s forfeits a game for the first time: %s", name, lost.reason, exc_info=lost.error
            )

    def _ask(self, player: int, tables: Sequence[_Table]) -> list[int | Forfeited]:
        """A player's actions at these tables, or why it has none."""
        plays = self._plays[player]
        view = self._views[player]
        answers = self._ask_rows(plays, view, tables) if hasattr(plays, "choose_rows") else None
        return answers or [self._ask_one(plays, view, table) for table in tables]

    def _ask_rows(
        self, policy: Any, view: View, tables: Sequence[_Table]
    ) -> list[int | Forfeited] | None:
        """Its answers to one question about all tables; None if it fails, for whatever row."""
        seen = view.of_states([table.state for table in tables])
        masks = np.stack([table.mask() for table in tables])
        begun = time.perf_counter()
        try:
            actions = ask_rows(policy, seen, masks)
            check_shape(actions, len(tables))
        except (Exception, SystemExit):
            return None
        late = self._late((time.perf_counter() - begun) / len(tables))
        return [late or _legal(action, mask) for action, mask in zip(actions, masks, strict=True)]

    def _ask_one(self, plays: Any, view: View, table: _Table) -> int | Forfeited:
        if isinstance(plays, Command | Guest):
            return self._ask_outside(table)
        begun = time.perf_counter()
        try:
            answer = answered(plays(view.of(table.state), table.mask(), table.info()))
        except (Exception, SystemExit) as error:
            theirs = error.__traceback__.tb_next if error.__traceback__ else None
            reason = _one_line(f"{type(error).__name__}: {error}")
            return Forfeited(reason, error.with_traceback(theirs))
        return self._late(time.perf_counter() - begun) or _legal(answer, table.mask())

    def _ask_outside(self, table: _Table) -> int | Forfeited:
        try:
            answer = table.answer()
        except RuntimeError as error:
            return Forfeited(_one_line(str(error)))
        if isinstance(answer, str):
            words = f"illegal answer: {answer!r}" if answer else self._too_late()
            return Forfeited(_one_line(words))
        return _legal(answer, table.mask())

    def _late(self, seconds: float) -> Forfeited | None:
        return Forfeited(self._too_late()) if seconds > self._clock else None

    def _too_late(self) -> str:
        return f"no answer within {self._clock:g} seconds"


def _legal(answer: Any, mask: NDArray[np.int8]) -> int | Forfeited:
    try:
        return legal(answer, mask, "illegal answer")
    except (ValueError, TypeError) as error:
        return Forfeited(_one_line(str(error)))


def _one_line(text: str) -> str:
    """A reason, as short as one line of a report."""
    return " ".join(text.split())[:200]


class _Table:
    """A game in play."""

    def __init__(self, game: Game, match: Match, plays: Sequence[object]) -> None:
        self._game, self._match, self._random = game, match, match.seed
        self._plays = [plays[player] for player in match.seating]
        self._state = game.new_state(match.seed)
        self._listeners: Listeners | None = None
        self._turn: Turn | None = None  # a question that a guest was sent
        sizes = game._handle.sizes
        self._rounds, self._tally = 0, np.zeros((sizes.seats, sizes.tally), np.int64)
        self._forfeits: dict[int, str] = {}
        self._actions: list[int] = []
        self._count_round()  # one may end with the deal

    def admit(
        self,
        number: int,
        names: Sequence[str],
        seats: Mapping[int, Program | Seated],
        clock: float,
    ) -> None:
        """Seat programs and guests, who hear of all that happens.

        Their `number` for the game counts those that have begun, and says nothing of the deal.
        """
        self._listeners = Listeners(self._game, clock, number, names, seats, self._state)
        if self._rounds:
            self._listeners.round_over(self._state)

    @property
    def number(self) -> int:
        """Of the game in the tournament."""
        return self._match.number

    @property
    def is_secret(self) -> bool:
        """True if others must not notice that the player to act is asked."""
        return not self._state.is_settled

    @property
    def player(self) -> int:
        """The player to act."""
        return self._match.seating[self._state.seat]

    @property
    def state(self) -> State:
        """The position, which others must not change."""
        return self._state

    def mask(self) -> NDArray[np.int8]:
        """Its action mask."""
        return self._state.action_mask()

    def info(self) -> dict[str, Any]:
        """The info for a policy, without the seed, which would give all cards away."""
        return {"action_mask": self.mask(), "seat": self._state.seat}

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

    def play(self, action: int) -> None:
        """Play what the player to act has answered."""
        self._apply(action)

    def forfeit(self, reason: str) -> Program | None:
        """The player to act loses the game; returns its program, if it is one."""
        seat = self._state.seat
        self._forfeits[seat] = reason
        return self._listeners.forfeit(seat, reason) if self._listeners else None

    def end(self) -> Played:
        """Its outcome."""
        if self._listeners:
            self._listeners.over(self._state)
        returns = self._state.returns()
        returns[[*self._forfeits]] = returns.min()
        return Played(returns, self._rounds, self._tally, self._forfeits, self._actions)

    def _apply(self, action: int) -> None:
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
