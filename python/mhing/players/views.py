"""Views: what a player is shown of a position, so that each seat gets its own.

>>> import mhing
>>> state = mhing.Game("mhing", hints=True).new_state(seed=1)
>>> len(PlayerView(state.game).of(state)), len(PlayerView(state.game, "raw").of(state))
(1343, 659)
>>> PlayerView(state.game, "fields").of(state)["hand"].shape
(35,)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing.game import Game, State

if TYPE_CHECKING:
    from mhing import render

SEES = ("raw", "hints", "fields", "features", "words", "position", "world")
"""The views by name.

- ``"raw"``: the observation without hints, uint8 (size,);
- ``"hints"``: the observation with hints, the first part of which is the one without;
- ``"fields"``: the game's observation as :meth:`mhing.Game.unpack` returns it;
- ``"features"``: what :meth:`mhing.State.afterstates` returns;
- ``"words"``: what :meth:`mhing.text.Texts.observation` says to the seat;
- ``"position"``: the same as a :class:`mhing.render.View`, to be said in other forms, or drawn;
- ``"world"``: a :class:`mhing.State` in which all cards that the seat cannot know are dealt anew,
  see :meth:`mhing.State.resample`, for searches. The same observation shows the same world.
"""

Sees = str | int | None
"""One of `SEES`, or a number: the size of the observation with or without hints. None: the
observation as the game has it."""


class PlayerView:
    """A view of positions of a game.

    Args:
        game: the game that is played.
        sees: what is shown.

    Raises:
        ValueError: there is no such view, or the game has none.
    """

    def __init__(self, game: Game, sees: Sees = None) -> None:
        self.game, self.sees = game, sees
        self._of_state: Callable[[Any], Any] | None = None
        self._end = game.observation_size
        self.shows = "hints" if game.options.get("hints") else "observation"
        """The kind of view: ``"observation"``, ``"hints"`` for one with hints, ``"features"``,
        ``"words"`` or ``"world"``."""
        if sees is None or sees in (game.observation_size, "fields"):
            return
        if sees == "words":
            from mhing.text.texts import Texts  # noqa: PLC0415  few players read

            self._of_state, self.shows = Texts(game).observation, "words"
        elif sees == "position":
            self._of_state, self.shows = position_of, "words"
        elif sees == "world":
            self._of_state, self.shows = _world, "world"
        elif sees == "features":
            if not game.features:
                raise ValueError(f"sees: {game.id} has no features")
            self._of_state, self.shows = State.afterstates, "features"
        else:
            self._show(_size(game, sees))

    def _show(self, size: int) -> None:
        """Show an observation of that size, with or without hints."""
        self._end = min(size, self.game.observation_size)
        if size > self._end:
            self._of_state = partial(_observed, _with_hints(self.game, True))
            self.shows = "hints"
        elif size < self.game.observation_size:
            self.shows = "observation"

    def of(self, state: State) -> Any:
        """Return what the seat to act is shown."""
        return self.of_row(state.observation(), lambda: state)

    @property
    def needs_state(self) -> bool:
        """True if it shows more than a client of a server knows, see :meth:`of_row`."""
        return self._of_state is not None and self.shows != "words"

    def of_row(
        self, observation: NDArray[np.uint8], state: Callable[[], State | render.View]
    ) -> Any:
        """Return a copy of what a seat to act is shown.

        Args:
            observation: its observation, as the game has it.
            state: returns the position; not called where the observation is enough. What a client
                knows of it will do, except where the view `needs_state`.
        """
        return self._cut(observation) if self._of_state is None else self._of_state(state())

    def of_rows(self, observations: NDArray[np.uint8], states: Iterable[State]) -> Any:
        """Return the same for many positions at once.

        Args:
            observations: uint8 (rows, observation_size).
            states: the positions; not asked for where the observations are enough.

        Returns:
            Arrays with one line for each row; features, words and worlds in a list.
        """
        if self._of_state is None:
            return self._cut(observations)
        shown = [*map(self._of_state, states)]
        return np.stack(shown) if isinstance(shown[0], np.ndarray) else shown

    def of_states(self, states: Sequence[State]) -> Any:
        """Return what :meth:`of_rows` does for the seats to act."""
        return self.of_rows(np.stack([state.observation() for state in states]), states)

    def _cut(self, observations: NDArray[np.uint8]) -> Any:
        shown = observations[..., : self._end].copy()
        return self.game.unpack(shown) if self.sees == "fields" else shown


def _size(game: Game, sees: Sees) -> int:
    """Return the size of the observation that is asked for."""
    sizes = {"raw": game.observation_size}
    if "hints" in game.options:
        sizes = {
            name: _with_hints(game, on).observation_size
            for name, on in (("raw", False), ("hints", True))
        }
    if sees in sizes.values():
        assert isinstance(sees, int)
        return sees
    if isinstance(sees, str) and sees in sizes:
        return sizes[sees]
    if sees == "hints":
        raise ValueError(f"sees: {game.id} has no hints")
    if isinstance(sees, int):
        able = " or ".join(
            f"{size} {'with' if name == 'hints' else 'without'} hints"
            for name, size in sizes.items()
        )
        raise ValueError(f"takes observations of {sees} numbers; {game} has {able}")
    raise ValueError(f"sees: {sees!r} is none of {', '.join(SEES)}")


def _with_hints(game: Game, hints: bool) -> Game:
    """The same game, with or without hints in its observations."""
    if game.options["hints"] == hints:
        return game
    return Game(game.id, **{**game.options, "hints": hints})


def _observed(game: Game, state: State) -> NDArray[np.uint8]:
    """Return the observation of the seat to act as `game` has it, which differs in hints alone."""
    return state._observe_as(game._handle, state.seat)


def position_of(at: State | render.View) -> render.View:
    """Return what the seat to act knows of a position."""
    if not isinstance(at, State):
        return at
    from mhing.render.view import View as Position  # noqa: PLC0415  few players need it

    shown, mask = at.observation(), at.action_mask()
    return Position(at.game, shown, at.seat, at.info(), asked=at.seat, mask=mask)


def _world(state: State) -> State:
    digest = blake2b(state.observation().tobytes(), digest_size=8).digest()
    return state.resample(state.seat, int.from_bytes(digest, "little"))
