"""Texts for a terminal, whether it shows lines or the application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from mhing.decision import PROBABILITY, Decision, say_score

HINTED = 4
"""Moves that a hint compares."""


NO_EVENTS = "Nobody has played yet: the first move is yours."
"""The text that stands for events as long as nothing has happened."""


def meant(answer: str, moves: Sequence[str]) -> list[str]:
    """The moves that an answer may mean: by number, by text, by beginning or by last word.

    >>> meant("2", ["draw", "take"])
    ['take']
    >>> meant("5s", ["discard 5s", "discard 6s"])
    ['discard 5s']
    """
    if answer.isdecimal():
        return [*moves[int(answer) - 1 : int(answer)]] if int(answer) > 0 else []
    if answer in moves:
        return [answer]
    return [move for move in moves if move.startswith(answer) or move.endswith(" " + answer)]


def fitting(typed: str, moves: Sequence[str]) -> list[str]:
    """The moves that what is typed so far may become; those that it means already come first.

    >>> fitting("5", ["draw", "discard 5s", "discard 6s", "discard 5p", "pass"])
    ['pass', 'discard 5s', 'discard 5p']
    """
    begun = [
        move
        for move in moves
        if move.startswith(typed) or any(word.startswith(typed) for word in move.split())
    ]
    return [*dict.fromkeys((*meant(typed, moves), *begun))] if typed else [*moves]


def hint(decision: Decision) -> str:
    """Return a bot's choice, with the scores of that and of the best moves."""
    lines = [f"{decision.bot} would play: {decision.meaning(decision.choice)}"]
    judged = [action for action in decision.ranked() if isfinite(decision.score(action))]
    shown = sorted(judged[:HINTED], key=decision.score, reverse=True)
    if shown:
        is_likely = decision.unit == PROBABILITY
        expects = f"It expects to the end of the round ({decision.unit}):"
        lines.append("How likely it plays them:" if is_likely else expects)
    for action in shown:
        score = say_score(decision.score(action), decision.unit)
        lines.append(f"{score:>8}  {decision.meaning(action)}")
    if shown and decision.score(shown[0]) > decision.score(decision.choice):
        lines.append("A move that looks better than that one may do so by chance.")
    return "\n".join(lines)


def judgement(unit: str) -> str:
    """Return the meaning of the scores beside moves, by their unit."""
    return "how likely it plays them" if unit == PROBABILITY else f"what it expects ({unit})"


def totals(view: Mapping[str, Any]) -> list[str]:
    """Return the rewards so far, and the moves taken back, in one line each."""
    each = (f"{one['name']} {one['total']:+g}" for one in view["players"])
    return [f"Earned in all: {', '.join(each)}", *view["taken_back"]]
