"""What a client knows of a table from what it was sent, for pictures of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib import BETWEEN_ROUNDS, NOT_KNOWN, OVER, Viewer
from mhing.game import Game
from mhing.render.seen import check_view
from mhing.words import Part, checked_names, part_numbers

Event = tuple[int, ...]
"""(seat + 1, kind, detail, extra) with absolute seats, as the public observation has it."""

_EVENTS = "event_"  # fields that hold the events


@dataclass(frozen=True, eq=False)
class Sight:
    """What a seat, or a spectator, knows of a table: an observation, and what else was sent.

    >>> from mhing import Game, render
    >>> state = Game("mhing").new_state(seed=1)
    >>> sight = render.Sight(state.game, state.observation(2), seat=2)
    >>> "You are seat 2." in sight.words()
    True

    Nothing else goes into a picture of it, so that it cannot show what its viewer may not know.
    """

    game: Game
    """The game with its options."""
    observation: NDArray[np.uint8]
    """uint8 (observation_size,): the seat's own, or the public one of spectators."""
    seat: int | None = None
    """The seat whose observation it is; None: a spectator's."""
    numbers: Mapping[str, Any] | None = None
    """The public numbers by name, as ``State.info()`` and tables of a server have them. None: not
    known; scores, and how the last round ended, are left out then."""
    asked: int | None = None
    """The seat to act, if the viewer knows more of it than the observation says."""
    is_over: bool = False
    """Whether the episode is; for games whose observation does not say it."""
    is_between_rounds: bool = False
    """Whether a round is over and the next one not dealt, see :meth:`mhing.State.apply`."""

    mask: NDArray[np.int8] | None = None
    """int8 (num_actions,): what the viewer may play; None: it is not asked, or not known."""

    def __post_init__(self) -> None:
        check_view(self.seat, self.game.num_seats)
        _ = self.fields  # refuses what is no observation of the game
        if self.mask is not None and np.shape(self.mask) != (self.game.num_actions,):
            raise ValueError(f"mask: {np.shape(self.mask)} for {self.game.num_actions} actions")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """What a notebook shows: the table as its viewer sees it."""
        from mhing import render  # noqa: PLC0415  which needs this module

        return {"image/svg+xml": render.svg(self), "text/plain": repr(self)}

    def words(
        self,
        part: Part = "all",
        *,
        number: int | None = None,
        names: Sequence[str] | None = None,
    ) -> str:
        """What the viewer sees of the table, in sentences; see :meth:`mhing.State.words`.

        Raises:
            ValueError: bytes that cannot be an observation of the game; no such part, or not one
                name for each seat.
            TypeError: `number` is not a whole one, or names are no texts.
        """
        viewer = self._viewer(names)
        return self.game._handle.words(self.observation, viewer, *part_numbers(part, number))

    def _viewer(self, names: Sequence[str] | None) -> Viewer:
        """What is known beside the observation, for the core."""
        return Viewer(
            seat=-1 if self.seat is None else self.seat,
            to_act=self._to_act(),
            info=None if self.numbers is None else self.game.number_array(self.numbers),
            mask=self.mask,
            names=checked_names(names, self.game.num_seats),
        )

    def _to_act(self) -> int:
        if self.is_over:
            return OVER
        if self.is_between_rounds:
            return BETWEEN_ROUNDS
        return NOT_KNOWN if self.asked is None else self.asked

    # ---- Fields -----------------------------------------------------------------------------

    @cached_property
    def fields(self) -> dict[str, NDArray[np.uint8]]:
        """The named parts of the observation."""
        return self.game.unpack(self.observation)

    def number(self, name: str) -> int:
        """A field that is a single number, of one byte or several."""
        return int.from_bytes(self.fields[name].tobytes(), "little")

    def card(self, name: str) -> str | None:
        """A field that is a card plus one."""
        return next(iter(self.cards(name)), None)

    def cards(self, name: str) -> list[str]:
        """The cards of a field of cards plus one, without empty places."""
        cards = self.game.labels["cards"]
        return [cards[number - 1] for number in self.fields[name].reshape(-1).tolist() if number]

    def seat_of(self, name: str) -> int | None:
        """A field that is a seat plus one, as an absolute seat."""
        return self.absolute(self.number(name) - 1) if self.number(name) else None

    def absolute(self, clockwise: int) -> int:
        """The seat so many places clockwise from the observer."""
        return ((self.seat or 0) + clockwise) % self.game.num_seats

    def by_seat(self, name: str) -> list[NDArray[np.uint8]]:
        """The entries of a field per seat, in the order of absolute seats."""
        rows, seats = self.fields[name], self.game.num_seats
        return [rows[(number - (self.seat or 0)) % seats] for number in range(seats)]

    # ---- Events -----------------------------------------------------------------------------

    @cached_property
    def tail(self) -> list[Event]:
        """The events in the observation."""
        names = [f.name for f in self.game.observation_fields if f.name.startswith(_EVENTS)]
        rows = zip(*(self.fields[name].tolist() for name in names), strict=True)
        return [(self.absolute(seat - 1) + 1, *rest) for seat, *rest in rows if seat]

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The events in the observation, as ``State.to_dict()`` has them."""
        return self.event_dicts(self.tail)

    def event_dicts(self, events: Iterable[Event]) -> list[dict[str, Any]]:
        """Events in the form of ``State.to_dict()``."""
        extra = next(
            f.name for f in reversed(self.game.observation_fields) if f.name.startswith(_EVENTS)
        ).removeprefix(_EVENTS)
        return [
            {
                "seat": seat - 1,
                "event": self.game.events[kind].name,
                "text": self.game.event_text(kind, detail, more),
                "detail": detail,
                extra: more,
            }
            for seat, kind, detail, more in events
        ]

    def event_text(self, name: str, detail: int, extra: int) -> str:
        """What an event of this name is about."""
        kind = next(event.id for event in self.game.events if event.name == name)
        return self.game.event_text(kind, detail, extra)

    # ---- The form of State.to_dict() ------------------------------------------------------------

    def head(self) -> dict[str, Any]:
        """What the dicts of all games begin with."""
        return {
            "game": self.game.id,
            "options": self.game.options,
            "round": self._round(),
            "events": self.events,
        }

    def _round(self) -> int:
        if self.numbers is not None:
            return int(self.numbers["round"])
        return self.number("round") if "round" in self.fields else 0

    def last_round(self) -> Mapping[str, Any] | None:
        """The public numbers, if a round has finished, which they say; None: none has, or they are
        not known."""
        over = self.numbers is not None and self.numbers["rounds_over"]
        return self.numbers if over else None

    def counted(self, numbers: NDArray[np.uint8]) -> list[str]:
        """Each card as often as it is counted."""
        cards = self.game.labels["cards"]
        return [cards[card] for card in numbers.nonzero()[0] for _ in range(numbers[card])]

    def hands(self, known: Sequence[Sequence[str]] = ()) -> list[list[str | None]]:
        """The hands by seat: the viewer's own, and the cards `known` of others; else None."""
        hands: list[list[str | None]] = []
        for number, size in enumerate(self.by_seat("hand_size")):
            held = known[number] if known else ()
            hands.append([*held, *[None] * (int(size) - len(held))])
        if self.seat is not None:
            hands[self.seat] = list(self.counted(self.fields["hand"]))
        return hands

    def listed(self, name: str) -> list[int] | None:
        """Public numbers by seat, or one under each label; None: not known."""
        if self.numbers is None:
            return None
        return [int(number) for number in self.numbers[name]]
