"""The result of a tournament: what each player earned, and how any two of them differ."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mhing.arena.figures import LEVEL
from mhing.arena.latency import Latency
from mhing.arena.paired import ENOUGH, PAIRED, RAW, Pairing
from mhing.words import plural


@dataclass(frozen=True)
class Mean:
    """A mean over deals."""

    value: float
    interval: float
    """Half the width of its 95 % interval; infinite while there is one deal only."""

    @property
    def known(self) -> float | None:
        """The interval as plain data: None while it is infinite."""
        return self.interval if math.isfinite(self.interval) else None

    def __str__(self) -> str:
        return f"{self.value:.3f}{self._width}"

    @property
    def signed(self) -> str:
        """The same with a sign, as differences are written."""
        return f"{self.value:+.3f}{self._width}"

    @property
    def _width(self) -> str:
        return "" if self.known is None else f" ± {self.interval:.3f}"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has ended what was played.

    Attributes:
        result: what came of the games that were over.
    """

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


@dataclass(frozen=True)
class Rating:
    """A rating by openskill: a mean and its standard deviation."""

    mu: float
    sigma: float

    def __str__(self) -> str:
        return f"{self.mu:.1f} ± {self.sigma:.1f}"


@dataclass(frozen=True)
class Standing:
    """The result of one player."""

    name: str
    reward: Mean
    """A game, in the unit of the rewards."""
    games: int
    rounds: int
    """The number of rounds in these games."""
    totals: Mapping[str, int]
    """Rounds that it won, where the game has winners, then the game's own totals: sums."""
    forfeits: int
    """Games that it lost by an exception, an illegal answer, or its clock."""
    reason: str | None
    """The reason for the first forfeit."""
    illegal: int
    """Answers that were no legal action, with those that were asked for once more."""
    latency: Latency | None = field(compare=False)
    """The time of its answers since the tournament was begun, or continued from a log; None: it
    gave none outside the core."""
    usage: Mapping[str, int] | None = field(compare=False)
    """Its costs so far, as it counts them, see :data:`mhing.players.Policy`; None: it does not."""
    rating: Rating | None
    """The rating; None: not asked for."""


@dataclass(frozen=True)
class Pair:
    """The difference of two players in the same deals."""

    first: str
    second: str
    difference: Mean
    """The reward of the first a game, less that of the second, by `Result.estimator`."""
    decided: bool
    """True if the interval leaves out zero."""
    raw: Mean
    """The same by rewards alone."""


@dataclass(frozen=True)
class Result:
    """The result of a tournament; see :func:`mhing.arena.play`."""

    game: str
    options: Mapping[str, Any]
    seed: int | None
    """The secret seed; every deal is a hash of it."""
    first_seed: int | None
    """The seed of the first deal, if deals are public and consecutive."""
    deals: int
    games: int
    """The games of these deals; a deal that was cut short has fewer than `tables`."""
    tables: int
    """Games of each deal."""
    fresh_deals: bool
    """Each of these games has a separate deal; `deals` then counts groups of them."""
    seats: int
    """The seats of a table."""
    seats_of_a_player: int
    """The most seats that one player has: it sees as many hands."""
    field: str | None
    unit: str
    """The unit of rewards."""
    always: bool
    """Intervals hold however often one looks, those of differences for all pairs at once."""
    paired: Pairing | None
    """The settings of the paired estimator of differences; None: they are by rewards alone."""
    players: Sequence[Standing]
    """The players' results, in the order in which the players were given."""
    pairs: Sequence[Pair]
    """Each pair once, in that order."""
    forfeits_of_field: int
    """Games in which a player of the field did what costs a game."""
    stopped: str | None
    """The reason why the tournament ended early; None: it did not."""
    left_out: int
    """Games that do not count: those of deals in which not every player had played."""

    @property
    def estimator(self) -> str:
        """The estimator of differences: the requested one, or ``"raw"`` with too few deals."""
        return PAIRED if self.paired and self.deals >= ENOUGH else RAW

    def __str__(self) -> str:
        """The players and their differences in lines, the best player first."""
        best = sorted(self.players, key=lambda one: -one.reward.value)
        players = [f"{one.name} {one.reward} {self.unit} a game" for one in best]
        pairs = [f"{one.first} less {one.second} {one.difference.signed}" for one in self.pairs]
        return "\n".join([self.heading(), *players, *pairs, *self.notes()])

    def difference(self, first: str, second: str) -> Mean:
        """Return the reward of a player a game less that of another in the same deals.

        Raises:
            KeyError: there are no such two players.
        """
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair.difference
            if (pair.second, pair.first) == (first, second):
                return Mean(0.0 - pair.difference.value, pair.difference.interval)
        names = ", ".join(repr(one.name) for one in self.players)
        raise KeyError(f"no two players {first!r} and {second!r}; there are {names}")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "game": self.game,
            "options": dict(self.options),
            "seed": self.seed,
            "first_seed": self.first_seed,
            "deals": self.deals,
            "fresh_deals": self.fresh_deals,
            "games": self.games,
            "seats_of_a_player": self.seats_of_a_player,
            "field": self.field,
            "unit": self.unit,
            "level": LEVEL,
            "intervals": "always valid" if self.always else "fixed number of deals",
            "estimator": self.estimator,
            "paired": self.paired and self.paired.to_dict(),
            "players": [_player(one) for one in self.players],
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "difference": pair.difference.value,
                    "interval": pair.difference.known,
                    "decided": pair.decided,
                    "raw_difference": pair.raw.value,
                    "raw_interval": pair.raw.known,
                }
                for pair in self.pairs
            ],
            "forfeits_of_field": self.forfeits_of_field,
            "stopped": self.stopped,
            "left_out": self.left_out,
        }

    def csv(self) -> str:
        """The cross table as CSV, a line for each ordered pair of players."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["player", "opponent", "difference", "interval", "deals"])
        names = [one.name for one in self.players]
        for first in names:
            for second in names:
                if first != second:
                    mean = self.difference(first, second)
                    writer.writerow([first, second, mean.value, mean.known, self.deals])
        return out.getvalue()

    def heading(self) -> str:
        """Return a line about the game that was played."""
        against = f" against a field of {self.field}" if self.field else ""
        games = self.games
        deals = games if self.fresh_deals else self.deals
        seed = f"seed {self.seed}" if self.first_seed is None else f"first seed {self.first_seed}"
        played = f"{plural(deals, 'deal')}, {plural(games, 'game')}"
        return f"{played} of {self.game}{against}, {seed}"

    def brief(self) -> str:
        """Return the players with their rewards in a line, the best one first; "" without deals."""
        best = sorted(self.players, key=lambda one: -one.reward.value) if self.deals else ()
        return ", ".join(f"{one.name} {one.reward}" for one in best)

    def standings(self) -> list[dict[str, str]]:
        """The players for people to read: columns by their heads, the best player first."""
        return [
            self._columns(one) for one in sorted(self.players, key=lambda one: -one.reward.value)
        ]

    def _columns(self, one: Standing) -> dict[str, str]:
        columns = {"player": one.name, f"{self.unit} a game": str(one.reward)}
        for name, total in one.totals.items():
            if name == WINS:
                columns[name] = f"{total / max(1, one.rounds):.1%}"
            elif name != self.unit or one.rounds != one.games:  # nothing is said twice
                columns[f"{name} a round"] = f"{total / max(1, one.rounds):,.3f}"
        if one.rating:
            columns["rating"] = str(one.rating)
        return columns

    def cross_table(self) -> list[list[str]]:
        """The differences for people to read, row less column, in the order of `standings`."""
        names = [row["player"] for row in self.standings()]
        return [
            [
                name,
                *("" if name == other else self.difference(name, other).signed for other in names),
            ]
            for name in names
        ]

    def notes(self) -> list[str]:
        """Return remarks on the result, in lines."""
        unit = f"group of {self.tables} fresh deals" if self.fresh_deals else "deal"
        notes = []
        if self.stopped:
            notes.append(f"ended early: {self.stopped}; only games that were over count")
        if self.left_out:
            notes.append(
                f"{plural(self.left_out, 'game')} more of deals that not every player had played"
            )
        if self.deals < 2:
            notes += ["no intervals: they take two deals or more"]
        elif self.always:
            notes += [
                "95 % intervals hold however often one looks; those of differences, together for "
                "all pairs"
            ]
        else:
            notes += [f"95 % intervals by {unit}"]
        if self.paired:
            notes += self._on_play_outs(self.paired)
        if self.seats_of_a_player > 1:
            notes.append(
                f"a player may have {self.seats_of_a_player} of a table's {self.seats} seats, and "
                "sees as many hands"
            )
        for one in self.players:
            if one.usage:
                notes.append(f"costs of {one.name}: {costs(one.usage)}")
            if one.forfeits:
                seats = f"{one.forfeits:,} of its {plural(one.games, 'seat')}"
                notes.append(f"{one.name} forfeited {seats}: {one.reason}")
            if one.illegal:
                notes.append(f"{one.name} gave {plural(one.illegal, 'illegal answer')}")
        if self.forfeits_of_field:
            notes.append(f"the field forfeited {self.forfeits_of_field:,} of its seats")
        return notes

    def _on_play_outs(self, paired: Pairing) -> list[str]:
        """Return remarks on the estimator that was asked for."""
        if self.estimator == RAW:
            return [
                f"differences are by rewards: play-outs estimate them from {ENOUGH} deals on, "
                "since their intervals are too narrow with fewer"
            ]
        less = ", less luck" if paired.worlds else ""
        return [
            f"differences by {plural(paired.play_outs, 'pair')} of play-outs at each decision that "
            f"{paired.baseline.name} takes otherwise{less}; by rewards alone:",
            *(f"  {one.first} less {one.second} {one.raw.signed}" for one in self.pairs),
        ]


def costs(usage: Mapping[str, int]) -> str:
    """The counts of a player's attribute `usage`, in a line.

    >>> costs({"questions": 1, "prompt_tokens": 1200})
    'questions 1, prompt tokens 1,200'
    """
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in usage.items())


def _player(one: Standing) -> dict[str, Any]:
    return {
        "name": one.name,
        "reward": one.reward.value,
        "interval": one.reward.known,
        "games": one.games,
        "rounds": one.rounds,
        "totals": dict(one.totals),
        "forfeits": one.forfeits,
        "first_forfeit": one.reason,
        "illegal": one.illegal,
        "latency": one.latency and asdict(one.latency),
        "usage": None if one.usage is None else {**one.usage},
        "rating": one.rating and asdict(one.rating),
    }


WINS = "wins"
"""The total that counts the rounds won."""
