"""Mhing: imperfect-information card games as fast reinforcement-learning environments.

>>> import gymnasium as gym, mhing
>>> env = gym.make("Mhing-v0")             # or "mhing:Mhing-v0", without the import
>>> envs = gym.make_vec("Mhing-v0", num_envs=1024)
>>> state = mhing.Game("mhing").new_state(seed=1)
>>> mhing.score_hand("567s567s678s789s99s").credits
17

Modules: :mod:`mhing.game` (games and states), :mod:`mhing.env` and :mod:`mhing.vector`
(Gymnasium), :mod:`mhing.pettingzoo` (``mhing.mhing_v0`` and the like), :mod:`mhing.players`
(who plays), :mod:`mhing.arena` (who is better), :mod:`mhing.data` (games as data),
:mod:`mhing.text` (language models), :mod:`mhing.render` (text, SVG, pictures),
:mod:`mhing.remote` (servers: ``mhing.connect``), :mod:`mhing.by_game` (what single games bring:
scoring, pictures).
"""

from __future__ import annotations

import mhing._support.start  # noqa: F401  Ctrl-C is quiet while the rest is read

# isort: split
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium

from mhing._lib.games import game_ids as games
from mhing._support.ids import environment_id, pettingzoo_id
from mhing.by_game import (
    Score,
    SequenceScore,
    distance,
    distances,
    hands_array,
    points,
    score_hand,
    score_hands,
    score_sequences,
)
from mhing.game import DEFAULT_GAME, Game, State

if TYPE_CHECKING:
    from typing import Protocol

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from mhing.judge import analyse as analyse
    from mhing.options import Options
    from mhing.pettingzoo import CardGameAECEnv, CardGameParallelEnv
    from mhing.players import Given
    from mhing.remote import Connection
    from mhing.web.widget import TableWidget

    class _PettingZooModule(Protocol):
        """The names of the modules made below, for type checkers and editors."""

        @staticmethod
        def env(
            *,
            obs_mode: str = "dict",
            max_cycles: int | None = None,
            render_mode: str | None = None,
            look: str = "felt",
            info: str = "changes",
            seed_info: bool = False,
            **options: Unpack[Options],
        ) -> CardGameAECEnv: ...
        @staticmethod
        def raw_env(
            *,
            obs_mode: str = "dict",
            max_cycles: int | None = None,
            render_mode: str | None = None,
            look: str = "felt",
            info: str = "changes",
            seed_info: bool = False,
            **options: Unpack[Options],
        ) -> CardGameAECEnv: ...
        @staticmethod
        def parallel_env(
            *,
            obs_mode: str = "dict",
            max_cycles: int | None = None,
            render_mode: str | None = None,
            look: str = "felt",
            info: str = "changes",
            seed_info: bool = False,
            **options: Unpack[Options],
        ) -> CardGameParallelEnv: ...

    __version__: str
    general_mhing_v0: _PettingZooModule
    mexican_rummy_v0: _PettingZooModule
    mhing_v0: _PettingZooModule

__all__ = [
    "Game",
    "Score",
    "SequenceScore",
    "State",
    "analyse",
    "connect",
    "distance",
    "distances",
    "environment_id",
    "games",
    "hands_array",
    "pettingzoo_id",
    "play_widget",
    "points",
    "score_hand",
    "score_hands",
    "score_sequences",
    "unpack",
]


def __getattr__(name: str) -> Any:
    """``__version__``, :func:`analyse` and modules, which take long to find."""
    if name in ("judge", "players", "render", "text"):
        return import_module(f"mhing.{name}")
    if name == "analyse":
        return import_module("mhing.judge").analyse
    if name != "__version__":
        text = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=sys.modules[__name__])
    from importlib.metadata import version  # noqa: PLC0415  see above

    return version("mhing")


def _pettingzoo_module(game: str) -> ModuleType:
    """The module of a game in PettingZoo's manner, made without a file: ``mhing.mhing_v0``.

    PettingZoo, an extra, is imported only when an environment is made.
    """
    module = module_from_spec(ModuleSpec(f"{__name__}.{pettingzoo_id(game)}", loader=None))
    module.__doc__ = f"{game} for PettingZoo; see :mod:`mhing.pettingzoo`."
    for kind in ("env", "raw_env", "parallel_env"):
        setattr(module, kind, _pettingzoo_maker(module.__name__, game, kind))
    return module


def _pettingzoo_maker(module: str, game: str, kind: str) -> Callable[..., Any]:
    def make(
        *,
        obs_mode: str = "dict",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        look: str = "felt",
        info: str = "changes",
        seed_info: bool = False,
        **options: Any,
    ) -> Any:
        from mhing import pettingzoo  # noqa: PLC0415  an extra

        options |= {"obs_mode": obs_mode, "max_cycles": max_cycles, "render_mode": render_mode}
        options |= {"look": look, "info": info, "seed_info": seed_info}
        return getattr(pettingzoo, kind)(game, **options)

    make.__module__, make.__name__, make.__qualname__ = module, kind, kind  # pickling needs them
    make.__doc__ = f"See :func:`mhing.pettingzoo.{kind}`; `options` go with ``game={game!r}``."
    return make


for _game in games():
    gymnasium.register(
        environment_id(_game),
        entry_point="mhing.env:CardGameEnv",
        vector_entry_point="mhing.vector:CardGameVectorEnv",
        kwargs={"game": _game},
        # It refuses a step before a reset itself. Gymnasium's wrappers would take assignments to
        # attributes such as `opponents`, without effect.
        order_enforce=False,
        disable_env_checker=True,
    )
    _module = _pettingzoo_module(_game)
    sys.modules[_module.__name__] = globals()[pettingzoo_id(_game)] = _module


def connect(endpoint: str, **settings: Any) -> Connection:
    """A session on a server; see :class:`mhing.remote.Connection` for its `settings`.

    >>> import mhing
    >>> with mhing.connect("tcp://127.0.0.1:7644") as connection:
    ...     env = connection.make("Mhing-v0", opponents="random")

    Raises:
        ModuleNotFoundError: the extra ``mhing[server]`` is missing.
        TimeoutError: nobody answers at that endpoint.
    """
    from mhing.remote import Connection  # noqa: PLC0415  needs an extra

    return Connection(endpoint, **settings)


def play_widget(
    game: Game | str = DEFAULT_GAME,
    *,
    seat: int | None = 0,
    opponents: Given | Sequence[Given] | None = None,
    hint: str | None = None,
    seed: int | None = None,
    height: int = 620,
    **options: Unpack[Options],
) -> TableWidget:
    """A table to play at in a notebook, as the value of a cell.

    >>> import mhing
    >>> mhing.play_widget("general_mhing", opponents="greedy", seed=1)
    <a table of General Mhing>

    Args:
        game: its id, or the game.
        seat: yours; None: to watch.
        opponents: who has the other seats: one for all, or one for each, see
            :mod:`mhing.players`; None: the game's default bot.
        hint: the bot that gives hints; None: the game's judge.
        seed: of the deal; None: fresh entropy.
        height: of the cell, in CSS pixels.
        options: of the game, if `game` is an id.

    Raises:
        ModuleNotFoundError: the extra ``mhing[play]`` is missing.
        ValueError: there is no such game, seat, bot or option, or not one bot for each seat.
        TypeError: options are given beside a game, or an opponent is of the wrong type.
    """
    from mhing.players.seating import listed  # noqa: PLC0415  most programs do without
    from mhing.web.play import PlaySession, Wishes  # noqa: PLC0415  the same
    from mhing.web.widget import TableWidget  # noqa: PLC0415  needs an extra

    if not isinstance(game, Game):
        game = Game(game, **options)
    elif options:
        raise TypeError(f"{next(iter(options))}: the game is made already; give options to Game()")
    others = listed(game.default_bot if opponents is None else opponents)
    return TableWidget(PlaySession(game, others, Wishes(seat=seat, hint=hint), seed), height)


def unpack(
    observation: NDArray[np.uint8], game: Game | None = None
) -> dict[str, NDArray[np.uint8]]:
    """The named fields of observations (..., observation_size) of `game`, as views.

    `game` None is the default one, ``Game()``; an environment's is ``env.unwrapped.game``.
    See :meth:`Game.unpack`.
    """
    if game is not None:
        return game.unpack(observation)
    try:
        return _default_game().unpack(observation)
    except ValueError as error:
        raise ValueError(
            f"{error}; for another game or other options: unpack(observation, env.unwrapped.game)"
        ) from None


@cache
def _default_game() -> Game:
    return Game()
