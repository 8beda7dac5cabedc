"""Programs at tables: their processes."""

from __future__ import annotations

from collections.abc import Sequence

from mhing.arena.players import Command, Player
from mhing.arena.schedule import Seating
from mhing.game import Game
from mhing.remote.bridge import Program


class Programs:
    """The processes of a tournament's programs: one for each seat that one of them has at a table.

    They stay for later games. A program that has forfeited a game is ended, and started anew for
    its next one.

    Raises:
        ValueError: one cannot be started.
    """

    def __init__(self, game: Game, players: Sequence[Player]) -> None:
        self._game = game
        self._players = players
        self._running: dict[tuple[int, int], Program] = {}
        self._turns: dict[tuple[int, int], int] = {}  # of those that were ended
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
                    program = self._start(self._players[player].name, plays)
                    program.turn = self._turns.get(place, 0)
                    self._running[place] = program
                found[seat] = self._running[place]
        return found

    def _start(self, name: str, command: Command) -> Program:
        try:
            program = Program(name, command.words)
        except OSError as error:
            self.close()
            reason = f"{command.words[0]} cannot be started: {error.strerror}"
            raise ValueError(f"{name}: {reason}") from error
        program.game = self._game
        return program

    def end(self, program: Program) -> None:
        """Ends one program."""
        for place, one in [*self._running.items()]:
            if one is program:
                self._turns[place] = self._running.pop(place).turn
        program.__exit__()

    def close(self) -> None:
        """Ends all of them."""
        for program in [*self._running.values()]:
            self.end(program)
