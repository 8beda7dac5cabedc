"""Programs at tables: their processes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from tempfile import TemporaryDirectory

from mhing.arena.schedule import Seating
from mhing.game import Game
from mhing.players import Command, Player
from mhing.remote.bridge import Program

_ENVIRONMENT = ("PATH", "LANG", "SYSTEMROOT")
"""Variables that all programs get beside `HOME`, their folder; the last one is one of Windows."""


class _Process(Program):
    """A program that runs in a separate, empty folder, and gets nothing else of ours.

    Words of its command that name files here name them there as well.

    Args:
        environment: variables beside its `HOME`.
    """

    def __init__(self, name: str, command: Command, environment: Mapping[str, str]) -> None:
        self._folder = TemporaryDirectory(prefix="mhing-")
        home = self._folder.name
        try:
            words = [_program(command.words[0]), *map(_found, command.words[1:])]
            super().__init__(name, words, folder=home, environment={**environment, "HOME": home})
        except OSError:
            self._folder.cleanup()
            raise

    def __exit__(self, *_: object) -> None:
        """End it, and its folder."""
        super().__exit__()
        self._folder.cleanup()


def _program(word: str) -> str:
    found = shutil.which(word)
    return os.path.abspath(found) if found else word


def _found(word: str) -> str:
    """A word with the whole path where it names something here, also behind ``--option=``."""
    before, equals, path = word.rpartition("=")
    return f"{before}{equals}{os.path.abspath(path)}" if os.path.exists(path) else word


class Programs:
    """The processes of a tournament's programs: one for each seat that one of them has at a table.

    They stay for later games. A program that has forfeited a game is ended, and started anew for
    its next one.

    Args:
        environment: names of variables that they get.

    Raises:
        ValueError: one cannot be started.
    """

    def __init__(self, game: Game, players: Sequence[Player], environment: Collection[str]) -> None:
        self._game = game
        self._players = players
        names = [*_ENVIRONMENT, *environment]
        self._environment = {name: os.environ[name] for name in names if name in os.environ}
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
            program = _Process(name, command, self._environment)
        except OSError as error:
            self.close()
            reason = f"{command.words[0]} cannot be started: {error.strerror}"
            raise ValueError(f"{name}: {reason}") from error
        program.game = self._game
        return program

    def end(self, program: Program) -> None:
        """End one program."""
        for place, one in [*self._running.items()]:
            if one is program:
                self._turns[place] = self._running.pop(place).turn
        program.__exit__()

    def close(self) -> None:
        """End all of them."""
        for program in [*self._running.values()]:
            self.end(program)
