"""Who plays: one registry of players, for every place where somebody names one.

>>> import gymnasium as gym, mhing
>>> player = mhing.players.load("search:50", "general_mhing")
>>> environment = gym.make("mhing:GeneralMhing-v0", opponents=player)

A player is given by a name or as an object, in the same way to environments, batches, the arena,
``mhing play`` and all others.

- A name begins with the prefix of a :class:`PlayerKind`, see :func:`kinds`; one without a prefix is
  that of a built-in bot. The registry imports what makes a player when it is first named.
- An object is wrapped by :func:`wrap`, which says what plays.

What comes of either is a :class:`Player`. Its `plays` says how it is asked: a built-in bot is a
number and plays in the core; a :data:`Policy` is called in this process; a program or a server's
guest is asked over lines.

A policy says what it `sees`, and gets that view of each position, see :mod:`mhing.players.views`.
One that answers for many rows is asked about a position by way of trial where it is given, so wrong
sizes and types are found there.

Modules: :mod:`mhing.players.player` (what a player is), :mod:`mhing.players.views` (what it is
shown), :mod:`mhing.players.asking` (questions and answers), :mod:`mhing.players.registry` (names),
:mod:`mhing.players.wrap` (objects), :mod:`mhing.players.seating` (who was given for which seat),
and one for each kind of players that this package makes.
"""

from __future__ import annotations

from mhing.players.player import Command, Guest, Player, Policy
from mhing.players.pool import Met, Pool
from mhing.players.registry import PlayerKind, kinds, register
from mhing.players.seating import Given, load
from mhing.players.wrap import wrap

__all__ = [
    "Command",
    "Given",
    "Guest",
    "Met",
    "Player",
    "PlayerKind",
    "Policy",
    "Pool",
    "kinds",
    "load",
    "register",
    "wrap",
]
