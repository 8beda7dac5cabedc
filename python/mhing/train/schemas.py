"""JSON Schemas of settings by their declaration, and the check of values by a schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field
from numbers import Integral, Real
from typing import Any

from mhing._support.spelling import did_you_mean

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (Integral,),
    "number": (Real,),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}
"""The types of Python that a type of the schema stands for."""

_VALUES = {"type": ["boolean", "integer", "string"]}


def schema_of(one: Field[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a field of the settings, by the words of its annotation."""
    words = re.findall(r"\w+", str(one.type))
    kinds: dict[str, dict[str, Any]] = {
        "str": {"type": "string"},
        "int": {"type": "integer"},
        "float": {"type": "number"},
        "tuple": {"type": "array", "items": {"type": "string"}},
        "dict": {
            "type": "object",
            "additionalProperties": {"type": "number"} if words[-1] == "float" else _VALUES,
        },
    }
    found = {"description": one.metadata["help"]} | kinds[words[0]]
    if found["type"] in ("integer", "number"):
        found |= {"minimum": one.metadata["low"], "maximum": one.metadata["high"]}
    if one.default is not MISSING and one.default:
        found["default"] = one.default
    return found


def check(value: Any, wanted: Mapping[str, Any], key: str = "") -> None:
    """Check a value by a schema; `key` is its name, with dots.

    Raises:
        TypeError: a value has another type.
        ValueError: a number is out of range, or a name is unknown.
    """
    types = wanted["type"] if isinstance(wanted["type"], list) else [wanted["type"]]
    if not any(_is(value, one) for one in types):
        raise TypeError(f"{key}: {value!r} is not {_said(wanted, types)}")
    if "minimum" in wanted and not wanted["minimum"] <= value <= wanted["maximum"]:
        raise ValueError(f"{key}: {value!r} is not {_said(wanted, types)}")
    for inner in value if isinstance(value, list | tuple) else []:
        check(inner, wanted["items"], key)
    for inner in value if isinstance(value, dict) else []:
        more, known = wanted["additionalProperties"], wanted.get("properties", {})
        path = f"{key}.{inner}" if key else inner
        if inner not in known and not more:
            advice = did_you_mean(inner, known) or f"; it is none of {', '.join(known)}"
            raise ValueError(f"{path}: there is no such setting{advice}")
        check(value[inner], known.get(inner, more), path)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float) and kind == "integer":
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _said(wanted: Mapping[str, Any], types: list[str]) -> str:
    """The values of a schema in words."""
    names = {
        "string": 'a text, such as "expert"',
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true, false",
        "array": 'a list, such as ["greedy"]',
        "object": "a table of names and values",
    }
    bounds = f" from {wanted['minimum']} to {wanted['maximum']}" if "minimum" in wanted else ""
    return " or ".join(names[one] for one in types) + bounds
