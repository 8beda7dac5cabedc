"""Seats as callers name them: which one is meant, what it sees, and which bots play all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import whole
from mhing._lib.games import NOT_KNOWN, Viewer
from mhing._lib.states import state_seat
from mhing.words import checked_names, seat_of

if TYPE_CHECKING:
    from mhing.game import Game
    from mhing.state import State


def known_seat(game: Game, seat: int) -> int:
    """`seat` as an int; IndexError where the game has none of that number."""
    number = whole(seat, "seat")
    if not 0 <= number < game.num_seats:
        raise IndexError(f"seat: {number} is not from 0 to {game.num_seats - 1}")
    return number


def seat_number(game: Game, seat: Any) -> int:
    """The keyword or option `seat` as an int; ValueError where the game has none of that number."""
    try:
        return known_seat(game, seat)
    except IndexError as error:
        raise ValueError(*error.args) from None


def observer_of(state: State, seat: int | None) -> int:
    """`seat`, or the one to act for None."""
    if seat is not None:
        return known_seat(state.game, seat)
    acting: int = state_seat(state._pointer)
    if acting < 0:
        raise RuntimeError("seat: nobody is to act; name the observer")
    return acting


def view_of(
    state: State, view: int | None, names: Sequence[str] | None
) -> tuple[NDArray[np.uint8], Viewer]:
    """An observation, and what is known beside it, for the core; None: all cards lie open."""
    seats = state.game.num_seats
    seat, to_act = seat_of(view, seats), state.seat
    is_public = view in (None, to_act) or to_act < 0
    viewer = Viewer(
        seat=seat,
        to_act=to_act if is_public else NOT_KNOWN,
        info=state._numbers(),
        omniscient=state.omniscient() if view is None else None,
        mask=state.action_mask() if view == to_act else None,
        names=checked_names(names, seats),
    )
    observation = state.public_observation() if view is None else state.observation(seat)
    return observation, viewer


def bots_of(game: Game, bots: str | Sequence[str]) -> list[int]:
    """The numbers of the bots that play the seats: of one for all, or of one for each."""
    seats = game.num_seats
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        return [game.bot_index(bots)] * seats
    if len(bots) != seats:
        raise ValueError(f"bots: {len(bots)} given for {seats} seats; give one name, or {seats}")
    return [game.bot_index(bot) for bot in bots]
