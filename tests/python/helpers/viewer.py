"""A seat's observation as it should be: the parts of an observation that all games have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from every_game import without_generators
from matches import Match

import mhing

Table = dict[str, Any]

EVENTS = 32


class Viewer:
    """One seat at a table; `extra` is what its game calls the last column of events."""

    extra: str

    def __init__(self, table: Table, seat: int) -> None:
        self.table = table
        self.seat = seat
        self.seats = table["options"]["num_players"]

    def relative(self, seat: int | None) -> int:
        """Seat + 1 as counted from the observer, 0 for nobody."""
        return 0 if seat is None or seat < 0 else (seat - self.seat) % self.seats + 1

    def fields(self) -> dict[str, Any]:
        """All that the seat sees, by field."""
        raise NotImplementedError

    def block(self, seat: int) -> dict[str, Any]:
        """The public part of a seat, by field."""
        raise NotImplementedError

    def blocks(self) -> dict[str, list[Any]]:
        """The fields of all seats, the own one first."""
        blocks = [self.block((self.seat + step) % self.seats) for step in range(self.seats)]
        return {name: [block[name] for block in blocks] for name in blocks[0]}

    def events(self) -> dict[str, list[int]]:
        """The columns of the last events."""
        kinds = _event_kinds(self.table["game"])
        rows = [
            (self.relative(each["seat"]), kinds[each["event"]], each["detail"], each[self.extra])
            for each in self.table["events"][-EVENTS:]
        ]
        rows = [(0, 0, 0, 0)] * (EVENTS - len(rows)) + rows
        names = ("event_seat", "event_kind", "event_detail", f"event_{self.extra}")
        return {name: [row[n] for row in rows] for n, name in enumerate(names)}


@cache
def _event_kinds(game_id: str) -> dict[str, int]:
    return {event.name: event.id for event in mhing.Game(game_id).events}


def low_first(number: int, count: int) -> list[int]:
    """A number as so many bytes, the low one first."""
    return list(number.to_bytes(count, "little"))


def filled(numbers: list[int], length: int) -> list[int]:
    """Numbers with zeros after them."""
    assert len(numbers) <= length
    return numbers + [0] * (length - len(numbers))


def check_observations(match: Match, viewers: Iterable[Viewer]) -> None:
    """Compares the observations of the viewers' seats with what they should see."""
    game = match.state.game
    for viewer in viewers:
        shown = game.unpack(match.state.observation(viewer.seat))
        expected = viewer.fields()
        assert shown.keys() == expected.keys()
        for name, value in expected.items():
            assert shown[name].tolist() == value, (name, shown[name], value)


def check_resamples_ignore_the_seed(game: mhing.Game, deck: list[int], moments: int) -> None:
    """The same cards from other seeds look the same to every seat, and so do the resamples."""
    one, other = (game.new_state(seed, deck=deck) for seed in (1, 2))
    for moment in range(moments):
        for seat in range(game.num_seats):
            assert one.resample(seat, moment) == other.resample(seat, moment)
        assert without_generators(one) == without_generators(other)
        action = int(one.legal_actions()[-1])
        one.apply(action)
        other.apply(action)
