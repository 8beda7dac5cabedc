"""``mhing describe``: everything about a game, from the engine's own table."""

from __future__ import annotations

import argparse
from typing import Any

import mhing
from mhing.cli.common import add_game_arguments, add_parser, make_game, print_json, table

EXAMPLES = """\
examples:
  mhing describe
  mhing describe mhing --players 6 --option hints=on
  mhing describe --json
"""


BOUNDS = (
    ("lowest", "what a seat earns at least, in the unit of the reward"),
    ("highest", "what a seat earns at most"),
    ("sum", "what all seats earn together, where that is always the same"),
    ("decisions", "actions that are played at most"),
)


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands,
        "describe",
        run,
        "list a game's options, actions, observation fields, features and bots",
        EXAMPLES,
    )
    add_game_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    description = make_game(args).describe()
    if args.json:
        print_json(description)
    else:
        print("\n".join(_lines(description)))


def _lines(d: dict[str, Any]) -> list[str]:
    lines = [
        f"{d['title']} ({d['id']}), rules version {d['rules_version']}, layout {d['layout']}",
        f"games: {', '.join(mhing.games())}",
    ]

    def section(title: str, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
        if rows:  # a game without presets, for example, has no such section
            lines.extend(["", title, "", table(header, rows)])

    section("SIZES", ("size", "bytes or count"), list(d["sizes"].items()))
    section(
        "BOUNDS of an episode",
        ("what", "bound", "meaning"),
        [(name, _bound(d["bounds"][name]), meaning) for name, meaning in BOUNDS],
    )
    section(
        "OPTIONS",
        ("name", "value", "default", "values", "meaning"),
        [
            (o["name"], _setting(o["value"]), _setting(o["default"]), _values(o), o["meaning"])
            for o in d["options"]
        ],
    )
    section(
        "PRESETS",
        ("name", "settings", "meaning"),
        [(p["name"], p["settings"], p["meaning"]) for p in d["presets"]],
    )
    section(
        "ACTIONS",
        ("name", "ids", "meaning"),
        [(a["name"], _range(a["first"], a["count"]), a["meaning"]) for a in d["actions"]],
    )
    section(
        "EVENTS",
        ("id", "name", "meaning"),
        [(e["id"], e["name"], e["meaning"]) for e in d["events"]],
    )
    for group in ("observation", "omniscient"):
        section(
            f"{group.upper()}, uint8",
            ("name", "offset", "shape", "highest", "meaning"),
            [
                (f["name"], f["offset"], _shape(f["shape"]), f["high"], f["meaning"])
                for f in d[group]
            ],
        )
    section(
        "FEATURES of what moves leave, float32",
        ("name", "index", "meaning"),
        [(f["name"], _range(f["offset"], f["count"]), f["meaning"]) for f in d.get("features", [])],
    )
    section(
        "INFO, int64",
        ("name", "index", "meaning"),
        [(i["name"], _range(i["offset"], i["count"]), i["meaning"]) for i in d["info"]],
    )
    section(
        "LABELS",
        ("name", "numbers and labels"),
        [
            (name, "; ".join(f"{number} {label}" for number, label in enumerate(labels)))
            for name, labels in d["labels"].items()
        ],
    )
    section(
        "BOTS",
        ("name", "default", "meaning"),
        [(b["name"], "*" * (b["name"] == d["default_bot"]), b["meaning"]) for b in d["bots"]],
    )
    return lines


def _bound(value: float | None) -> str:
    return "none" if value is None else f"{value:,}"


def _setting(value: object) -> object:
    return ("off", "on")[value] if isinstance(value, bool) else value


def _values(option: dict[str, Any]) -> str:
    if option["kind"] == "choice":
        return ", ".join(option["choices"])
    return "off, on" if option["kind"] == "bool" else f"{option['low']} to {option['high']}"


def _range(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _shape(shape: list[int]) -> str:
    return " x ".join(str(length) for length in shape) or "scalar"
