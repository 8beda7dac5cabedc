"""Cards of models that users have made: of a run of ``mhing train``, or of a file.

They say what the files record, and nothing else.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mhing._lib.games import game_ids
from mhing._lib.nets import NetMemory
from mhing._support.files import digest
from mhing._support.ids import changed
from mhing.arena.result import Mean
from mhing.game import Game
from mhing.players.onnx import session
from mhing.train.folder import SETTINGS, RunFolder
from mhing.words import plural

KINDS = {".onnx": "onnx", ".net": "net"}
"""The kind of player of a file, by its ending."""


def card_of_run(run: RunFolder, files: Sequence[Path], licence: str = "") -> str:
    """Return the card of a run.

    Args:
        run: the run.
        files: those in its folder that play.
        licence: the licence of the files, as an SPDX identifier; empty: none is named.
    """
    settings, game = run.settings, run.settings.make_game()
    lines = run.lines()
    seats = "\n".join(f"    {_arena(one, game)}" for one in files)
    return f"""\
# {run.path.resolve().name}

A player of {game.title} with {game.num_seats} players, learned by `mhing train` with the method
{settings.method}.

## Use

{seats}

## Training

{_learned(lines)} Its settings are in `settings.toml`, from which
`mhing train --config settings.toml` trains another one:

```toml
{(run.path / SETTINGS).read_text(encoding="utf-8")}```

## Scores

{_scores(run.evaluation())}

{_facts(files, licence)}"""


def card_of_file(path: Path, licence: str = "") -> str:
    """Return the card of a file that plays.

    Raises:
        ValueError: it is no net, or no network in ONNX.
        ModuleNotFoundError: onnxruntime is missing (extra ``mhing[onnx]``).
    """
    about = _about_net(path) if KINDS[path.suffix] == "net" else _about_onnx(path)
    return f"""\
# {path.stem}

{about}

{_facts([path], licence)}"""


def _arena(path: Path, game: Game) -> str:
    """A command that seats a file."""
    options = [word for one in changed(game) for word in ("--option", one)]
    player = f"{KINDS[path.suffix]}:{path.name}"
    return shlex.join(["mhing", "arena", player, game.default_bot, "--game", game.id, *options])


def _learned(lines: Sequence[dict[str, Any]]) -> str:
    last = lines[-1] if lines else {"steps": 0, "rounds": 0, "seconds": 0.0}
    return (
        f"It learned from {last['steps']:,} decisions in {plural(last['rounds'], 'round')} and "
        f"{last['seconds'] / 60:.1f} minutes."
    )


def _scores(found: dict[str, Any] | None) -> str:
    """The evaluation at the end of a run, in words."""
    if found is None:
        return "The run was not evaluated at its end."
    width = found["more_interval"]
    more = Mean(found["more"], math.inf if width is None else width)
    return (
        f"On {found['deals']:,} held-out deals among {found['against']}: {more.signed} "
        f"{found['unit']} a game more than they earned in its place, with a 95 % interval. "
        "`evaluation.json` has all numbers, and `log.jsonl` those of evaluations before the end."
    )


def _about_net(path: Path) -> str:
    data, reason = path.read_bytes(), ""
    for game in filter(lambda game: game.features, map(Game, game_ids())):
        try:
            sizes = NetMemory(game._handle, data).sizes()
        except ValueError as error:
            reason = str(error).rpartition(": ")[2]
            continue
        return (
            f"A net for {game.title}, in layers of {', '.join(map(str, sizes))} numbers. It plays "
            f"as `net:{path.name}` in games with the options that it was trained for, and is "
            "refused in others."
        )
    raise ValueError(f"{path} is no net for a game of this package: {reason}")


def _about_onnx(path: Path) -> str:
    network = session(str(path))
    rows = [
        f"| {what} | `{one.name}` | {one.type} | {one.shape} |"
        for what, nodes in (("input", network.get_inputs()), ("output", network.get_outputs()))
        for one in nodes
    ]
    table = "\n".join(["| | name | type | shape |", "|---|---|---|---|", *rows])
    return f"""\
A network in ONNX. It plays as `onnx:{path.name}` in games whose observations have its size.

{table}"""


def _facts(files: Sequence[Path], licence: str) -> str:
    rows = [f"| `{one.name}` | {one.stat().st_size:,} | {digest(one)} |" for one in files]
    table = "\n".join(["| file | bytes | SHA-256 |", "|---|---:|---|", *rows])
    return f"""\
## Facts

Licence: {licence or "none is named"}

{table}

The publisher has added nothing to what the files record: what is not said here is not known.
"""
