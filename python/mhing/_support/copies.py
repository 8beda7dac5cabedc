"""Environments that are copied and pickled: made anew, and then continued from a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEPT = (
    "spec", "_np_random", "_np_random_seed", "look", "action_space", "observation_space",
    "single_action_space", "single_observation_space",
)  # fmt: skip
"""The attributes that Gymnasium and users may have changed since an environment was made."""


def settings_of(local: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a method by name: what ``locals()`` are where it begins."""
    settings = {name: value for name, value in local.items() if name not in ("self", "__class__")}
    options: dict[str, Any] = settings.pop("options")
    return settings | options


def parts(env: Any, settings: dict[str, Any], snapshot: Any) -> tuple[Any, ...]:
    """Return what ``__reduce__`` does; `snapshot`: for the environment's `_continue`, or None."""
    kept = {name: vars(env)[name] for name in _KEPT if name in vars(env)}
    return _remade, (type(env), settings, kept, snapshot)


def _remade(kind: Any, settings: dict[str, Any], kept: dict[str, Any], snapshot: Any) -> Any:
    env = kind(**settings)
    vars(env).update(kept)
    if snapshot is not None:
        env._continue(snapshot)
    return env
