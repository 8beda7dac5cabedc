"""The JSON Schemas of what commands print, and values that are not as they say."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.protocols import Validator

import mhing

RESULT, REPORT, RESPONSE = "arena/result", "arena/report", "train/response"
WORDS, CONFIG = "arena/words", "train/config"
"""Of `mhing arena`, `mhing benchmark` and `mhing exploit`, of `--view words`, and of files for
`mhing train`."""

_OPEN = {"options", "totals", "by_game", "by_task", "by_level", "tokens", "usage"}
"""Objects whose keys are not those of the schema."""


@cache
def validator(name: str = RESULT) -> Validator:
    """Checks what was read from JSON by a schema of the package."""
    path = Path(mhing.__file__).parent / f"{name}.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def spoilt(value: Any) -> Iterator[tuple[str, Any]]:
    """Copies of a result, each with one thing wrong, and what it is: a key too few or too many, and
    a value of another type, at every place."""
    for path in _paths(value):
        if path:
            found = _at(value, path)
            takes_texts = found is None or path[0] == "options"
            maps = [] if _OPEN & {*path[-1:]} else [{"wrong": 1}]
            for wrong in ([], *maps, *([] if takes_texts else ["wrong"])):
                if type(wrong) is not type(found):
                    yield f"{path} is {wrong!r}", _changed(value, path, wrong)
        if isinstance(_at(value, path), dict) and not _OPEN & {*path[-1:]}:
            yield f"{path} has more", _changed(value, [*path, "more"], 1)
            for key in _at(value, path):
                yield f"{path} has no {key}", _changed(value, [*path, key], None, delete=True)


def _paths(value: Any) -> Iterator[list[Any]]:
    yield []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, dict | list):
            yield from ([key, *path] for path in _paths(inner))
        else:
            yield [key]


def _at(value: Any, path: list[Any]) -> Any:
    for key in path:
        value = value[key]
    return value


def _changed(value: Any, path: list[Any], wrong: Any, *, delete: bool = False) -> Any:
    made = copy.deepcopy(value)
    if delete:
        del _at(made, path[:-1])[path[-1]]
    else:
        _at(made, path[:-1])[path[-1]] = wrong
    return made
