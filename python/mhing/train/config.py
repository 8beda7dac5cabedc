"""Settings of runs as files in TOML, as ``mhing train --config`` takes them and runs write them.

The keys are the options of the command. They are declared by :class:`mhing.train.learner.Settings`
and the ``Tuning`` of each method, from which :func:`schema` makes a JSON Schema. Plain dataclasses
do that, because a check of twenty keys is no reason for a library that every installation brings.

Files are TOML alone. Python reads it without a library, and it says of which type a value is: in
YAML ``on`` is true, and ``1e-3`` is a text.

``python -m mhing.train.config`` prints the schema, which is published as ``config.schema.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any

from mhing._lib.arguments import INT
from mhing._support.extras import install
from mhing._support.ids import game_named
from mhing._support.spelling import did_you_mean
from mhing.game import Game
from mhing.train.learner import (
    METHODS,
    OBSERVATION,
    WANTED,
    Settings,
    method,
    usual_inputs,
    usual_teacher,
)
from mhing.train.schemas import check, schema_of

PACKAGED = Path(__file__).parent / "configs"
"""The folder of the package's own files."""

NONE = "none"
"""The text of settings that are turned off: no teacher, no cluster."""

_SHORT = {
    "players": ("num_players", "integer", "players at the table"),
    "rules": ("rules", "string", "rule preset, see mhing describe"),
    "reward": ("reward", "string", "what seats earn, see mhing describe"),
}
"""Options of games that the command has by a shorter way: the option, its type and meaning."""


# ---- The keys ----------------------------------------------------------------------------------


def key_of(one: Field[Any]) -> str:
    """The name of a field of the settings where others give it.

    >>> [key_of(one) for one in fields(Settings)][:3]
    ['game', 'option', 'method']
    """
    return str(one.metadata.get("key", one.name))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the files.

    Raises:
        ModuleNotFoundError: an extra is missing, which methods need.
    """
    properties = {key_of(one): schema_of(one) for one in fields(Settings)}
    for key, (_, kind, text) in _SHORT.items():
        properties[key] = {"description": text, "type": kind}
    del properties["game"]["default"]  # a file is about the game that it names
    properties["tune"] |= {"properties": _tunings(), "additionalProperties": False}
    properties["sweep"] = _sweep(properties)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of mhing train",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _tunings() -> dict[str, Any]:
    """The schema of each number that a method has."""
    found: dict[str, Any] = {}
    for name in METHODS:
        for one in fields(method(name).Tuning):
            is_whole = isinstance(one.default, int)
            row = (
                {"type": "integer", "minimum": 1} if is_whole else {"type": "number", "minimum": 0}
            )
            said = found.setdefault(one.name, row | {"maximum": INT, "description": ""})
            said["description"] += f"{', ' * bool(said['description'])}{name}: {one.default:g}"
    return found


def _sweep(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of what :mod:`mhing.train.sweep` tries: ranges of settings, by the same keys."""
    value = {"type": ["boolean", "number", "string"]}
    bounds = {"type": "object", "additionalProperties": False, "properties": {
        "low": {"type": "number"}, "high": {"type": "number"}, "log": {"type": "boolean"},
        "choices": {"type": "array", "items": value},
    }}  # fmt: skip
    rows: dict[str, Any] = {}
    for key, one in properties.items():
        if one["type"] == "object":
            rows[key] = {"type": "object", "additionalProperties": bounds}
        elif one["type"] != "array":
            rows[key] = bounds
    rows["tune"] = {
        "type": "object",
        "properties": dict.fromkeys(properties["tune"]["properties"], bounds),
        "additionalProperties": False,
    }
    about = "settings that mhing sweep tries: from low to high, or one of choices"
    closed = {"type": "object", "additionalProperties": False}
    return {"description": about, "properties": rows} | closed


# ---- From a file to settings -------------------------------------------------------------------


def load(name: str | Path) -> dict[str, Any]:
    """Read a file of settings.

    Args:
        name: its path, which ends in ``.toml``, or the name of one of the package's.

    Returns:
        The values by the keys of the schema.

    Raises:
        ValueError: there is no such file of the package, or it is not as the schema says.
        OSError: it cannot be read.
        ModuleNotFoundError: an extra is missing.
    """
    path = Path(name)
    if not path.suffix and path.name == str(name):
        path = (PACKAGED / name).with_suffix(".toml")
        if not path.exists():
            names = [one.name for one in packaged()]
            beside = f"; for the file write {name}.toml" if Path(f"{name}.toml").exists() else ""
            others = did_you_mean(str(name), names) or f"; it is none of {', '.join(names)}"
            raise ValueError(f"{name}: the package has no such settings{beside or others}")
    if path.suffix != ".toml":
        raise ValueError(f"{name}: settings are files in TOML; end its name in .toml")
    return read(path.read_bytes(), str(name))


def read(content: bytes, name: str) -> dict[str, Any]:
    """Return the settings in a file that has this content.

    Raises:
        ValueError: see :func:`load`; it begins with the name.
        ModuleNotFoundError: an extra is missing.
    """
    try:
        found: dict[str, Any] = _toml().loads(content.decode())
        check(found, schema())
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from error
    return found


def _toml() -> Any:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  Python 3.10 has none

        return tomllib
    try:
        import tomli  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"tomli is missing: {install('train')}") from error
    return tomli


def game_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the game by name, those with a shorter way included.

    Raises:
        ValueError: an option is given in two ways that differ.
    """
    options = dict(given.get("option", {}))
    for key, (name, *_) in _SHORT.items():
        if key in given and options.setdefault(name, given[key]) != given[key]:
            raise ValueError(f"{key}: {given[key]} here, but {options[name]} by option.{name}")
    return options


def over(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of which those of `given` come before those of `base`.

    Options and numbers of the method are replaced one by one, a list as a whole. The length is
    that of `given` if it has one; a rule preset replaces the options that presets set.

    Raises:
        ValueError: an option is given in two ways that differ.

    >>> over({"minutes": 5.0, "tune": {"rows": 8}}, {"steps": 9, "tune": {"epochs": 1}})
    {'tune': {'rows': 8, 'epochs': 1}, 'steps': 9, 'option': {}}
    """
    before, after = game_options(base), game_options(given)
    if "rules" in after:
        game = Game(_game_id(dict(base) | dict(given)))
        words = " ".join(one.settings for one in game.presets).split()
        before = {
            name: value
            for name, value in before.items()
            if name not in {word.partition("=")[0] for word in words}
        }
    lengths = {"minutes", "steps"} if {"minutes", "steps"} & given.keys() else set()
    kept = {key: value for key, value in base.items() if key not in {*lengths, *_SHORT}}
    made = kept | {key: value for key, value in given.items() if key not in _SHORT}
    if "tune" in given:
        made["tune"] = {**base.get("tune", {}), **given["tune"]}
    return made | {"option": before | after}


def _game_id(given: Mapping[str, Any]) -> str:
    if "game" not in given:
        raise ValueError('game: it is not said; name it, such as game = "mhing" in the file')
    return game_named(given["game"]) or str(given["game"])


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Return the settings of a run by values that have the keys of the schema.

    Nothing is left to what is usual: the game has all its options, with hints if observations are
    seen and nothing was said of them.

    Raises:
        ValueError: there is no such setting, game, option or method, no game is named, the length
            is given in minutes and steps, or the method needs a teacher.
        TypeError: a value has another type.
        ModuleNotFoundError: an extra is missing.
    """
    if "sweep" in given:
        raise ValueError("sweep: a run tries no ranges; leave the table out, or run mhing sweep")
    if {"minutes", "steps"} <= given.keys():
        raise ValueError("steps: the length is given in minutes as well; give one of them")
    # tuned() knows the names of a method's numbers, Settings the types of all.
    check({key: given[key] for key in given if key != "tune"}, schema())
    options, learns = game_options(given), given.get("method", Settings.method)
    game = Game(_game_id(given), **options)
    sees = given.get("sees") or usual_inputs(learns, game)
    if sees == OBSERVATION:
        wanted = {name: value for name, value in WANTED.items() if name in game.options}
        game = Game(game.id, **wanted | options)
    teacher = given.get("teacher") or usual_teacher(learns, game)
    nobody = teacher in (NONE, game.bots[0].name)  # from random there is nothing to be learned
    if nobody and method(learns).NEEDED:
        raise ValueError(f"teacher {teacher}: {learns} begins with what a bot plays; name one")
    made = {one.name: given[key_of(one)] for one in fields(Settings) if key_of(one) in given}
    made |= {"game": game.id, "options": game.options, "method": learns, "sees": sees}
    made["teacher"] = None if nobody else teacher
    ray, workers = made.pop("ray", NONE), made.pop("workers", None)
    return Settings(**made).moved(workers, "" if ray == NONE else ray)


# ---- From settings to a file -------------------------------------------------------------------


def plain(settings: Settings) -> dict[str, Any]:
    """Return settings by the keys of the schema, so that :func:`settings_of` makes them again."""
    found: dict[str, Any] = {}
    for one in fields(Settings):
        value = getattr(settings, one.name)
        if value is None or value == () or value == 0 != one.metadata.get("low"):
            continue  # as usual
        found[key_of(one)] = list(value) if isinstance(value, tuple) else value
    found["option"] = settings.make_game().options
    found["tune"] = {
        name: int(value) if value == int(value) else value
        for name, value in settings.tuning.items()
    }
    found["teacher"], found["ray"] = settings.teacher or NONE, settings.ray or NONE
    if settings.steps:
        del found["minutes"]
    return found


def to_toml(values: Mapping[str, Any]) -> str:
    r"""Return values as the text of a file; tables come last.

    >>> print(to_toml({"tune": {"rows": 8}, "game": "mhing", "opponents": ["a\"b"]}))
    game = "mhing"
    opponents = ["a\"b"]
    <BLANKLINE>
    [tune]
    rows = 8
    <BLANKLINE>
    """
    rows = [f"{k} = {_text(v)}" for k, v in values.items() if not isinstance(v, dict)]
    for name, table in values.items():
        if isinstance(table, dict):
            rows += ["", f"[{name}]", *(f"{key} = {_text(one)}" for key, one in table.items())]
    return "\n".join(rows) + "\n"


def _text(value: Any) -> str:
    """A value in TOML, whose texts and lists are those of JSON but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ---- The files of the package ------------------------------------------------------------------


@dataclass(frozen=True)
class Packaged:
    """A file of settings that comes with the package."""

    name: str
    about: str
    """The learner and its settings."""
    measured: str
    """The reward that it earned, and the file of ``benchmarks/results`` that says so."""


def packaged() -> list[Packaged]:
    """The files of the package, by name; their first two lines say what they are."""
    found = []
    for path in sorted(PACKAGED.glob("*.toml")):
        about, measured, *_ = path.read_text(encoding="utf-8").splitlines()
        found.append(Packaged(path.stem, about.lstrip("# "), measured.lstrip("# ")))
    return found


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
