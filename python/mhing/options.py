"""The names of the options of games, as type checkers and editors know them.

``Game(num_playerz=4)`` is an error before it runs. Values are as in ``game.options``, so that
``Game(game.id, **game.options)`` is none; the core's tables have their kinds, limits and meanings.
A test compares these names with the tables of all games: a new game adds its options here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

Value = bool | int | str
"""The value of an option: on or off, a whole number, or one of its choices."""


class Options(TypedDict, total=False):
    """Options of all games. None leaves an option at its default.

    >>> import mhing
    >>> quick: Options = {"num_players": 2, "rounds": 4}
    >>> mhing.Game("mexican_rummy", **quick)
    Game('mexican_rummy', num_players=2, rounds=4)
    """

    rules: Value | Mapping[str, Value | None] | None
    """A preset's name, or options that may include ``"preset"``."""

    dealer: Value | None
    episode: Value | None
    hints: Value | None
    lay_down: Value | None
    max_raises: Value | None
    next_starter: Value | None
    num_players: Value | None
    objective: Value | None
    offer: Value | None
    reward: Value | None
    rounds: Value | None
    scoring: Value | None
    seven_pairs: Value | None
    stake: Value | None
    starter: Value | None
    swaps: Value | None
    target: Value | None
    turn_limit: Value | None
    turned_up: Value | None
