"""A bot's judgement of the decisions in films, as plain data for pages.

Nothing goes into it but the decisions that are in the films: a film for a seat has that seat's own,
and they are counted among themselves, since a move's number in the record would say how often
others were asked in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from mhing._lib.games import SEARCH
from mhing.analysis import Analysis, PlayedDecision, SeatPlay
from mhing.decision import Decision
from mhing.web.film import Film
from mhing.words import called

_UNTRIED = "has not tried this move"
_UNJUDGED = "does not judge this move"


def places(films: Iterable[Film]) -> dict[int, int]:
    """The decisions of films, in their order: numbers of moves in the record to 0, 1, 2 ..."""
    numbers = {number for film in films for frame in film.frames for number in frame.asked}
    return {number: place for place, number in enumerate(sorted(numbers))}


def judgement(analysis: Analysis, films: Sequence[Film]) -> dict[str, Any]:
    """Return a bot's judgement, as far as it has come.

    Returns:
        ``bot`` and ``unit``, as a :class:`mhing.judge.Judge` has them; ``unknown``: why a move has
        no value, in words; ``decisions`` by their `places`, from the first one on without a gap;
        and ``players``. A decision has its ``seat``; ``player``: whose it is, in words; ``moves``:
        the bot's own, then the others from the best on, each with ``text``, ``value``, ``loss`` and
        ``cards``; ``played``: the place of the one that was played; and ``own``: whether its player
        chose it. The ``value`` is a score of :class:`mhing.decision.Decision`, or None.
    """
    known = places(films)
    seats = {film.seat for film in films}
    shown = [one for one in analysis.played if one.number in known]
    players = [player for player in analysis.players if {None, player.seat} & seats]
    names = called(analysis.record.players)
    return {
        "bot": analysis.bot,
        "unit": analysis.unit,
        "unknown": f"{analysis.bot} {_UNTRIED if analysis.bot.startswith(SEARCH) else _UNJUDGED}",
        "decisions": [_decision(one, names, analysis.record.game.labels["cards"]) for one in shown],
        "players": [_player(player, names[player.seat], known) for player in players],
    }


def _decision(one: PlayedDecision, names: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    ranked = one.decision.ranked()
    return {
        "seat": one.move.seat,
        "player": names[one.move.seat] + ("" if one.own else " (the server decided)"),
        "moves": [_move(one.decision, action, labels) for action in ranked],
        "played": ranked.index(one.move.action),
        "own": one.own,
    }


def _move(decision: Decision, action: int, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "text": decision.meaning(action),
        "value": _known(decision.score(action)),
        "loss": _known(decision.loss(action)),
        "cards": [word for word in decision.text(action).split() if word in labels],
    }


def _player(player: SeatPlay, name: str, known: dict[int, int]) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "name": name,
        "decisions": player.decisions,
        "agreed": player.agreed,
        "judged": len(player.losses),
        "lost": _known(sum(player.losses)),
        "mistakes": [known[one.number] for one in player.mistakes()],
    }


def _known(number: float) -> float | None:
    """Four digits of a number; None for one that is not known."""
    return float(f"{number:.4g}") if isfinite(number) else None
