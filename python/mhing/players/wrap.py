"""Objects that play, whatever they are, as policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from inspect import signature
from typing import Any, cast

from mhing.players.player import Policy
from mhing.players.registry import imported
from mhing.players.rows import OnlyRows

_LIBRARIES = (
    ("stable_baselines3", "BaseAlgorithm", "mhing.sb3:ModelPolicy"),
    ("stable_baselines3", "BasePolicy", "mhing.sb3:ModelPolicy"),
    ("tensordict", "TensorDictModuleBase", "mhing.torchrl:ActorPolicy"),
    ("tianshou", "Policy", "mhing.players.tianshou:TianshouPolicy"),
    ("tianshou", "Algorithm", "mhing.players.tianshou:TianshouPolicy"),
    ("ray", "Algorithm", "mhing.rllib.player:ModulePolicy"),
    ("ray", "RLModule", "mhing.rllib.player:ModulePolicy"),
    ("equinox", "Module", "mhing.players.jax:JaxPolicy"),
    ("pyspiel", "Bot", "mhing.players.openspiel:BotPolicy"),
    ("open_spiel", "AbstractAgent", "mhing.players.openspiel:refuse_agent"),
    ("torch", "Module", "mhing.players.torch:TorchPolicy"),
)
"""Classes of libraries, the package first, and what seats their objects; the first one counts."""

_PACKAGES = {"sb3_contrib", *(package for package, _, _ in _LIBRARIES)}


def wrap(player: Any) -> Policy:
    """Return the policy that plays for an object: itself where it is one already.

    Args:
        player: a callable (observation, mask, info) -> action, a coroutine too, see
            :data:`mhing.players.Policy`; an object with a method ``choose_rows``; a model or a
            policy of Stable-Baselines3 or sb3-contrib that takes masks; an actor of TorchRL; a
            policy or an algorithm of Tianshou; an algorithm or an RLModule of RLlib; a bot of
            OpenSpiel; a module of Equinox; or a network of PyTorch, see
            :class:`mhing.players.torch.TorchPolicy`.

    Raises:
        TypeError: it does not play; the message says what would.

    >>> wrap(lambda observation, mask, info: int(mask.argmax())).__name__
    '<lambda>'
    """
    if isinstance(player, type):
        raise TypeError("is a class; give an object of it")
    owner, made_by = getattr(player, "__self__", None), getattr(player, "__module__", None) or ""
    if made_by.partition(".")[0] in _PACKAGES and _adapter(owner):
        raise TypeError(f"is a method of a {type(owner).__name__}; give the object itself")
    has_rows = callable(getattr(player, "choose_rows", None))
    if not has_rows and (adapter := _adapter(player)):
        try:
            return cast("Policy", imported(adapter)(player))
        except TypeError as error:
            raise TypeError(f"cannot play: {error}") from None
    if has_rows and (not callable(player) or _adapter(player)):
        return OnlyRows(player)
    if not callable(player):
        raise TypeError(
            "is neither a player's name nor an object that plays, such as a callable "
            f"(observation, mask, info) -> action{meant(player)}"
        )
    try:
        arguments = signature(player)
    except ValueError:  # written in C without one
        return cast("Policy", player)
    try:
        arguments.bind(None, None, None)
    except TypeError:
        of_jax = type(player).__module__.startswith("jaxlib.")
        raise TypeError(
            f"takes {arguments}; expected (observation, mask, info), and to return an action"
            + of_jax * "; mhing.players.jax.JaxPolicy makes a player of a network"
        ) from None
    return cast("Policy", player)


def meant(player: Any) -> str:
    """Return the end of an error about what does not play, where it is clear what would."""
    if isinstance(player, str):
        return f"; mhing.players.load({player!r}, game) makes the player of a name"
    if isinstance(getattr(player, "members", None), Mapping):  # a Pool, whose module needs this one
        return (
            "; a pool is for the opponents of an environment; elsewhere give its members, each by "
            "itself: [*pool.members.values()]"
        )
    if isinstance(player, Mapping):
        return "; give the players in it, each by itself: [*players.values()]"
    several = isinstance(player, Sequence | Set | Iterator)
    return "; give the players in it, each by itself" * several


def _adapter(player: Any) -> str | None:
    """Return what seats an object of a library, by the names of its classes."""
    classes = {(one.__module__.partition(".")[0], one.__name__) for one in type(player).__mro__}
    found = (adapter for package, name, adapter in _LIBRARIES if (package, name) in classes)
    return next(found, None)
