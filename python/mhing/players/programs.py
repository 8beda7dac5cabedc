"""Programs as players: their processes, and the games that they play in environments."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from weakref import finalize

from mhing.game import Game, State
from mhing.players.player import CLOCK, START, Command, Player
from mhing.remote.bridge import Program, Shown
from mhing.remote.memory import Memory
from mhing.remote.player import Turn
from mhing.words import plural

MOST = 64
"""Processes in an environment, one for each row and seat."""

VARIABLES = ("PATH", "LANG", "SYSTEMROOT")
"""Variables that all programs get beside `HOME`, their folder; the last one is one of Windows."""

OTHER = "opponent"
"""The name of all others for a player: real names by seat would tell deals of three or more apart,
and would tell a player with two seats where its other one is."""


FLUSH = "; does it flush what it prints?"
"""The hint at the end of an error about a program that has given no answer."""


def hint(program: Program) -> str:
    """Return the end of an error about a program that has given no answer in time."""
    return f"; {program.complaint}" if program.wrong else FLUSH if program.is_new else ""


_FILE = re.compile(r"[^-\s]\S*\.[A-Za-z]\w{0,4}|[^-\s]*/\S+")


class Process(Program):
    """A program that runs in a separate, empty folder, and gets nothing else of ours.

    Words of its command that name files here name them there as well. Where one seems to name a
    file that is not here, the program has a second in which to end for that.

    Args:
        name: of the player.
        command: the program.
        variables: names of those that it gets beside `VARIABLES`.
        shown: errors of earlier processes, which are not shown again.

    Raises:
        ValueError: it cannot be started.
    """

    def __init__(
        self,
        name: str,
        command: Command,
        variables: Iterable[str] = (),
        shown: Shown | None = None,
    ) -> None:
        self._folder = TemporaryDirectory(prefix="mhing-")
        home = self._folder.name
        given = {key: os.environ[key] for key in (*VARIABLES, *variables) if key in os.environ}
        try:
            words = [_program(command.words[0]), *map(_found, command.words[1:])]
            super().__init__(
                name, words, written=shlex.join(command.words), folder=home,
                environment={**given, "HOME": home}, shown=shown,
            )  # fmt: skip
        except OSError as error:
            self._folder.cleanup()
            reason = f"{command.words[0]} cannot be started: {error.strerror}"
            raise ValueError(f"{name}: {reason}") from error
        missing = next(filter(_is_missing, command.words[1:]), None)
        if missing and self._process_ends():
            reason = f"there is no file {missing} here: {self._end()}"
            self.__exit__()
            raise ValueError(f"{name}: {reason}")

    def _process_ends(self) -> bool:
        """Return whether it fails within a second, before it was asked anything."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(1) != 0
        return False

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


def _is_missing(word: str) -> bool:
    """Return whether a word looks like the name of a file that is not here."""
    return bool(_FILE.fullmatch(word)) and not os.path.exists(word)


def no_answer(limit: float) -> str:
    """Say that a player has given none within so many seconds."""
    return f"no answer within {plural(int(limit) if limit == int(limit) else limit, 'second')}"


def end(programs: Iterable[Program]) -> None:
    """End programs, together; without threads, of which Python starts none when it ends."""
    some = list(programs)
    for program in some:
        program.hang_up()
    for program in some:
        program.__exit__()


def start_of(
    game: Game, seat: int, name: str, clock: float, numbers: Mapping[str, Any], **keys: Any
) -> dict[str, Any]:
    """Return the message that a game begins, to the player of a seat."""
    heard = [name if place == seat else OTHER for place in range(game.num_seats)]
    return keys | {
        "game": game.id, "options": game._handle.options, "players": heard, "seeded": True,
        "seat": seat, "clock": round(1000 * clock), "pause": 0, "numbers": numbers,
    }  # fmt: skip


def relative(seat: int, seats: int, events: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return events with their seats counted from one."""
    return [[(who - 1 - seat) % seats + 1 if who else 0, *what] for who, *what in events]


Asked: TypeAlias = tuple[int, int, State]
"""A question: the row, the seed of its episode, which tells it from others, and the position."""


class _Seated:
    """A program at a seat in a row."""

    def __init__(self, player: Player) -> None:
        assert isinstance(player.plays, Command)
        self.player = player
        self.process = Process(player.name, player.plays)
        self.process.game = player.game
        self._games = 0
        self._seed: int | None = None
        self._last: State | None = None  # as it was asked in this game
        self._memory = Memory(player.game)

    def begin(self) -> None:
        """Its next question is of another game."""
        self._last = None

    def answer(self, asked: Asked) -> int:
        """Return the program's action.

        Raises:
            RuntimeError: it has ended, or is late.
            ValueError: its answer is not legal.
        """
        row, seed, state = asked
        where = self.player.called_at(state.seat, row)
        try:
            answer = self._answer(seed, state)
        except ValueError as error:
            raise ValueError(f"{where} has failed") from error
        except RuntimeError as error:
            raise RuntimeError(f"{where} has failed") from error
        return self.player.action(answer, state.action_mask(), lambda: state, where)

    def _answer(self, seed: int, state: State) -> int | str:
        game, process = self.player.game, self.process
        seat = state.seat
        numbers = game.plain_numbers(state._numbers())
        if self._last is None or self._seed != seed:
            self._games += 1
            self._memory.start(seat, numbers)
            keys = {"table": "environment", "number": self._games}
            process.started(start_of(game, seat, self.player.name, CLOCK, numbers, **keys))
            events: list[list[int]] = state._events(State(game))
        else:
            if state.rounds_over != self._last.rounds_over:
                self._memory.round(numbers)
                process.round(numbers)
            events = state._events(self._last)
        self._last, self._seed = state, seed
        left = max(CLOCK, START) if process.is_new else CLOCK
        answer = process.act(
            Turn(
                game, process.turn + 1, round(1000 * left), state.observation().tobytes(),
                state.action_mask().tobytes(), relative(seat, game.num_seats, events),
                memory=self._memory,
            )
        )  # fmt: skip
        if answer == "":
            raise RuntimeError(no_answer(left) + hint(process))
        return answer


class SeatedPrograms:
    """The programs in an environment: a process for each row and seat that one of them plays at.

    They are started when they are first asked, and stay for later games.
    """

    def __init__(self) -> None:
        self._seated: dict[tuple[int, int], _Seated] = {}
        self._end = finalize(self, _end_seated, self._seated)

    def ask(self, player: Player, asked: Sequence[Asked]) -> list[int]:
        """Return a program's actions at several tables, which are asked at the same time.

        Raises:
            RuntimeError: it has ended, or is late; the text says where, the cause why.
            ValueError: likewise, where it cannot be started or its answer is not legal.
        """
        seated = [self._at(player, row, state.seat) for row, _, state in asked]
        if len(asked) == 1:
            return [seated[0].answer(asked[0])]
        with ThreadPoolExecutor(len(asked)) as threads:
            return [*threads.map(_Seated.answer, seated, asked)]

    def begin(self, rows: Iterable[int]) -> None:
        """Other games begin in these rows, though their seeds may be the same."""
        some = {*rows}
        for (row, _), one in self._seated.items():
            if row in some:
                one.begin()

    def close(self) -> None:
        """End all of them."""
        _end_seated(self._seated)

    def _at(self, player: Player, row: int, seat: int) -> _Seated:
        """The program there; a new process for another one, and for one that has failed."""
        one = self._seated.get((row, seat))
        if one and one.player is player and one.process.is_in_step():
            return one
        if one:
            del self._seated[row, seat]
            one.process.__exit__()
        self._seated[row, seat] = _Seated(player)
        return self._seated[row, seat]


def _end_seated(seated: dict[tuple[int, int], _Seated]) -> None:
    end([one.process for one in seated.values()])
    seated.clear()
