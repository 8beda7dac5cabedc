"""Programs at tables: their processes."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from mhing.arena.schedule import Seating
from mhing.game import Game
from mhing.players import Command, Player
from mhing.players.programs import Process, end
from mhing.remote.bridge import Program, Shown
from mhing.words import plural

_log = logging.getLogger(__name__)


class Programs:
    """The processes of a tournament's programs: one for each seat that one of them has at once.

    They stay for later games, also after a forfeit. One that has ended by its next game, or still
    owes the answer that cost it a game, is replaced. Lines of errors that a process which has ended
    wrote are not shown again when another one of the same player writes them.

    Args:
        environment: names of variables that they get.

    Raises:
        ValueError: one cannot be started.
    """

    def __init__(self, game: Game, players: Sequence[Player], environment: Collection[str]) -> None:
        self._game = game
        self._players = players
        self._environment = environment
        self._all: dict[int, list[Program]] = {}  # by player
        self._shown = defaultdict[int, Shown](Shown)  # their errors, by player
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
        try:
            name, shown = self._players[player].name, self._shown[player]
            program = Process(name, command, self._environment, shown)
        except ValueError:
            self.close()
            raise
        program.game = self._game
        return program

    def close(self) -> None:
        """End all of them, together."""
        programs = [program for processes in self._all.values() for program in processes]
        self._all.clear()
        end(programs)
        for player, shown in self._shown.items():
            if shown.again:
                name, lines = self._players[player].name, plural(shown.again, "line")
                _log.warning("%s: %s of its errors came again, and are not shown", name, lines)
        self._shown.clear()
