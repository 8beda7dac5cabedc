"""Deals: each played at all of its tables, and what the players made of it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from mhing._lib import episodes
from mhing._lib.hold import slices
from mhing.arena.asking import Terms
from mhing.arena.guests import Guests
from mhing.arena.paired import Estimates, Estimator, Pairing
from mhing.arena.schedule import Schedule, shuffled
from mhing.arena.seeds import Seeds
from mhing.arena.table import GameOutcome, Match
from mhing.arena.tables import Tables
from mhing.game import Game
from mhing.players import Player

BLOCK = 100
"""Deals that are played together, where all players can be asked about many at once."""

FEW = 20
"""The same where somebody is asked one question at a time, and a kill costs the deals that are not
complete."""


HOPELESS = 10
"""Games in a row that a player forfeits, after which the tournament ends."""


class Hopeless(Exception):
    """A player has forfeited so many games in a row that it will not play any."""


@dataclass(frozen=True)
class Forfeit:
    """A game that a player lost by what it did."""

    player: int
    seat: int
    reason: str


@dataclass(frozen=True)
class Deal:
    """The outcome of a deal at all of its tables together."""

    number: int
    rewards: NDArray[np.float64]
    """(players, seats) what each player earned in each seat; NaN: that game was not played."""
    rounds: NDArray[np.int64]
    """(players,) rounds that it played."""
    tally: NDArray[np.int64]
    """(players, n): its wins and the game's totals, added up over them."""
    forfeits: tuple[Forfeit, ...] = ()
    estimates: Estimates | None = None
    """(players, seats) of each player in each seat; None: none are made, see
    :mod:`mhing.arena.paired`."""
    illegal: Mapping[int, int] = field(default_factory=dict)
    """Players who have given illegal answers, and how many."""

    @property
    def games(self) -> NDArray[np.int64]:
        """(players,) games that each player has played in a seat."""
        games: NDArray[np.int64] = np.isfinite(self.rewards).sum(1)
        return games


class Dealer(AbstractContextManager["Dealer"]):
    """Plays the deals of a tournament, in blocks.

    A block's deals are played together: built-in bots in the core, others asked for many tables at
    once. A player could remember a deal. So no deal is at two tables at once: the deals of a block
    are all played at one of their tables, then all at another one, each time in a random order;
    and which one of its tables a deal has first is random.

    Args:
        players: those who play, then the field if the schedule has one.
        fresh: gives each table a separate deal.
        pairing: the settings of the paired estimator; None: no gains are estimated.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        schedule: Schedule,
        seeds: Seeds,
        fresh: bool,
        threads: int,
        terms: Terms,
        guests: Guests,
        pairing: Pairing | None = None,
    ) -> None:
        self._estimator = pairing and Estimator(game, players, schedule.players, pairing, threads)
        self.schedule, self._seeds, self._fresh = schedule, seeds, fresh
        self._threads = threads
        self._handle = game._handle
        self._bots = [player.plays if isinstance(player.plays, int) else -1 for player in players]
        self._names = [player.name for player in players]
        self._tables = Tables(game, players, terms, guests)
        self.times = self._tables.times
        """The time that each player's answers took."""
        self._lost = Counter[int]()  # games in a row, by player
        self._open = deque[tuple[int, list[Match]]]()  # deals in play
        self._played: dict[int, GameOutcome] = {}
        self.by_itself = -1 not in self._bots
        """True if a deal does not depend on those that are played with it."""
        all_at_once = self.by_itself or self._tables.asks_rows
        self.block = BLOCK if all_at_once and not guests else FEW

    def __exit__(self, *_: object) -> None:
        """End the programs."""
        self._tables.close()

    def play(self, numbers: Sequence[int]) -> Iterator[list[Deal]]:
        """Play these deals, and yield the next ones as soon as all of their games are over.

        Raises:
            Hopeless: a player forfeits all its games.
        """
        deals = [self._games(number) for number in numbers]
        self._open, self._played = deque(zip(numbers, deals, strict=True)), {}
        for _ in self._play_inside([game for games in deals for game in games if self._core(game)]):
            yield from self._over()
        for games in self._rounds(deals):
            self._play_outside([game for game in games if not self._core(game)])
        yield from self._over()

    def _over(self) -> Iterator[list[Deal]]:
        """The deals all of whose games are over; those after one that is not have to wait."""
        over = [*takewhile(lambda deal: all(map(self._is_over, deal[1])), self._open)]
        for begin, end in slices(len(over), self._threads):
            part = over[begin:end]
            estimates = self._estimates_of([game for _, games in part for game in games])
            found = [self._deal(number, games, estimates) for number, games in part]
            for _ in part:
                self._open.popleft()
            yield found

    def _is_over(self, game: Match) -> bool:
        return game.number in self._played

    def cut_short(self) -> list[Deal]:
        """The deals that were not over when :meth:`play` was cut short, if games of theirs were.

        Between built-in bots there are none: each deal was reported when it was over.
        """
        if self.by_itself:
            return []
        return [
            self._deal(number, games, {})
            for number, games in self._open
            if any(map(self._is_over, games))
        ]

    def _games(self, number: int) -> list[Match]:
        """The games of a deal."""
        tables = range(self.schedule.tables)
        first = number * len(tables)
        seeds = [self._seeds.deal(first + table if self._fresh else number) for table in tables]
        seatings = self.schedule.seatings(seeds[0])
        return [Match(first + table, seeds[table], seatings[table]) for table in tables]

    def _rounds(self, deals: Sequence[Sequence[Match]]) -> Iterator[Sequence[Match]]:
        """A game of each deal, another one of each, and so on; players in a field by turns."""
        rng, size = self._seeds.order(deals[0][0].number), self.schedule.circle
        orders = [
            [shuffled(games[first : first + size], rng) for games in deals]
            for first in range(0, self.schedule.tables, size)
        ]
        for turn in range(size):
            for order in orders:
                yield shuffled([games[turn] for games in order], rng)

    def _core(self, game: Match) -> bool:
        """True if built-in bots have all seats."""
        return all(self._bots[player] >= 0 for player in game.seating)

    def _play_outside(self, games: Sequence[Match]) -> None:
        """Play games in this process."""
        for game, played in self._tables.play(games):
            self._played[game.number] = played
            self._count_lost(game, played)

    def _count_lost(self, game: Match, played: GameOutcome) -> None:
        for player in {*game.seating}:
            reasons = [why for seat, why in played.forfeits.items() if game.seating[seat] == player]
            self._lost[player] = self._lost[player] + 1 if reasons else 0
            if self._lost[player] == HOPELESS:
                name = self._names[player]
                raise Hopeless(f"{name} has forfeited {HOPELESS} games in a row: {reasons[0]}")

    def _play_inside(self, games: Sequence[Match]) -> Iterator[None]:
        """Play games in the core, some at a time."""
        seeds = np.array([game.seed for game in games], np.uint64)
        bots = np.array([[self._bots[player] for player in game.seating] for game in games])
        left = iter(games)
        for outcomes, actions in episodes.outcomes(
            self._handle,
            seeds,
            bots.astype(np.int32),
            self._threads,
            noted=self._estimator is not None,
        ):
            for outcome, noted, game in zip(
                zip(*outcomes, strict=True), actions, left, strict=False
            ):
                self._played[game.number] = GameOutcome(*outcome, actions=noted)
            yield

    def _estimates_of(self, games: Sequence[Match]) -> Mapping[int, Estimates]:
        """Estimates by seat, by the number of a game; empty: none are made."""
        if not self._estimator:
            return {}
        found = self._estimator.of(games, [self._played[game.number] for game in games])
        return {game.number: Estimates(*one) for game, *one in zip(games, *found, strict=True)}

    def _deal(
        self, number: int, games: Sequence[Match], estimates: Mapping[int, Estimates]
    ) -> Deal:
        players, sizes = self.schedule.players, self._handle.sizes
        rewards, gains, luck = np.full((3, players, sizes.seats), np.nan)
        rounds = np.zeros(players, np.int64)
        tally = np.zeros((players, sizes.tally), np.int64)
        forfeits, illegal = [], Counter[int]()
        for game in games:
            if (table := self._played.get(game.number)) is None:
                continue
            for seat, player in enumerate(game.seating):
                illegal[player] += table.illegal.get(seat, 0)
                if seat in table.forfeits:
                    forfeits.append(Forfeit(player, seat, table.forfeits[seat]))
                if player < players:
                    rewards[player, seat] = table.returns[seat]
                    if estimates:
                        gains[player, seat], luck[player, seat] = (
                            one[seat] for one in estimates[game.number]
                        )
                    rounds[player] += table.rounds
                    tally[player] += table.tally[seat]
        deal = Deal(number, rewards, rounds, tally, tuple(forfeits), illegal=+illegal)
        return replace(deal, estimates=Estimates(gains, luck)) if estimates else deal
