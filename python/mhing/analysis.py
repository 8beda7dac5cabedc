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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, nan
from statistics import fmean
from typing import Any

from mhing.decision import Decision
from mhing.records import Move, Record

WORST = 5
"""Moves that are shown of each player."""

_OWN = ("player", "bot")  # whoever else decided, the server put in the player's place


@dataclass(frozen=True)
class Played:
    """A decision, and how it was made."""

    number: int
    """Of the move in the record, from 1."""
    move: Move
    decision: Decision

    @property
    def own(self) -> bool:
        """Whether the player decided, and not the server in its place."""
        return self.move.by in _OWN

    @property
    def loss(self) -> float:
        """How much better the best action was, in the bot's judgement; NaN if it has none."""
        return self.decision.loss(self.move.action)

    @property
    def agrees(self) -> bool:
        """Whether the bot plays the same."""
        return self.move.action == self.decision.choice


@dataclass(frozen=True)
class Player:
    """How a seat has played."""

    seat: int
    name: str
    played: Sequence[Played]
    """Its own decisions."""

    @property
    def decisions(self) -> int:
        """How many there are."""
        return len(self.played)

    @property
    def agreed(self) -> int:
        """In how many of them the bot plays the same."""
        return sum(one.agrees for one in self.played)

    @property
    def losses(self) -> list[float]:
        """Those of the decisions that the bot judges."""
        return [one.loss for one in self.played if isfinite(one.loss)]

    @property
    def mean_loss(self) -> float:
        """Of a decision that the bot judges; NaN if there is none."""
        return fmean(self.losses) if self.losses else nan

    def worst(self) -> list[Played]:
        """The `WORST` moves that lost most, the worst first; moves that lost nothing are none."""
        bad = [one for one in self.played if one.loss > 0]
        return sorted(bad, key=lambda one: -one.loss)[:WORST]


class Analysis:
    """All decisions of a record: moves with two legal actions or more.

    A bot judges by what its seat could know at that time, and by nothing else.

    Args:
        record: the game.
        bot: who judges; None: ``record.game.default_judge``.

    Raises:
        ValueError: there is no such bot, or the record is not valid.
    """

    def __init__(self, record: Record, bot: str | None = None) -> None:
        self.record = record
        self.bot = record.game.default_judge if bot is None else bot
        record.game.bot_index(self.bot)
        self.played: list[Played] = []
        """In the order of the game."""
        before = record.game.new_state(record.seed)
        for number, (move, after) in enumerate(record.replay(), 1):
            if len(before.legal_actions()) > 1:
                self.played.append(Played(number, move, before.analyse(self.bot)))
            before = after.clone()

    @property
    def unit(self) -> str:
        """Of values and losses."""
        return str(self.record.game.options.get("reward", "reward"))

    @cached_property
    def players(self) -> list[Player]:
        """By seat."""
        return [
            Player(seat, name, [p for p in self.played if p.own and p.move.seat == seat])
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


def _plain(one: Played) -> dict[str, Any]:
    decision = one.decision
    return {
        "number": one.number,
        "seat": one.move.seat,
        "by": one.move.by,
        "played": one.move.text,
        "bot": decision.text(decision.choice),
        "values": dict(zip(decision.texts, map(_known, decision.values.tolist()), strict=True)),
        "loss": _known(one.loss),
    }


def _known(number: float) -> float | None:
    return number if isfinite(number) else None
