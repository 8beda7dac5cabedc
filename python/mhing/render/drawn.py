"""Pictures that the core draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from mhing._support.seats import view_of
from mhing.game import Game
from mhing.render.scene import Format, Scene, Sprite, sprite
from mhing.render.view import View
from mhing.state import State


def scene(
    table: State | View,
    view: int | None,
    shape: Format | Literal["share"],
    names: Sequence[str] | None,
    seed: int | None = None,
    *,
    log: bool = True,
) -> Scene:
    """The picture of what a viewer sees, by the core.

    Args:
        table: a state, or what is known of one.
        view: the seat with whose eyes it is seen; None: all cards of a state lie open.
        shape: the form of the picture.
        names: of the players.
        seed: of the episode, where a picture to be shared shall name it.
        log: whether the last events are written in it.
    """
    if isinstance(table, View):
        observation, viewer = table.observation, table._viewer(names)
    else:
        observation, viewer = view_of(table, view, names)
    handle = table.game._handle
    viewer = replace(viewer, seed=seed, has_log=not log)
    return Scene(handle.picture(observation, viewer, shape), handle)


def move_cards(table: State | View, action: int) -> list[tuple[int, int, bool]]:
    """The cards of a move by the core: the numbers of sprite and card, and whether it is held."""
    if isinstance(table, View):
        observation, viewer = table.observation, table._viewer(None)
    else:
        observation, viewer = view_of(table, max(table.seat, 0), None)
    return table.game._handle.move_cards(observation, viewer, action)


def sprite_of(game: Game, number: int) -> Sprite:
    """Return the face of a card, by its number among the game's sprites."""
    return sprite(game._sprite_names[number])
