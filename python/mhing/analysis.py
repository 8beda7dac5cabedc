"""A recorded game as a bot judges it: every decision, what it lost, and by player how much.

>>> from mhing.analysis import Analysis
>>> from mhing.records import Record
>>> analysis = Analysis(Record("mytable-1.jsonl"), "expert")
>>> for player in analysis.players:
...     print(player.name, player.decisions)
first ...
greedy ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, nan
from statistics import fmean
from typing import Any

from mhing.decision import PROBABILITY, Decision
from mhing.judge import Judge
from mhing.players import Given
from mhing.records import Record, RecordedMove
from mhing.words import called

WORST = 5
"""Moves that are shown of each player."""

MISTAKE = 0.05
"""The loss that is a mistake, as a share of the stakes for its player in the game."""

_OWN = ("player", "bot")  # all others are replacements that the server put in


@dataclass(frozen=True)
class PlayedDecision:
    """A decision, and how it was made."""

    number: int
    """The number of the move in the record, from 1."""
    move: RecordedMove
    decision: Decision

    @property
    def own(self) -> bool:
        """True if the player decided, and not the server in its place."""
        return self.move.by in _OWN

    @property
    def loss(self) -> float:
        """The bot's value of the best action less that of the action; NaN if it has none."""
        return self.decision.loss(self.move.action)

    @property
    def is_unlikely(self) -> bool:
        """True if a policy plays it `MISTAKE` times as often as its choice, or less."""
        decision = self.decision
        return decision.score(self.move.action) < MISTAKE * decision.score(decision.choice)

    @property
    def agrees(self) -> bool:
        """True if the bot plays the same."""
        return self.move.action == self.decision.choice


@dataclass(frozen=True)
class SeatPlay:
    """The play of a seat."""

    seat: int
    name: str
    played: Sequence[PlayedDecision]
    """Its own decisions."""

    @property
    def decisions(self) -> int:
        """The number of its decisions."""
        return len(self.played)

    @property
    def agreed(self) -> int:
        """The number of decisions in which the bot plays the same."""
        return sum(one.agrees for one in self.played)

    @property
    def losses(self) -> list[float]:
        """The losses of the decisions that the bot judges."""
        return [one.loss for one in self.played if isfinite(one.loss)]

    @property
    def mean_loss(self) -> float:
        """The mean loss of a decision that the bot judges; NaN if there is none."""
        return fmean(self.losses) if self.losses else nan

    def losing(self) -> list[PlayedDecision]:
        """The moves that lost anything, the worst first."""
        return sorted((one for one in self.played if one.loss > 0), key=lambda one: -one.loss)

    def worst(self) -> list[PlayedDecision]:
        """The first `WORST` of these."""
        return self.losing()[:WORST]

    def mistakes(self) -> list[PlayedDecision]:
        """The moves that lost a share `MISTAKE` of what was at stake, the worst first.

        At stake was the difference between the best and the worst of all moves that the player
        might have made in the game. For a policy, mistakes are moves that are less likely than
        `MISTAKE` times the move that it would choose.
        """
        if any(one.decision.unit == PROBABILITY for one in self.played):
            return [one for one in self.losing() if one.is_unlikely]
        values = [value for one in self.played for value in one.decision.values.tolist()]
        known = [value for value in values if isfinite(value)] or [0.0]
        bar = MISTAKE * (max(known) - min(known))
        return [one for one in self.losing() if one.loss >= bar]


class Analysis:
    """All decisions of a record: moves with two legal actions or more.

    A bot judges by what its seat could know at that time, and by nothing else.

    Args:
        record: the game.
        bot: who judges: what :func:`mhing.analyse` takes, or a judge.
        played: the decisions that it has judged so far, from `judged`; None: all, now.

    Raises:
        ValueError: there is no such bot, it has neither values nor probabilities of actions, or
            the record is not valid.
        TypeError: it is neither text nor callable.
        ModuleNotFoundError: an extra is missing.
    """

    def __init__(
        self,
        record: Record,
        bot: Given | Judge | None = None,
        played: Iterable[PlayedDecision] | None = None,
    ) -> None:
        self.record = record
        judge = bot if isinstance(bot, Judge) else Judge(record.game, bot)
        judge.check()
        self.bot, self.unit = judge.name, judge.unit
        """The evaluator and the unit of losses, see :class:`mhing.decision.Decision`."""
        self.played = [*(judged(record, judge) if played is None else played)]
        """The decisions in the order of the game."""

    @cached_property
    def players(self) -> list[SeatPlay]:
        """The players by seat."""
        return [
            SeatPlay(seat, name, [p for p in self.played if p.own and p.move.seat == seat])
            for seat, name in enumerate(self.record.players)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data; what the bot does not judge is None."""
        game = self.record.game
        return {
            "game": game.id,
            "options": game.options,
            "seed": self.record.seed,
            "bot": self.bot,
            "unit": self.unit,
            "players": [
                {
                    "seat": player.seat,
                    "name": player.name,
                    "decisions": player.decisions,
                    "judged": len(player.losses),
                    "agreed": player.agreed,
                    "mean_loss": _known(player.mean_loss),
                    "worst": [one.number for one in player.worst()],
                }
                for player in self.players
            ],
            "decisions": [_plain(one) for one in self.played],
        }


def judged(record: Record, judge: Judge) -> Iterator[PlayedDecision]:
    """The decisions of a record, one after another, each as soon as it has been judged.

    Raises:
        ValueError: the record is not valid, or a policy fails.
    """
    before, names = record.game.new_state(record.seed), called(record.players)
    for number, (move, after) in enumerate(record.replay(), 1):
        if len(before.legal_actions()) > 1:
            yield PlayedDecision(number, move, judge.decide(before, names))
        before = after.clone()


def _plain(one: PlayedDecision) -> dict[str, Any]:
    decision = one.decision
    return {
        "number": one.number,
        "seat": one.move.seat,
        "by": one.move.by,
        "played": one.move.text,
        "bot": decision.text(decision.choice),
        "values": dict(zip(decision.texts, map(_known, decision.scores.tolist()), strict=True)),
        "loss": _known(one.loss),
    }


def _known(number: float) -> float | None:
    return number if isfinite(number) else None
