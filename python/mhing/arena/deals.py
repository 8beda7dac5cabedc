"""Deals: each played at all of its tables, and what the players made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import compress
from operator import not_

import numpy as np
from numpy.typing import NDArray

from mhing import _episodes
from mhing.arena.guests import Guests
from mhing.arena.players import Player
from mhing.arena.schedule import Schedule, Seating
from mhing.arena.tables import Match, Played, Tables
from mhing.game import Game

BLOCK = 100
"""Deals that are played together, where all players can be asked about many at once."""

FEW = 8
"""The same where guests play, who may leave, and with them the deals that are not complete."""


@dataclass(frozen=True)
class Forfeit:
    """A game that a player lost by what it did."""

    player: int
    seat: int
    reason: str


@dataclass(frozen=True)
class Deal:
    """What came of a deal, at all of its tables together."""

    number: int
    rewards: NDArray[np.float64]
    """(players, seats) what each player earned in each seat."""
    rounds: NDArray[np.int64]
    """(players,) rounds that it played."""
    tally: NDArray[np.int64]
    """(players, n): its wins and the game's totals, added up over them."""
    forfeits: tuple[Forfeit, ...] = ()


class Dealer(AbstractContextManager["Dealer"]):
    """Plays the deals of a tournament, in blocks.

    Deal i has the seed ``seed + i``, which follows 2**64 - 1 with 0. A block's deals are played
    together: built-in bots in the core, others asked for many tables at once. `block` is 1 where
    somebody is asked one question at a time, so that a kill loses no more than a deal, and FEW
    where guests play, whose answers take their time.

    Args:
        players: those who play, then the field if the schedule has one.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        schedule: Schedule,
        seed: int,
        clock: float,
        threads: int,
        guests: Guests,
    ) -> None:
        self.schedule, self._seed, self._threads = schedule, seed, threads
        self._handle = game._handle
        self._bots = [player.plays if isinstance(player.plays, int) else -1 for player in players]
        self._tables = Tables(game, players, clock, guests)
        all_at_once = -1 not in self._bots or self._tables.asks_rows
        self.block = FEW if guests else BLOCK if all_at_once else 1

    def __exit__(self, *_: object) -> None:
        """Ends the programs."""
        self._tables.close()

    def play(self, numbers: Sequence[int]) -> Iterator[Deal]:
        """Plays these deals."""
        seeds = [(self._seed + number) % 2**64 for number in numbers]
        seatings = [self.schedule.seatings(seed) for seed in seeds]
        matches = [
            Match(number * self.schedule.tables + table, seed, seating)
            for number, seed, tables in zip(numbers, seeds, seatings, strict=True)
            for table, seating in enumerate(tables)
        ]
        played = self._play(matches)
        for place, number in enumerate(numbers):
            first = place * self.schedule.tables
            yield self._deal(number, seatings[place], played[first : first + self.schedule.tables])

    def _play(self, games: Sequence[Match]) -> list[Played]:
        """Plays the tables of built-in bots in the core, the others in this process."""
        inside = [all(self._bots[player] >= 0 for player in game.seating) for game in games]
        fast = iter(self._play_inside([*compress(games, inside)]))
        slow = iter(self._tables.play([*compress(games, map(not_, inside))]))
        return [next(fast if core else slow) for core in inside]

    def _play_inside(self, games: Sequence[Match]) -> list[Played]:
        if not games:
            return []
        seeds = np.array([game.seed for game in games], np.uint64)
        bots = np.array([[self._bots[player] for player in game.seating] for game in games])
        outcomes = _episodes.outcomes(self._handle, seeds, bots.astype(np.int32), self._threads)
        return [Played(*outcome) for outcome in zip(*outcomes, strict=True)]

    def _deal(self, number: int, seatings: Sequence[Seating], played: Sequence[Played]) -> Deal:
        players, sizes = self.schedule.players, self._handle.sizes
        rewards = np.zeros((players, sizes.seats))
        rounds = np.zeros(players, np.int64)
        tally = np.zeros((players, sizes.tally), np.int64)
        forfeits = []
        for seating, table in zip(seatings, played, strict=True):
            for seat, player in enumerate(seating):
                if seat in table.forfeits:
                    forfeits.append(Forfeit(player, seat, table.forfeits[seat]))
                if player < players:
                    rewards[player, seat] = table.returns[seat]
                    rounds[player] += table.rounds
                    tally[player] += table.tally[seat]
        return Deal(number, rewards, rounds, tally, tuple(forfeits))
