"""Objects that play, whatever they are, as policies."""

from __future__ import annotations

from inspect import signature
from typing import Any, cast

from mhing.players.player import Policy


def wrap(player: Any) -> Policy:
    """Return the policy that plays for an object: itself where it is one already.

    Args:
        player: a callable (observation, mask, info) -> action, see :data:`mhing.players.Policy`.

    Raises:
        TypeError: it does not play; the message says what would.

    >>> wrap(lambda observation, mask, info: int(mask.argmax())).__name__
    '<lambda>'
    """
    if isinstance(player, type):
        raise TypeError("is a class; give an object of it")
    if not callable(player):
        raise TypeError(
            "is neither a player's name nor an object that plays, such as a callable "
            "(observation, mask, info) -> action"
        )
    try:
        arguments = signature(player)
    except ValueError:  # written in C without one
        return cast("Policy", player)
    try:
        arguments.bind(None, None, None)
    except TypeError:
        raise TypeError(
            f"takes {arguments}; expected (observation, mask, info), and to return an action"
        ) from None
    return cast("Policy", player)
