"""Golden files: what a game shows and how it plays, written down so that no change goes unseen.

    python tests/python/golden.py              writes those of all games of envs/games.def anew
    python tests/python/golden.py GAME ...     those of these games, of any folder of envs/
    python tests/python/golden.py --add GAME/NAME [--seed N] [--bot BOT] [--odd N] [--option A=B]
                                               another playthrough of a game

Under tests/golden a game has

    playthroughs/GAME/*.txt    every observable of every decision, compared line by line; the first
                               line is its plan, `default.txt` comes by itself where there is none
    spec/GAME.json             the default game as it describes itself
    signature.txt              one line: the hash of a fixed run, compared by ctest
    bytes.txt                  hashes of what every machine must compute alike: see
                               tests/platforms/probe.c; compared by ctest
    pictures/*.webp            tables as a browser paints them: see golden_pictures.py

A line that changes is a change of the game: if it is meant, write the files anew and raise the
game's rules version. In CI every game of envs/games.def must have them all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import mhing

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
SIGNATURES = GOLDEN / "signature.txt"
BYTES = GOLDEN / "bytes.txt"
SHORT = 60
"""A default playthrough has at least so many decisions, of several episodes if it must."""


class BadInput(Exception):
    """Something on the command line is wrong; the text is the one line to show."""


# ---- Which files there are ----------------------------------------------------------------------


def registered() -> list[str]:
    """The games of envs/games.def, whatever was built."""
    rows = (ROOT / "envs" / "games.def").read_text(encoding="utf-8")
    return re.findall(r"^MH_GAME\( *(\w+)", rows, re.MULTILINE)


def has_folder(game_id: str) -> bool:
    """Return whether the game is one of this repository."""
    return (ROOT / "envs" / game_id).is_dir()


def command(game_id: str) -> str:
    """The commands for the golden files of a game."""
    return f"python tests/python/golden.py {game_id}"


def playthroughs(game_id: str | None = None) -> list[Path]:
    """The playthroughs of a game, or of all games."""
    return sorted((GOLDEN / "playthroughs").glob(f"{game_id or '*'}/*.txt"))


def spec_path(game_id: str) -> Path:
    return GOLDEN / "spec" / f"{game_id}.json"


def signatures() -> dict[str, str]:
    """The line of each game in signature.txt, without its name."""
    rows = SIGNATURES.read_text(encoding="utf-8").splitlines()
    return {game: signature for signature, game in (row.split() for row in rows)}


# ---- Playthroughs -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Episodes in which every seat is played by a bot that chooses at random every `odd`-th time.

    The first episode has the seed `seed`, the next one the seed after it, until at least so many
    `decisions` have been made.
    """

    game: str
    seed: int = 1
    bot: str = "random"
    odd: int = 3
    decisions: int = 1
    options: dict[str, Any] = field(default_factory=dict)


def default_plan(game_id: str) -> Plan:
    """The plan of a game that nobody has made one for: its default bot."""
    return Plan(game_id, bot=mhing.Game(game_id).default_bot, decisions=SHORT)


def plan_of(path: Path) -> Plan:
    """The plan in the first line of a playthrough."""
    with path.open(encoding="utf-8") as file:
        return Plan(**json.loads(file.readline().removeprefix("plan ")))


def lines(plan: Plan) -> Iterator[str]:
    """The lines of a playthrough."""
    yield f"plan {json.dumps(asdict(plan))}"
    game = mhing.Game(plan.game, **plan.options)
    rng = Random(plan.seed)
    decisions, seed = 0, plan.seed
    while decisions < plan.decisions:
        decisions += yield from _episode(game, plan, seed, rng)
        seed += 1


def _episode(game: mhing.Game, plan: Plan, seed: int, rng: Random) -> Generator[str, None, int]:
    """One episode; returns its decisions. A field is shown where it differs from the one before."""
    state = game.new_state(seed)
    last: dict[str, str] = {}
    yield f"game {game.id}, seed {seed}, options {json.dumps(game.options)}"
    for decision in range(1_000_000):
        yield f"-- decision {decision}, seat {state.seat}"
        yield from _changes(last, _seen(game, state))
        yield f"state {_digest(state)}"
        if state.is_terminal:
            break
        legal = state.legal_actions().tolist()
        yield "legal " + ", ".join(game.action_text(action) for action in legal)
        action = choose(plan, state, rng, decision)
        yield f"action {action} {game.action_text(action)}"
        state.apply(action)
    yield f"returns {_short(state.returns())}"
    yield from str(state).splitlines()
    return decision


def choose(plan: Plan, state: mhing.State, rng: Random, decision: int) -> int:
    """The action of a plan's decision of this number in its episode."""
    if decision % plan.odd == plan.odd - 1:
        return int(rng.choice(state.legal_actions()))
    action, _ = state.bot_action(plan.bot, rng.getrandbits(64))
    return action


def _seen(game: mhing.Game, state: mhing.State) -> Iterator[tuple[str, Any]]:
    """All that can be seen of a state, by name."""
    yield "rewards", state.rewards()
    for name, value in state.info().items():
        yield f"info {name}", value
    for seat in range(game.num_seats):
        for name, shown in game.unpack(state.observation(seat)).items():
            yield f"seat {seat} {name}", shown
    for name, shown in game.unpack_omniscient(state.omniscient()).items():
        yield f"hidden {name}", shown


def _changes(last: dict[str, str], seen: Iterator[tuple[str, Any]]) -> Iterator[str]:
    for name, value in seen:
        text = _short(value)
        if last.get(name) != text:
            last[name] = text
            yield f"{name}: {text}"


def _short(value: Any) -> str:
    """Numbers in a row, equal neighbours as number*times."""
    runs = [(number, len(list(run))) for number, run in groupby(np.ravel(value).tolist())]
    return " ".join(
        f"{number:g}" if times == 1 else f"{number:g}*{times}" for number, times in runs
    )


def _digest(state: mhing.State) -> str:
    table = json.dumps(state.to_dict(), sort_keys=True)
    return hashlib.sha256(table.encode()).hexdigest()[:16]


# ---- Specs and signatures ------------------------------------------------------------------------


def spec_text(game_id: str) -> str:
    """The default game as it describes itself."""
    return json.dumps(mhing.Game(game_id).describe(), indent=1, ensure_ascii=False) + "\n"


def measure_signatures(game_ids: Iterable[str]) -> dict[str, str]:
    """The output of `bench --signature` for each game, built from the sources as they are now."""
    build = ROOT / "build" / "golden"
    extra = ";".join(game for game in game_ids if game not in registered())
    settings = ["-DCMAKE_BUILD_TYPE=Release", "-DMHING_SERVER=OFF", f"-DMHING_EXTRA_GAMES={extra}"]
    _run("cmake", "-S", ROOT, "-B", build, *settings)
    _run("cmake", "--build", build, "--config", "Release", "--target", "mhing_bench")
    bench = next((build / "benchmarks").rglob("bench*"))
    return {game: _run(bench, "--signature", game).strip() for game in game_ids}


def measure_bytes(game_ids: Iterable[str]) -> list[str]:
    """The output of the probe for each game, from the build of :func:`measure_signatures`."""
    build = ROOT / "build" / "golden"
    _run("cmake", "--build", build, "--config", "Release", "--target", "probe")
    probe = next(path for path in build.rglob("probe*") if path.suffix in ("", ".exe"))
    lines = _run(probe).splitlines(keepends=True)
    return [line for line in lines if line.split()[1] in game_ids]


def _run(*words: object) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"{' '.join(map(str, words))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


# ---- The command ---------------------------------------------------------------------------------


def write(game_ids: list[str]) -> None:
    """Writes the golden files of these games anew; a game without a playthrough gets one."""
    for game_id in game_ids:
        for path in playthroughs(game_id) or [_path(game_id, "default")]:
            plan = plan_of(path) if path.exists() else default_plan(game_id)
            _write(path, "\n".join(lines(plan)) + "\n")
        _write(spec_path(game_id), spec_text(game_id))
    measured = signatures() | measure_signatures(game_ids)
    order = [*registered(), *sorted(set(measured) - set(registered()))]
    rows = [f"{measured[game]} {game}\n" for game in order if game in measured]
    _write(SIGNATURES, "".join(row for row in rows if has_folder(row.split()[1])))
    kept = BYTES.read_text(encoding="utf-8").splitlines(keepends=True) if BYTES.exists() else []
    hashes = [line for line in kept if line.split()[1] not in game_ids] + measure_bytes(game_ids)
    hashes.sort(key=lambda line: order.index(line.split()[1]))
    _write(BYTES, "".join(line for line in hashes if has_folder(line.split()[1])))


def add(name: str, settings: dict[str, Any], options: list[str]) -> None:
    """Writes another playthrough; settings that are None keep their default."""
    game_id, slash, file = name.partition("/")
    if not slash or not re.fullmatch(r"\w+", file):
        raise BadInput(f"--add {name}: write GAME/NAME, for example mhing/chips")
    given = {key: value for key, value in settings.items() if value is not None}
    if given.get("odd", 1) < 1:
        raise BadInput(f"--odd {given['odd']}: give 1 or more")
    words = dict(option.partition("=")[::2] for option in options)
    plan = replace(default_plan(_known(game_id)), decisions=1, options=words, **given)
    try:
        text = "\n".join(lines(plan)) + "\n"
    except ValueError as error:
        raise BadInput(str(error)) from error
    _write(_path(game_id, file), text)


def _path(game_id: str, name: str) -> Path:
    return GOLDEN / "playthroughs" / game_id / f"{name}.txt"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"{path.relative_to(GOLDEN)}: {len(text):,} characters")


def _known(game_id: str) -> str:
    if not has_folder(game_id):
        raise BadInput(f"{game_id}: there is no folder envs/{game_id}")
    if game_id not in mhing.games():
        raise BadInput(
            f"{game_id}: the installed mhing has no such game; install it from this folder again, "
            f"with --config-settings cmake.define.MHING_EXTRA_GAMES={game_id} "
            "if envs/games.def does not list it"
        )
    return game_id


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", metavar="GAME", nargs="*", help="all of envs/games.def")
    parser.add_argument("--add", metavar="GAME/NAME", help="another playthrough")
    parser.add_argument("--seed", metavar="N", type=int, help="of its first episode (1)")
    parser.add_argument("--bot", help="which plays all seats (the default one)")
    parser.add_argument("--odd", metavar="N", type=int, help="every N-th choice is random (3)")
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[])
    given = parser.parse_args()
    try:
        if given.add:
            add(given.add, {"seed": given.seed, "bot": given.bot, "odd": given.odd}, given.option)
        else:
            write([_known(game_id) for game_id in given.games or registered()])
    except BadInput as error:
        parser.exit(2, f"golden.py: {error}\n")


if __name__ == "__main__":
    main()
