"""A game's table as data classes: what it shows, what can be played, and who plays.

:class:`mhing.Game` has them as lists, such as `observation_fields` and `bots`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class Field:
    """A named part of an observation: `shape` numbers of 0 to `high`, `strides` bytes apart.

    `public`: everybody may know it, not only the observer. `per_seat`: its first axis is that of
    the seats.
    """

    name: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    high: int
    public: bool
    per_seat: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class InfoField:
    """Public numbers that need more than a byte: `count` int64 from `offset` on.

    `per_seat`: one for each seat.

    `role`: what it is in every game that has one, else None. ``"rounds"``: rounds finished since
    the episode began; ``"winner"``: the seat that won the last one, or -1; ``"total"``: what that
    round brought, for each seat or for the winner, to be added up.
    """

    name: str
    offset: int
    count: int
    per_seat: bool
    role: str | None
    meaning: str


@dataclass(frozen=True, slots=True)
class ActionRange:
    """Actions of one kind: the ids `first` to `first + count - 1`."""

    name: str
    first: int
    count: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Feature:
    """Numbers of :meth:`mhing.State.afterstates`: `count` from `offset` on."""

    name: str
    offset: int
    count: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of public event, with the number it has in observations."""

    name: str
    id: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of rules by name: options that it sets, as text."""

    name: str
    settings: str
    meaning: str


@dataclass(frozen=True, slots=True)
class BotDescription:
    """A built-in bot."""

    name: str
    meaning: str
    values: bool
    """True if it judges actions, for :meth:`mhing.State.values`."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on the results of an episode, whatever is played: proven, if not always reached."""

    lowest: float
    """A seat's earnings, in the unit of the option `reward`; -inf: it may lose without end."""
    highest: float
    """inf: it may earn without end."""
    sum: float | None
    """The earnings of all seats together, where that is always the same; else None."""
    decisions: int | None
    """Actions that are played; None: there is no end to them."""


Row = TypeVar("Row", Field, InfoField, ActionRange, Feature, Event, Preset, BotDescription)


def rows_of(kind: type[Row], table: list[dict[str, Any]]) -> list[Row]:
    """The rows of one kind in a table as :meth:`mhing.Game.describe` has them."""
    names = [field.name for field in fields(kind)]
    return [kind(**{name: _frozen(row[name]) for name in names}) for row in table]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
