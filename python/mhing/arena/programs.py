"""Programs at tables: their processes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
    """The processes of a tournament's programs: one for each seat that one of them has at once.

    They stay for later games, also after a forfeit. One that has ended by its next game, or still
    owes the answer that cost it a game, is replaced.

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
        self._all: dict[int, list[Program]] = {}  # by player
        self._playing: set[Program] = set()
        for player, one in enumerate(players):
            if isinstance(one.plays, Command):
                self._all[player] = []
                self._take(player, one.plays)
        self._playing.clear()

    def at(self, seating: Seating) -> dict[int, Program]:
        """The programs at a table that opens, by seat."""
        found = {}
        for seat, player in enumerate(seating):
            plays = self._players[player].plays
            if isinstance(plays, Command):
                found[seat] = self._take(player, plays)
        return found

    def free(self, programs: Iterable[Program]) -> None:
        """Take back those of a table at which the game is over."""
        self._playing.difference_update(programs)

    def _take(self, player: int, command: Command) -> Program:
        """One of a player's processes that plays nowhere; a new one if there is none."""
        processes = self._all[player]
        free = [place for place, one in enumerate(processes) if one not in self._playing]
        if not free:
            processes.append(self._start(player, command))
        elif not processes[free[0]].is_in_step():
            ended = processes[free[0]]
            ended.__exit__()
            processes[free[0]] = self._start(player, command)
            processes[free[0]].turn = ended.turn
        program = processes[free[0] if free else -1]
        self._playing.add(program)
        return program

    def _start(self, player: int, command: Command) -> Program:
        name = self._players[player].name
        try:
            program = _Process(name, command, self._environment)
        except OSError as error:
            self.close()
            reason = f"{command.words[0]} cannot be started: {error.strerror}"
            raise ValueError(f"{name}: {reason}") from error
        program.game = self._game
        return program

    def close(self) -> None:
        """End all of them, together."""
        programs = [program for processes in self._all.values() for program in processes]
        self._all.clear()
        with ThreadPoolExecutor(max(1, len(programs))) as threads:
            for program in programs:
                threads.submit(program.__exit__)
