"""What a viewer may see of a table of any game: the one place that decides what stays hidden.

All of it is read from a `Sight`, and from the omniscient observation where all cards lie open, but
never from the state itself. What the numbers of a field stand for is read from its meaning in the
game's table: ``card+1`` is one of the labels ``cards``, ``seat+1`` a seat; counts or flags "by"
something are as many as the labels; bytes "low byte first" are one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.game import Field, Game, InfoField
from mhing.render import seen
from mhing.render.sight import Sight

_ON_TURN = ("to_act", "on_turn")  # public fields: seat+1
NOTHING = "-"
_CARDS = "cards"  # labels
_EVENTS = "event_"  # fields that hold the events, which are shown as lines
_MANY = 30  # more words than that are counted
_LONG = 40  # more plain numbers than that nobody reads
_ENCODED = re.compile(r"\b([a-z]+)\+1\b")
_COUNTED = re.compile(r"\bby ([a-z]+)\b")
_OF_BYTES = "low byte first"  # in the meaning of a number of several bytes


@dataclass(frozen=True)
class Value:
    """A field or a number by its name, in words."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Seat(seen.Seat):
    """One player's side of the table, as named values."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Table(seen.Table[Seat]):
    """All that one viewer sees."""

    values: tuple[Value, ...]  # of no seat
    result: tuple[str, ...]  # how the round finished last ended, if one is: the winner, numbers


def look(shown: Sight, omniscient: NDArray[np.uint8] | None = None) -> Table:
    """Returns the table as the viewer sees it.

    Args:
        shown: what the viewer knows.
        omniscient: with a spectator's sight, what is hidden: all cards lie open then.
    """
    game, asked, won = shown.game, _asked(shown), _winner(shown)
    active = won if shown.is_over or shown.is_between_rounds else asked
    of_table: list[Value] = []
    of_seats: list[list[Value]] = [[] for _ in range(game.num_seats)]
    for field, numbers in _fields(shown, omniscient):
        if field.per_seat:
            for place, row in enumerate(numbers):
                of_seats[shown.absolute(place)] += _values(shown, field, row)
        elif field.public or shown.seat is None:
            of_table += _values(shown, field, numbers)
        else:
            of_seats[shown.seat] += _values(shown, field, numbers)
    return Table(
        seats=tuple(
            Seat(
                number=number,
                is_viewer=number == shown.seat,
                is_active=number == active,
                score="",
                change="",
                values=tuple(values),
            )
            for number, values in enumerate(of_seats)
        ),
        nearest=shown.seat or 0,
        heading=_heading(shown),
        status=_status(shown, asked),
        is_game_over=False,
        notes=(),
        events=tuple(map(event_text, shown.events)),
        values=tuple(of_table),
        result=result(shown),
    )


def event_text(event: Mapping[str, Any]) -> str:
    """Reports a public event in one line."""
    return f"Seat {event['seat']}: {event['event'].replace('_', ' ')} {event['text']}".rstrip()


def result(shown: Sight) -> tuple[str, ...]:
    """How the round finished last ended: who has won it, and the public numbers by name.

    Nothing before a round is finished, or where the numbers are not known.
    """
    if not _rounds_over(shown):
        return ()
    winner = _winner(shown)
    if winner is None:
        headline = "The round is over"
    else:
        headline = f"Seat {winner} wins" if winner >= 0 else "Nobody wins"
    numbers = shown.numbers or {}
    named = (_number_text(shown.game, f, numbers[f.name]) for f in shown.game.info_fields)
    return headline, "; ".join(filter(None, named))


# ---- Fields -----------------------------------------------------------------------------------


def _fields(
    shown: Sight, omniscient: NDArray[np.uint8] | None
) -> Iterator[tuple[Field, NDArray[np.uint8]]]:
    """The fields that are shown, with their numbers."""
    game = shown.game
    for field in game.observation_fields:
        if field.name.startswith(_EVENTS) or field.name in _ON_TURN:
            continue
        if field.public or shown.seat is not None:
            yield field, shown.fields[field.name]
    if omniscient is not None:
        parts = game.unpack_omniscient(omniscient)
        for field in game.omniscient_fields:
            if field.name not in _ON_TURN:
                yield field, parts[field.name]


def _values(shown: Sight, field: Field, numbers: NDArray[np.uint8]) -> list[Value]:
    """The value of a field, or none where there is nothing to say."""
    game = shown.game
    name = field.name.replace("_", " ")
    if _OF_BYTES in field.meaning:
        return [Value(name, (_number_of(numbers),))]
    counted = _labels_counted(game, field, numbers)
    if counted:
        words = _counts(game.labels[counted], numbers.tolist())
        return [Value(name, tuple(words))] if words else []
    encoded = _ENCODED.search(field.meaning)
    what = f"{encoded[1]}s" if encoded else ""
    if what in game.labels or what == "seats":
        labels = game.labels.get(what) or _seats_from(shown)
        words = [_label(labels, number) for number in _trimmed(numbers)]
        if what == _CARDS:  # of empty places in a row one is enough
            words = [a for a, b in pairwise([*words, ""]) if a != b or a != NOTHING]
        return [Value(name, tuple(words))] if words else []
    words = [str(number) for number in (_trimmed(numbers) if numbers.shape else [int(numbers)])]
    return [Value(name, tuple(words))] if 0 < len(words) <= _LONG else []


def _number_of(numbers: NDArray[np.uint8]) -> str:
    """A number of several bytes."""
    return str(int.from_bytes(numbers.tobytes(), "little"))


def _labels_counted(game: Game, field: Field, numbers: NDArray[np.uint8]) -> str:
    """The labels of which a field has a count each, the last ones perhaps left out; "" of none."""
    by = _COUNTED.search(field.meaning)
    if not by or not numbers.ndim:
        return ""
    named = (
        game.labels.items() if by[1] == "type" else [(f"{by[1]}s", game.labels.get(f"{by[1]}s"))]
    )
    return next((name for name, labels in named if labels and len(labels) >= len(numbers)), "")


def _counts(labels: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Each label as often as it is counted; where that would be many words, once with its count."""
    pairs = [(label, count) for label, count in zip(labels, counts, strict=False) if count]
    if sum(counts) <= _MANY:
        return [label for label, count in pairs for _ in range(count)]
    return [label if count == 1 else f"{count}x{label}" for label, count in pairs]


def _seats_from(shown: Sight) -> list[str]:
    return [str(shown.absolute(place)) for place in range(shown.game.num_seats)]


def _label(labels: Sequence[str], number: int) -> str:
    """What a number from 1 stands for; the number itself where it carries more than a label."""
    if number == 0:
        return NOTHING
    return labels[number - 1] if number <= len(labels) else str(number)


def _trimmed(numbers: NDArray[np.uint8]) -> list[int]:
    """The numbers without the zeros after the last other one."""
    trimmed: list[int] = np.trim_zeros(np.atleast_1d(numbers), "b").tolist()
    return trimmed


# ---- What else there is to say ----------------------------------------------------------------


def _asked(shown: Sight) -> int | None:
    """The seat to act, as far as the viewer knows it."""
    if shown.asked is not None:
        return shown.asked
    for name in _ON_TURN:
        if name in shown.fields and shown.fields[name].shape == ():
            return shown.seat_of(name)
    return None


def _heading(shown: Sight) -> str:
    """The game, and which round it is where there are several."""
    number = _rounds_over(shown) + (not (shown.is_over or shown.is_between_rounds))
    return f"{shown.game.title}, round {number}" if number > 1 else shown.game.title


def _status(shown: Sight, asked: int | None) -> str:
    if shown.is_over:
        return "The episode is over"
    if shown.is_between_rounds:
        return "The round is over"
    return "Another seat to act" if asked is None else f"Seat {asked} to act"


def _rounds_over(shown: Sight) -> int:
    """The rounds finished, as far as the viewer knows."""
    numbers = shown.numbers or {}
    return next((int(numbers.get(field.name, 0)) for field in shown.game.info_role("rounds")), 0)


def _winner(shown: Sight) -> int | None:
    """Who won the round finished last, -1 for nobody.

    None: the game counts no winners, or it is not known.
    """
    if shown.numbers is None:
        return None
    return next((int(shown.numbers[field.name]) for field in shown.game.info_role("winner")), None)


def _number_text(game: Game, field: InfoField, number: int | NDArray[np.int64]) -> str:
    """A public number as "name value", labelled where it has labels; "" where that is elsewhere."""
    if field.role in ("winner", "rounds"):
        return ""
    name = field.name.replace("_", " ")
    if isinstance(number, int):
        labels = game.labels.get(f"{field.name}s")
        return f"{name} {labels[number] if labels else number}"
    if field.name in game.labels:
        labelled = zip(number.tolist(), game.labels[field.name], strict=True)
        return f"{name} {', '.join(f'{each} {label}' for each, label in labelled if each) or '-'}"
    return f"{name} {' '.join(map(str, number))}"
