"""Games to be played for data: who plays in them, and what they did."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib import episodes
from mhing._lib.arguments import positive, seed64
from mhing._lib.episodes import Episodes
from mhing._support.interrupts import each
from mhing.arena.asking import checked
from mhing.arena.guests import Guests
from mhing.arena.table import GameOutcome, Match
from mhing.arena.tables import Tables
from mhing.data.columns import Batch, in_columns
from mhing.game import DEFAULT_GAME, Game
from mhing.options import Options
from mhing.players import Command, Given, Guest
from mhing.players.player import START, WAIT
from mhing.players.seating import line_up, listed
from mhing.words import plural

if TYPE_CHECKING:
    from typing_extensions import Unpack


ROWS = 1 << 14
"""Decisions of a batch, unless a single game has more."""

CLOCK = 3600.0
"""Seconds that a player may take for a decision: nobody is in a hurry."""

_ASKED_TOGETHER = 100
"""Games of which many are played at once, where a policy is asked about many, and of which
processes and guests play as many as they can."""


Replies: TypeAlias = Mapping[int, Sequence[str]]
"""The texts of players who write in a game, by the place of the action that they led to."""


@dataclass(frozen=True)
class Block:
    """Some games in a row."""

    first: int
    """The number of the first one."""
    episodes: Episodes
    replies: Sequence[Replies] = ()
    """The replies in each game; none of games between built-in bots."""

    def part(self, begin: int, end: int) -> Block:
        """The games from the place `begin` up to `end`."""
        part = self.episodes.part(begin, end)
        return Block(self.first + begin, part, self.replies[begin:end])


class Games:
    """Games between players of all kinds, played anew each time that they are asked for.

    Game k, from 0, has the seed ``seed + k``, which follows 2**64 - 1 with 0. The players take the
    seats in turn, and begin one seat further on in each game: seat s of game k is that of
    ``players[(s + k) % len(players)]``. So each has all seats equally often, as long as their
    number of players divides that of the games.

    Built-in bots play in the core; what they do follows from the seeds, whatever `num_threads` is.
    Others are asked here. `jobs` is the number of games that callables and programs play at once.

    Args:
        game: its id, or the game.
        players: those of :func:`mhing.arena.play`, or one of them alone. None: the game's default
            bot.
        games: how many.
        seed: 0 to 2**64 - 1.
        num_threads: at most one for each core.
        clock: seconds for a decision; a player that needs longer has failed.
        start: as for :func:`mhing.arena.play`.
        retries: as there.
        jobs: as there.
        environment: as there.
        options: of the game, if `game` is an id.

    Raises:
        ValueError: an argument has a value that it cannot have, or a player would never sit.
        TypeError: an argument is of the wrong type.
        ModuleNotFoundError: an extra is missing.
    """

    def __init__(
        self,
        game: Game | str = DEFAULT_GAME,
        players: Given | Sequence[Given] | Mapping[str, Given] | None = None,
        *,
        games: int = 1000,
        seed: int = 0,
        num_threads: int = 1,
        clock: float = CLOCK,
        start: float = START,
        retries: int = 0,
        jobs: int = 1,
        environment: Collection[str] = (),
        **options: Unpack[Options],
    ) -> None:
        if not isinstance(game, Game):
            game = Game(game, **options)
        elif options:
            raise TypeError(f"{next(iter(options))}: the game is made already; give it to Game()")
        self.game = game
        given = game.default_bot if players is None else players
        self.players = line_up(
            given if isinstance(given, Mapping) else listed(given), game, "players"
        )
        if not self.players:
            raise ValueError("players: none given; give at least one")
        self.count = positive(games, "games")
        sitting = game.num_seats + self.count - 1
        if len(self.players) > sitting:
            raise ValueError(
                f"players: {len(self.players)} given, but only {sitting} of them have a turn in "
                f"{plural(self.count, 'game')} of {game.num_seats}; give fewer, or play more games"
            )
        self.num_threads = positive(num_threads, "num_threads")
        if seed is None:
            raise TypeError("seed: None is no whole number; data can be made again by its seed")
        self.seed = seed64(seed)
        self._terms = checked(clock, start, retries, jobs, environment)
        plays = [player.plays for player in self.players]
        self._wait_outside = any(isinstance(one, Command | Guest) for one in plays)
        self._bots = np.array([one if isinstance(one, int) else -1 for one in plays], np.int32)

    def seating(self, number: int) -> list[int]:
        """The player in each seat of a game."""
        return [(seat + number) % len(self.players) for seat in range(self.game.num_seats)]

    def names(self, number: int) -> list[str]:
        """The names of those who play in a game, by seat."""
        return [self.players[player].name for player in self.seating(number)]

    def batches(self, first: int = 0) -> Iterator[Batch]:
        """Every decision, in the order in which they were made, from game `first` on.

        Yields:
            Columns by the names of :data:`mhing.data.COLUMNS`, one entry or line for each decision
            of whole games: about 16,000. The arrays are yours.

        Raises:
            ValueError: a player has failed, or answered with what is no legal action.
        """
        for block in self.blocks(first):
            yield self.columns(block)

    def columns(self, block: Block) -> Batch:
        """The decisions of some games."""
        made, _ = episodes.decisions(self.game._handle, block.episodes, self.num_threads)
        return in_columns(made, block.episodes, block.first, len(self.players))

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        """The games from `first` up to `last`, as many together as have `ROWS` decisions.

        How they are divided follows from the games alone. After Ctrl-C the games that were over
        still come, and KeyboardInterrupt is raised then.
        """
        waiting: Block | None = None
        interrupt = None
        try:
            for block in self.played(first, last):
                waiting = block if waiting is None else _joined(waiting, block)
                while (end := _whole(waiting.episodes.starts)) < len(waiting.episodes.seeds):
                    yield waiting.part(0, end)
                    waiting = waiting.part(end, len(waiting.episodes.seeds))
        except KeyboardInterrupt as error:
            interrupt = error
        if waiting is not None:
            yield waiting
        if interrupt:
            raise interrupt

    def played(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        """The games from `first` up to `last` as soon as they are over, some at a time."""
        last = self.count if last is None else last
        play = self._by_bots if (self._bots >= 0).all() else self._by_all
        for played, replies in each(play(first, last)):
            yield Block(first, played, replies)
            first += len(played.seeds)

    def _seeds(self, first: int, last: int) -> NDArray[np.uint64]:
        seeds = np.arange(last - first, dtype=np.uint64)
        seeds += np.uint64((self.seed + first) % 2**64)
        return seeds

    def _by_bots(self, first: int, last: int) -> Iterator[tuple[Episodes, Sequence[Replies]]]:
        seats, step = np.arange(self.game.num_seats), 1 << 20  # games, by which memory is bounded
        for begin in range(first, last, step):
            end = min(begin + step, last)
            numbers = np.arange(begin, end)[:, None]
            bots = self._bots[(seats + numbers) % len(self.players)]
            seeds = self._seeds(begin, end)
            for played in episodes.play(self.game._handle, seeds, bots, self.num_threads):
                yield played, ()

    def _by_all(self, first: int, last: int) -> Iterator[tuple[Episodes, Sequence[Replies]]]:
        with (
            closing(Guests(self.game, self.players, WAIT, None, None)) as guests,
            closing(Tables(self.game, self.players, self._terms, guests)) as tables,
        ):
            step = _ASKED_TOGETHER if tables.asks_rows or self._wait_outside else self._terms.jobs
            for begin in range(first, last, step):
                seeds = self._seeds(begin, min(begin + step, last))
                matches = [
                    Match(number, int(seed), tuple(self.seating(number)))
                    for number, seed in enumerate(seeds, begin)
                ]
                yield from self._in_order(tables, matches)

    def _in_order(
        self, tables: Tables, matches: Sequence[Match]
    ) -> Iterator[tuple[Episodes, Sequence[Replies]]]:
        """Play games, and yield each as soon as it and all before it are over."""
        waiting, found = deque(matches), dict[int, GameOutcome]()
        for match, one in tables.play(matches):
            for seat, reason in one.forfeits.items():
                name = self.players[match.seating[seat]].name
                raise ValueError(f"{name}, in seat {seat} of game {match.number}: {reason}")
            found[match.number] = one
            over = []
            while waiting and waiting[0].number in found:
                over.append(waiting.popleft())
            if over:
                games = [found[game.number] for game in over]
                actions = [game.actions for game in games]
                made = Episodes.of_lengths(
                    np.array([game.seed for game in over], np.uint64),
                    np.array([*map(len, actions)], np.int32),
                    np.array([*chain.from_iterable(actions)], np.int32),
                )
                yield made, [game.replies for game in games]


def _whole(starts: NDArray[np.int64]) -> int:
    """Return the number of games that make a batch: as many as have `ROWS`, at least one."""
    return max(int(np.searchsorted(starts, ROWS, side="right")) - 1, 1)


def _joined(one: Block, other: Block) -> Block:
    lengths = [np.diff(block.episodes.starts).astype(np.int32) for block in (one, other)]
    return Block(
        one.first,
        Episodes.of_lengths(
            np.concatenate([one.episodes.seeds, other.episodes.seeds]),
            np.concatenate(lengths),
            np.concatenate([one.episodes.actions, other.episodes.actions]),
        ),
        [*one.replies, *other.replies],
    )


Progress = Callable[[int], object]
"""Is called with the number of games that are done."""
