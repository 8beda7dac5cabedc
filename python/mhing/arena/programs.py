"""Programs at tables: their processes, and what they hear, as at a server's table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mhing import _lib
from mhing.arena.players import Command, Player
from mhing.arena.schedule import Seating
from mhing.game import Game
from mhing.remote.bot import Turn
from mhing.remote.bridge import Program


class Programs:
    """The processes of a tournament's programs: one for each seat that one of them has at a table.

    They stay for later games. A program that has forfeited a game is ended, and started anew for
    its next one.

    Raises:
        ValueError: one cannot be started.
    """

    def __init__(self, game: Game, players: Sequence[Player], clock: float) -> None:
        self.game, self.clock = game, clock
        self._players = players
        self._running: dict[tuple[int, int], Program] = {}
        self.turns = 0
        """Questions asked so far, by which they are numbered."""
        for number in range(len(players)):
            self.at((number,))

    def at(self, seating: Seating) -> dict[int, Program]:
        """The programs at a table, by seat."""
        found = {}
        for seat, player in enumerate(seating):
            plays = self._players[player].plays
            if isinstance(plays, Command):
                place = (player, seating[:seat].count(player))
                if place not in self._running:
                    self._running[place] = self._start(self._players[player].name, plays)
                found[seat] = self._running[place]
        return found

    def _start(self, name: str, command: Command) -> Program:
        try:
            program = Program(name, command.words)
        except OSError as error:
            self.close()
            reason = f"{command.words[0]} cannot be started: {error.strerror}"
            raise ValueError(f"{name}: {reason}") from error
        program.game = self.game
        return program

    def names(self, seating: Seating) -> list[str]:
        """The names of the players at a table, by seat."""
        return [self._players[player].name for player in seating]

    def end(self, program: Program) -> None:
        """Ends one program."""
        self._running = {place: one for place, one in self._running.items() if one is not program}
        program.__exit__()

    def close(self) -> None:
        """Ends all of them."""
        for program in [*self._running.values()]:
            self.end(program)


class Told:
    """The programs at one table during a game, and what each has heard.

    A program that has ended without being asked hears nothing; it is found out when it is asked.
    """

    def __init__(
        self, programs: Programs, number: int, seating: Seating, state: _lib.StateMemory
    ) -> None:
        self._programs, self._number = programs, number
        self._seats = programs.at(seating)
        self._events: list[list[int]] = []
        self._seen = dict.fromkeys(self._seats, 0)
        self._substituted = [0] * len(seating)
        game = programs.game
        self.see(_lib.StateMemory(game._handle), state)
        for seat in self._seats:
            self._tell(
                seat, "started", self._keys(), game=game.id, options=game._handle.options,
                players=programs.names(seating), seeded=True, seat=seat,
                clock=round(1000 * programs.clock),
            )  # fmt: skip

    def see(self, before: _lib.StateMemory, after: _lib.StateMemory) -> None:
        """Takes note of the events of an action."""
        self._events += after.events(before)

    def ask(self, seat: int, state: _lib.StateMemory) -> int | str:
        """A program's action, by its id; a text that is none is as it came, "" for no answer.

        Raises:
            RuntimeError: the program has ended.
        """
        self._programs.turns += 1
        turn = Turn(
            self._programs.game, self._programs.turns, round(1000 * self._programs.clock),
            state.observe(seat).tobytes(), state.mask().tobytes(), self._news(seat),
        )  # fmt: skip
        answer = self._seats[seat].act(turn)
        return turn.texts.get(answer, answer) if isinstance(answer, str) else answer

    def round_over(self, state: _lib.StateMemory) -> None:
        """Reports how a round has ended."""
        numbers = self._programs.game.name_numbers(state.info())
        plain = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in numbers.items()
        }
        for seat in self._seats:
            self._tell(seat, "round", plain)

    def substitute(self, seat: int) -> None:
        """Takes note of an action that was played in a seat's place."""
        self._substituted[seat] += 1

    def forfeit(self, seat: int) -> None:
        """Ends the program of a seat that has lost the game."""
        if seat in self._seats:
            self._programs.end(self._seats.pop(seat))

    def over(self, state: _lib.StateMemory) -> None:
        """Reports the end of the game."""
        for seat in self._seats:
            self._tell(
                seat, "ended", self._keys(), over=False, seat=seat,
                returns=state.returns().tolist(), substituted=self._substituted,
                events=self._news(seat),
            )  # fmt: skip

    def _keys(self) -> dict[str, Any]:
        return {"table": "arena", "number": self._number}

    def _tell(self, to: int, what: str, content: dict[str, Any], /, **more: Any) -> None:
        with suppress(RuntimeError):
            getattr(self._seats[to], what)(content | more)

    def _news(self, seat: int) -> list[list[int]]:
        """The events that a seat has not been told, with seats counted from it."""
        news, seats = self._events[self._seen[seat] :], self._programs.game.num_seats
        self._seen[seat] = len(self._events)
        return [[(who - 1 - seat) % seats + 1 if who else 0, *what] for who, *what in news]
