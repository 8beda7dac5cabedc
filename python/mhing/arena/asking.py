"""Players asked for decisions at many tables at once: callables, coroutines, programs, guests."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mhing._lib.arguments import positive, whole
from mhing.arena.latency import Times
from mhing.arena.table import ArenaTable
from mhing.game import Game
from mhing.players.asking import CannotPlay, ask_rows, begin, check_shape, one_line, reason
from mhing.players.player import CLOCK, LONGEST, MOST_RETRIES, START, Command, Guest, Player
from mhing.players.programs import no_answer
from mhing.text.answers import Reader, Refusal

now = time.monotonic


@dataclass(frozen=True)
class Forfeited:
    """The reason why a player loses the game, instead of an action."""

    reason: str
    code: Literal["failed", "late", "illegal"]
    error: BaseException | None = None
    """The exception that its code raised."""


@dataclass(frozen=True)
class Terms:
    """The terms on which players are asked."""

    clock: float = CLOCK
    """Seconds for an answer."""
    by_player: bool = False
    """A player that says in `clock` that it may need longer has that time."""
    start: float = START
    """Seconds for the first one, if that is longer: of a program from its start on."""
    retries: int = 0
    """Times that a player whose answer is illegal is asked again."""
    jobs: int = 1
    """Tables at which programs play at once, and threads in which callables are asked."""
    environment: Collection[str] = ()
    """Names of variables that programs get."""

    def clock_of(self, plays: object) -> float:
        """Seconds for an answer of what plays."""
        own = getattr(plays, "clock", 0) if self.by_player else 0
        return max(self.clock, own)

    def too_late(self, clock: float, is_first: bool, hint: str = "") -> Forfeited:
        """The reason why a player that gave no answer in time loses the game."""
        limit = max(clock, self.start) if is_first else clock
        longer = "clock" if limit == clock else "start"
        return Forfeited(f"{no_answer(limit)}; a longer {longer} allows more{hint}", "late")


def checked(
    clock: float | None, start: float, retries: int, jobs: int, environment: Collection[str]
) -> Terms:
    """Return the terms that a user gave.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: an argument is of the wrong type.
    """
    return Terms(
        seconds(CLOCK if clock is None else clock, "clock"),
        clock is None,
        seconds(start, "start"),
        checked_retries(retries),
        positive(jobs, "jobs"),
        environment,
    )


def checked_retries(retries: int) -> int:
    """Return how often a player is asked again; raise as :func:`checked`."""
    number = whole(retries, "retries")
    if not 0 <= number <= MOST_RETRIES:
        raise ValueError(f"retries: {number} is not from 0 to {MOST_RETRIES}")
    return number


def seconds(value: float, name: str) -> float:
    """Return a time that a user gave for the argument `name`; raise what :func:`checked` does."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name}: {value!r} is no number of seconds")
    if not 0 < value <= LONGEST:
        raise ValueError(f"{name}: {value} is not more than 0 seconds, and at most {LONGEST}")
    return float(value)


@dataclass(frozen=True)
class _Answer:
    """An answer, or why there is none, and the seconds that it took."""

    given: Any
    seconds: float
    is_first: bool = False


class _Question:
    """A question to a callable, whose clock runs."""

    def __init__(self, terms: Terms, clock: float, is_first: bool) -> None:
        self._terms, self._clock, self.is_first, self.begun = terms, clock, is_first, now()
        self.limit = max(clock, terms.start) if is_first else clock

    def too_late(self) -> Forfeited:
        """The reason why a player that gave no answer in time loses the game."""
        return self._terms.too_late(self._clock, self.is_first)

    def answered(self, given: Any, rows: int = 1) -> _Answer:
        """The answer, unless it is late; with others that came in the same array, a row's share."""
        seconds = (now() - self.begun) / rows
        if seconds > self.limit:
            given = self.too_late()
        return _Answer(given, seconds, self.is_first)


class Asker:
    """Asks players.

    All answers to one question at each table are collected before any of them is played. Players
    with ``choose_rows`` are asked once for all tables; coroutines wait together; other callables
    and programs are asked in as many threads as there are jobs, and guests think meanwhile.
    """

    def __init__(self, game: Game, players: Sequence[Player], terms: Terms) -> None:
        self._reader, self._terms = Reader(game), terms
        self._plays: list[Any] = [player.plays for player in players]
        self._clocks = [terms.clock_of(plays) for plays in self._plays]
        self._views = [player.view for player in players]
        self._new = {number for number, plays in enumerate(self._plays) if callable(plays)}
        self.times = [Times() for _ in players]
        self._threads = ThreadPoolExecutor(terms.jobs) if terms.jobs > 1 else None
        self._end: CannotPlay | None = None  # after which nobody is asked

    def close(self) -> None:
        """End the threads; a callable that does not return keeps its own."""
        if self._threads:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def decide(self, tables: Sequence[ArenaTable]) -> list[int | Forfeited]:
        """Ask for a decision at each table: a legal action, or why the player has lost the game."""
        decided: dict[int, int | Forfeited] = {}
        waiting = [*range(len(tables))]
        for retries in range(self._terms.retries, -1, -1):
            asked = [tables[place] for place in waiting]
            answers = self._answers(asked, again=retries < self._terms.retries)
            for place, table, answer in zip(waiting, asked, answers, strict=True):
                if isinstance(answer, Forfeited):
                    decided[place] = answer
                    continue
                table.hear(answer)
                shown = table.status() if isinstance(answer, str) else ""
                read = self._reader.read(answer, table.mask(), shown)
                if not isinstance(read, Refusal):
                    decided[place] = read.action
                    continue
                table.refuse(read, retries)
                if not retries:
                    decided[place] = Forfeited(one_line(str(read)), "illegal")
            waiting = [place for place in waiting if place not in decided]
            if not waiting:
                break
        return [decided[place] for place in range(len(tables))]

    def _answers(self, tables: Sequence[ArenaTable], *, again: bool) -> list[Any]:
        """One answer at each table: whatever it is, or a Forfeited."""
        for table in tables:
            table.ask_guest()
        found: dict[int, _Answer] = {}
        by_player: dict[int, list[int]] = {}
        for place, table in enumerate(tables):
            by_player.setdefault(table.player, []).append(place)
        alone = []
        for player, places in by_player.items():
            rows = None
            if hasattr(self._plays[player], "choose_rows") and not again:
                rows = self._ask_rows(player, [tables[place] for place in places])
            if rows is None:
                alone += places
            else:
                found |= zip(places, rows, strict=True)
        found |= self._ask_alone(tables, alone)
        for place, table in enumerate(tables):
            times, answer = self.times[table.player], found[place]
            (times.started if answer.is_first else times.add)(answer.seconds)
        self._new.difference_update(table.player for table in tables)
        return [found[place].given for place in range(len(tables))]

    def _ask_alone(self, tables: Sequence[ArenaTable], places: Sequence[int]) -> dict[int, _Answer]:
        """Ask at each of these tables by itself: guests at last, who have their questions."""
        is_guest = {place: isinstance(self._plays[tables[place].player], Guest) for place in places}
        here = [place for place in places if not is_guest[place]]
        asked = [tables[place] for place in here]
        ask = self._threads.map if self._threads else map
        pending = [*ask(self._ask_one, asked)]
        there = [place for place in places if is_guest[place]]
        try:
            found = {place: self._ask_outside(tables[place]) for place in there}
            for place, one in zip(here, pending, strict=True):
                found[place] = one.result() if isinstance(one, Future) else one
        finally:  # also at Ctrl-C
            for one in pending:
                if isinstance(one, Future):
                    one.cancel()
        return found

    def _ask_rows(self, player: int, tables: Sequence[ArenaTable]) -> list[_Answer] | None:
        """Its answers to one question about all tables; None if it fails, for whatever row."""
        observations = self._views[player].of_states([table.state for table in tables])
        masks = np.stack([table.mask() for table in tables])
        question = self._question(player)
        try:
            actions = ask_rows(self._plays[player], observations, masks)
            check_shape(actions, len(tables))
        except (Exception, SystemExit):
            return None
        self._new.discard(player)
        return [question.answered(action, len(tables)) for action in actions]

    def _ask_one(self, table: ArenaTable) -> _Answer | Future[_Answer]:
        player = table.player
        plays = self._plays[player]
        if isinstance(plays, Command):
            return self._ask_outside(table)
        if self._end:
            raise self._end
        question = self._question(player)
        try:
            given = plays(self._views[player].of(table.state), table.mask(), table.info())
        except CannotPlay as error:
            self._end = error
            raise
        except (Exception, SystemExit) as error:
            given = _failed(error)
        if inspect.isawaitable(given):
            return begin(_awaited(given, question))
        self._new.discard(player)
        return question.answered(given)

    def _ask_outside(self, table: ArenaTable) -> _Answer:
        """The answer of a program or a guest."""
        begun, launched = now(), table.launched
        try:
            given: Any = table.answer()
        except RuntimeError as error:
            given = Forfeited(one_line(str(error)), "failed")
        if given == "":
            given = self._terms.too_late(self._terms.clock, launched is not None, table.hint())
        since = begun if launched is None else launched
        return _Answer(given, now() - since, launched is not None)

    def _question(self, player: int) -> _Question:
        """Begin to ask a callable."""
        return _Question(self._terms, self._clocks[player], player in self._new)


async def _awaited(given: Awaitable[Any], question: _Question) -> _Answer:
    task = asyncio.ensure_future(given)
    await asyncio.wait({task}, timeout=max(0.0, question.begun + question.limit - now()))
    if not task.done():
        task.cancel()
        return _Answer(question.too_late(), question.limit, question.is_first)
    try:
        return question.answered(task.result())
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        return question.answered(_failed(error))


def _failed(error: BaseException) -> Forfeited:
    """The reason, with the traceback of the player's own code alone."""
    theirs = error.__traceback__.tb_next if error.__traceback__ else None
    return Forfeited(reason(error), "failed", error.with_traceback(theirs))
