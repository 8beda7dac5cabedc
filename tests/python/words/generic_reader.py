"""Reads the words of a game that brings none back into fields: by its table, not by the core.

Lines are those that csrc/words/mh_words_generic.c writes: "name: value, value", in which values are
labels, seats or numbers as the meaning of the row says (C4, C9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mhing
from mhing.game import Field, InfoField

TURN = ("to_act", "on_turn")
"""Fields that the status says."""
_BY = re.compile(r"\bby ([a-z]+)\b")
_PLUS_ONE = re.compile(r"\b([a-z]+)\+1\b")
_BLOCK = re.compile(r"(You|Seat \d):")
_LINE = re.compile(r"( *)([a-z0-9 ]+): (.+)")
_EVENT = re.compile(r"(You|Seat \d) (.+)\.")
_TURN_OF = re.compile(r"It (?:is|was) (?:your turn|the turn of (seat \d))\.")

Fields = dict[str, NDArray[np.uint8]]


@dataclass
class Reading:
    """The contents of a text."""

    seat: int | None = None
    """The viewer."""
    rounds: int = 0
    options: dict[str, str] = field(default_factory=dict)
    fields: Fields = field(default_factory=dict)
    """As ``Game.unpack`` has them; events have seats and kinds only."""
    hidden: Fields = field(default_factory=dict)
    """As ``Game.unpack_omniscient`` has them."""
    events: list[tuple[int, str]] = field(default_factory=list)
    """Absolute seats, and what they did."""
    numbers: dict[str, Any] = field(default_factory=dict)
    """Of ``State.info()``, those that are not 0."""
    winner: int | None = None
    """-1: no seat alone; None: not said."""
    turn: int | None = None
    """The seat on turn; None: not said."""
    status: str = ""
    moves: str = ""


def is_generic(game: mhing.Game) -> bool:
    """Return whether the game brings no words itself."""
    return game.new_state(0).words(None, "limits").startswith("Options: num players ")


def read(game: mhing.Game, parts: dict[str, str], with_hidden: bool = False) -> Reading:
    """Reads the parts of a text: by name, all seats' clockwise from the viewer under "seat"."""
    reading = Reading()
    for one in game.observation_fields:
        reading.fields[one.name] = np.zeros(one.shape, np.uint8)
    for one in game.omniscient_fields:
        reading.hidden[one.name] = np.zeros(one.shape, np.uint8)
    _read_heading(game, parts["heading"], reading)
    _read_options(parts["limits"], reading)
    _read_blocks(game, parts["seat"], reading, with_hidden)
    for line in parts["piles"].splitlines():
        _read_value(game, line, None, reading, with_hidden)
    for line in parts["events"].splitlines():
        found = _EVENT.fullmatch(line)
        assert found, line
        reading.events.append((_seat(found[1], reading), found[2]))
    for line in parts["result"].splitlines():
        _read_number(game, line, reading)
    _read_status(parts["status"], reading)
    reading.moves = parts["moves"]
    return reading


def _seat(text: str, reading: Reading) -> int:
    """An absolute seat from what it is called."""
    if text.lower() == "you":
        assert reading.seat is not None
        return reading.seat
    return int(text.lower().removeprefix("seat "))


def _place(seat: int, game: mhing.Game, reading: Reading) -> int:
    """Its place clockwise from the observer."""
    return (seat - (reading.seat or 0)) % game.num_seats


def _read_heading(game: mhing.Game, text: str, reading: Reading) -> None:
    found = re.fullmatch(
        re.escape(game.title) + r"(?:, ([\d,]+) rounds? over)?\.(?: You are seat (\d)\.)?\n",
        text,
    )
    assert found, text
    reading.seat = None if found[2] is None else int(found[2])
    reading.rounds = int((found[1] or "0").replace(",", ""))


def _read_options(text: str, reading: Reading) -> None:
    assert text.startswith("Options: ")
    assert text.endswith(".\n")
    for each in text[len("Options: ") : -2].split(", "):
        name, _, value = each.rpartition(" ")
        reading.options[name.replace(" ", "_")] = value


def _read_blocks(game: mhing.Game, text: str, reading: Reading, with_hidden: bool) -> None:
    seats = []
    for line in text.splitlines():
        if found := _BLOCK.fullmatch(line):
            seats.append(_seat(found[1], reading))
        else:
            assert line.startswith("  "), line
            _read_value(game, line, seats[-1], reading, with_hidden)
    first = reading.seat or 0
    assert seats == [(first + i) % game.num_seats for i in range(game.num_seats)]


# ---- Fields -----------------------------------------------------------------------------------


def _read_value(
    game: mhing.Game, line: str, seat: int | None, reading: Reading, with_hidden: bool
) -> None:
    found = _LINE.fullmatch(line)
    assert found, line
    assert (found[1] == "  ") == (seat is not None)
    name = found[2].replace(" ", "_")
    seen = {one.name: one for one in game.observation_fields}
    hidden = {one.name: one for one in game.omniscient_fields} if with_hidden else {}
    if name in seen and (seat is None or seen[name].per_seat or seat == reading.seat):
        one, target = seen[name], reading.fields[name]
        if one.per_seat:
            assert seat is not None
            place = _place(seat, game, reading)
            target = target[place : place + 1]
        first = reading.seat or 0
    else:
        one, target, first = hidden[name], reading.hidden[name], 0
        target = target if seat is None else target[seat : seat + 1]
    numbers = _numbers(game, one, found[3], target.size, first, reading)
    assert any(numbers), f"nothing is said: {line}"
    assert not target.any(), f"said twice: {line}"
    target.reshape(-1)[: len(numbers)] = numbers


def _by(game: mhing.Game, one: Field, count: int) -> list[str]:
    """The labels that a field counts."""
    found = _BY.search(one.meaning)
    labels = game.labels.get(f"{found[1]}s", []) if found else []
    return labels if 1 < count <= len(labels) else []


def _numbers(
    game: mhing.Game, one: Field, text: str, count: int, first: int, reading: Reading
) -> list[int]:
    """The bytes of a field, zeros at the end left out."""
    by = _by(game, one, count)
    if "low byte first" in one.meaning:
        return list(int(text.replace(",", "")).to_bytes(count, "little"))
    words = text.split(", ")
    if by:
        numbers = [0] * count
        for word in words:
            times, _, label = word.rpartition(" x ")
            numbers[by.index(label)] += int(times or 1)
        return numbers
    encoded = _PLUS_ONE.search(one.meaning)
    labels = game.labels.get(f"{encoded[1]}s", []) if encoded else []
    numbers = []
    for word in words:
        if word == "-":
            numbers.append(0)
        elif encoded and encoded[1] == "seat" and not labels:
            numbers.append((_seat(word, reading) - first) % game.num_seats + 1)
        elif word in labels:
            numbers.append(labels.index(word) + 1)
        else:
            numbers.append(int(word) + bool(labels))
    return numbers


# ---- Numbers and status -----------------------------------------------------------------------


def _read_number(game: mhing.Game, line: str, reading: Reading) -> None:
    if line == "No seat won the last round alone.":
        reading.winner = -1
        return
    if found := re.fullmatch(r"(You|Seat \d) won the last round\.", line):
        reading.winner = _seat(found[1], reading)
        return
    name, _, text = line.partition(": ")
    one = next(one for one in game.info_fields if one.name == name.replace(" ", "_"))
    reading.numbers[one.name] = _number(game, one, text.split("; "), reading)


def _number(game: mhing.Game, one: InfoField, words: list[str], reading: Reading) -> Any:
    single = game.labels.get(f"{one.name}s")
    counted = game.labels.get(one.name)
    if one.per_seat:
        numbers = [0] * game.num_seats
        for word in words:
            number, _, who = word.partition(" for ")
            numbers[_seat(who, reading)] = int(number.replace(",", ""))
        return numbers
    if counted:
        numbers = [0] * one.count
        for word in words:
            number, _, label = word.partition(" ")
            numbers[counted.index(label)] = int(number.replace(",", ""))
        return numbers
    plain = [
        single.index(word) if single and word in single else int(word.replace(",", ""))
        for word in words
    ]
    return plain[0] if one.count == 1 else plain


def _read_status(text: str, reading: Reading) -> None:
    for line in text.splitlines():
        if found := _TURN_OF.fullmatch(line):
            reading.turn = _seat(found[1] or "you", reading)
        else:
            assert not reading.status, text
            reading.status = line
