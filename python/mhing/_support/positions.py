"""Positions that people make by hand: :meth:`mhing.Game.state_from_dict` checks them with this.

The core reads what it needs, and settles the rest. What was given beside that is compared here with
what a state like this exports, so that nothing is passed over in silence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_PLAIN, _ROWS = (str, int, float, type(None)), (list, tuple, np.ndarray)


def to_json(data: Mapping[str, Any], known: Mapping[str, Any]) -> bytes:
    """The JSON of a position; `known` has all keys, and the game and options that it must be of."""
    if not isinstance(data, Mapping):
        raise TypeError(f"data: {type(data).__name__} is no dict, as State.to_dict() returns it")
    for key in data:
        if key not in known:
            raise ValueError(f"data: there is no key {key!r}; the keys are {', '.join(known)}")
    compare({key: data[key] for key in ("game", "options") if key in data}, known)
    try:
        return json.dumps(dict(data), default=_plain, allow_nan=False).encode()
    except RecursionError:
        raise ValueError("data: it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"data: {error}") from None


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as Python's own."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no plain data")


def compare(given: Any, follows: Any, path: str = "") -> None:
    """Raise ValueError where what was given is not what a state exports.

    Keys may be left out at every level, and a list of texts may be in any order.
    """
    if isinstance(given, _PLAIN) and given == follows:
        return
    if isinstance(given, Mapping) and isinstance(follows, Mapping):
        for key, value in given.items():
            if key not in follows:
                raise ValueError(f"{path}: there is no key {key!r}; there are {', '.join(follows)}")
            compare(value, follows[key], f"{path}.{key}" if path else key)
    elif isinstance(follows, list) and _is_row(given) and len(given) == len(follows):
        if all(isinstance(item, str) for item in (*given, *follows)):
            given, follows = sorted(given), sorted(follows)
        for index, (one, other) in enumerate(zip(given, follows, strict=True)):
            compare(one, other, f"{path}[{index}]")
    elif _is_row(given) or bool(given != follows):
        raise ValueError(f"{path}: {given!r} was given, but {follows!r} follows from the rest")


def _is_row(value: Any) -> bool:
    return isinstance(value, _ROWS)
