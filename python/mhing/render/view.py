"""A client's knowledge of a table from what it was sent, for pictures of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.games import BETWEEN_ROUNDS, NOT_KNOWN, OVER, Viewer
from mhing._lib.scenes import mime_bundle
from mhing.game import Game
from mhing.words import Part, checked_names, part_numbers

Event = tuple[int, ...]
"""(seat + 1, kind, detail, extra) with absolute seats, as the public observation has it."""

_EVENTS = "event_"  # fields that hold the events


@dataclass(frozen=True, eq=False)
class View:
    """A seat's, or a spectator's, knowledge of a table: an observation, and what else was sent.

    >>> from mhing import Game, render
    >>> state = Game("mhing").new_state(seed=1)
    >>> view = render.View(state.game, state.observation(2), seat=2)
    >>> "You are seat 2." in view.words()
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
    """True if the episode is over; for games whose observation does not say it."""
    is_between_rounds: bool = False
    """True if a round is over and the next one not dealt, see :meth:`mhing.State.apply`."""

    mask: NDArray[np.int8] | None = None
    """int8 (num_actions,): what the viewer may play; None: it is not asked, or not known."""

    def __post_init__(self) -> None:
        check_view(self.seat, self.game.num_seats)
        _ = self.fields  # refuses what is no observation of the game
        if self.mask is not None and np.shape(self.mask) != (self.game.num_actions,):
            raise ValueError(f"mask: {np.shape(self.mask)} for {self.game.num_actions} actions")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the table as its viewer sees it, for a notebook."""
        handle = self.game._handle
        picture = handle.picture(self.observation, self._viewer(None), "wide")
        return mime_bundle(picture, handle, repr(self))

    def words(
        self,
        part: Part = "all",
        *,
        number: int | None = None,
        names: Sequence[str] | None = None,
    ) -> str:
        """Return what the viewer sees of the table, in sentences; see :meth:`mhing.State.words`.

        Raises:
            ValueError: bytes that cannot be an observation of the game; no such part, or not one
                name for each seat.
            TypeError: `number` is not a whole one, or names are no texts.
        """
        viewer = self._viewer(names)
        return self.game._handle.words(self.observation, viewer, *part_numbers(part, number))

    def _viewer(self, names: Sequence[str] | None) -> Viewer:
        """Return the viewer for the core, with the facts beside the observation."""
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

    @cached_property
    def fields(self) -> dict[str, NDArray[np.uint8]]:
        """The named parts of the observation."""
        return self.game.unpack(self.observation)

    @cached_property
    def tail(self) -> list[Event]:
        """The events in the observation."""
        names = [f.name for f in self.game.observation_fields if f.name.startswith(_EVENTS)]
        rows = zip(*(self.fields[name].tolist() for name in names), strict=True)
        first, seats = self.seat or 0, self.game.num_seats
        return [((first + seat - 1) % seats + 1, *rest) for seat, *rest in rows if seat]


def check_view(view: int | None, num_seats: int) -> None:
    """Raise ValueError unless `view` is None or one of the seats."""
    if view is not None and view not in range(num_seats):
        raise ValueError(f"view must be None or a seat from 0 to {num_seats - 1}, got {view!r}")
