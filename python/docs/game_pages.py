"""The page of each game: what its core says about itself, and its rules in brief."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mhing

ROOT = Path(__file__).parents[2]


def games() -> list[str]:
    """The games with rules in this repository; a build may have others, from anywhere."""
    return [game for game in mhing.games() if (ROOT / "envs" / game / "RULES.md").is_file()]


def title(game_id: str) -> str:
    """The game's name."""
    name: str = mhing.Game(game_id).describe()["title"]
    return name


def overview() -> str:
    """The page that lists all games."""
    rows = []
    for game_id in games():
        d = mhing.Game(game_id).describe()
        seats = next((o for o in d["options"] if o["name"] == "num_players"), None)
        rows.append(
            (
                f"[{d['title']}]({game_id}.md)",
                f"`{game_id}`",
                f"`{mhing.environment_id(game_id)}`",
                f"`mhing.{mhing.pettingzoo_id(game_id)}`",
                f"{seats['low']} to {seats['high']}" if seats else d["sizes"]["seats"],
                d["sizes"]["actions"],
                d["sizes"]["observation"],
            )
        )
    header = ("game", "`mhing.Game`", "Gymnasium", "PettingZoo", "players", "actions", "bytes seen")
    return f"""# Games

All games have the same interfaces. Sizes are those of the default options: the number of actions,
and the bytes of an observation.

{_table(header, rows)}
[Add a game](../tutorials/add-a-game.md) of your own.
"""


def page(game_id: str) -> str:
    """The page of one game; all tables come from the core."""
    d = mhing.Game(game_id).describe()
    sections = (_options(d), _rewards(d), _actions(game_id, d), _seen(game_id, d), _results(d))
    return _top(game_id, d) + "".join(sections)


def guide(game_id: str) -> str:
    """A guide for players, with the default options."""
    return f"{mhing.Game(game_id).guide_text()}\n[All rules]({game_id}-rules.md)\n"


def brief(game_id: str) -> str:
    """The rules in one paragraph, from RULES.md."""
    rules = (ROOT / "envs" / game_id / "RULES.md").read_text(encoding="utf-8")
    found = re.search(r"^\*\*In one paragraph\.\*\* (.+?)\n\n", rules, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def _top(game_id: str, d: dict[str, Any]) -> str:
    env_id, module = mhing.environment_id(game_id), mhing.pettingzoo_id(game_id)
    sizes = d["sizes"]
    return f"""# {d["title"]}

![A table of {d["title"]}]({game_id}.svg){{ .table }}

{brief(game_id)}

[How to play]({game_id}-guide.md), and [all rules]({game_id}-rules.md), version
{d["rules_version"]}. By default {sizes["seats"]} players, {sizes["actions"]} actions, an
observation of {sizes["observation"]} bytes and a state of {sizes["state"]}.

```python
import gymnasium as gym
import mhing

env = gym.make("{env_id}")  # one seat against bots
envs = gym.make_vec("{env_id}", num_envs=64)  # many games at once
state = mhing.Game("{game_id}").new_state(seed=1)  # for search
env = mhing.{module}.env()  # every seat an agent of PettingZoo
```

How a round ended, as `mhing replay FILE --share end.svg` draws it:

![The end of a round of {d["title"]}]({game_id}-end.svg){{ .table }}

The tables below come from the game itself. `mhing describe {game_id}` prints the same.
"""


def _options(d: dict[str, Any]) -> str:
    options = [
        (f"`{o['name']}`", _values(o), _value(o["default"]), o["meaning"]) for o in d["options"]
    ]
    presets = [(f"`{p['name']}`", f"`{p['settings']}`", p["meaning"]) for p in d["presets"]]
    return _section(
        "Options",
        "Keyword arguments of `mhing.Game`, `gym.make` and `gym.make_vec`. On the command line: "
        "`--option NAME=VALUE`.",
        ("option", "values", "default", "meaning"),
        options,
    ) + _section(
        "Presets",
        'A preset sets several options at once: `rules="NAME"`, or `--rules NAME`.',
        ("preset", "settings", "meaning"),
        presets,
    )


def _rewards(d: dict[str, Any]) -> str:
    for option in d["options"]:
        if option["name"] == "reward":
            return _section(
                "Rewards",
                f"{option['meaning'].capitalize()}. Each reward comes once; over an episode they "
                "add up to `state.returns()`.",
                ("`reward`", ""),
                [(f"`{c}`", "default" * (c == option["default"])) for c in option["choices"]],
            )
    return ""


def _actions(game_id: str, d: dict[str, Any]) -> str:
    text = mhing.Game(game_id).action_text
    rows = [
        (
            _range(a["first"], a["count"]),
            f"`{a['name']}`",
            f"`{text(a['first'])}`",
            f"`{text(a['first'] + a['count'] - 1)}`" if a["count"] > 1 else "",
            a["meaning"],
        )
        for a in d["actions"]
    ]
    return _section(
        "Actions",
        "One flat set of ids. An id means the same for every seat and under all options.",
        ("ids", "action", "first", "last", "meaning"),
        rows,
    )


def _seen(game_id: str, d: dict[str, Any]) -> str:
    """The sections about what seats observe, and what is hidden from them."""
    header = ("field", "shape", "highest", "meaning")
    plain = {field["name"] for field in d["observation"]}
    hints = []
    if any(option["name"] == "hints" for option in d["options"]):
        with_hints = mhing.Game(game_id, hints=True).describe()["observation"]
        hints = [field for field in with_hints if field["name"] not in plain]
    return (
        _section(
            "Observation",
            "uint8, all that a seat may know. `unpack` gives the fields by name. Seats are "
            "relative: 0 is the observer, 1 the next clockwise. Fields marked *own* are the "
            "observer's alone; everybody knows the others.",
            header,
            _fields(d["observation"], "own"),
        )
        + _section(
            "Hints",
            "The option `hints` adds these fields, computed from what the seat knows.",
            header,
            _fields(hints),
        )
        + _section(
            "Hidden information",
            "uint8, what the omniscient observation shows to a centralised critic. Seats are "
            "absolute.",
            header,
            _fields(d["omniscient"]),
        )
    )


def _results(d: dict[str, Any]) -> str:
    """The sections about what happened, and the bots that made it happen."""
    return (
        _section(
            "Events",
            "What everybody sees happen. The last ones are part of the observation.",
            ("id", "event", "meaning"),
            [(e["id"], f"`{e['name']}`", e["meaning"]) for e in d["events"]],
        )
        + _section(
            "Numbers",
            "Public whole numbers, in `state.info()` and in the `info` of a step that ends a "
            "round.",
            ("number", "values", "meaning"),
            [(f"`{i['name']}`", i["count"], i["meaning"]) for i in d["info"]],
        )
        + _section(
            "Labels",
            "Names for numbers: `game.labels`.",
            ("label", "names, from 0 on"),
            [(f"`{name}`", ", ".join(names)) for name, names in d["labels"].items()],
        )
        + _section(
            "Bots",
            'Names for `opponents="NAME"` and `state.play_out("NAME")`.',
            ("bot", "how it plays"),
            [(f"`{b['name']}`", b["meaning"]) for b in d["bots"]],
        )
    )


def _fields(fields: Iterable[dict[str, Any]], own: str = "") -> list[tuple[object, ...]]:
    """Rows of a table of fields; `own` marks those that are not public."""
    return [
        (
            f"`{f['name']}`" + f" *{own}*" * bool(own and not f["public"]),
            " x ".join(map(str, f["shape"])) or "1",
            f["high"],
            f["meaning"],
        )
        for f in fields
    ]


def _section(name: str, text: str, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    """A section with a table, or nothing where the game has no such thing."""
    return f"\n## {name}\n\n{text}\n\n{_table(header, rows)}" if rows else ""


def _values(option: dict[str, Any]) -> str:
    if option["kind"] == "choice":
        return ", ".join(option["choices"])
    return "off, on" if option["kind"] == "bool" else f"{option['low']} to {option['high']}"


def _value(value: object) -> object:
    return ("off", "on")[value] if isinstance(value, bool) else value


def _range(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _table(header: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("<", "&lt;").replace("...", "…")
