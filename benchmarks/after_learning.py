"""Remakes the table of what follows learning, on the page python/docs/pages/libraries/index.md.

    .venv/bin/python benchmarks/after_learning.py             all rows, some minutes
    .venv/bin/python benchmarks/after_learning.py sb3 jax     these rows; the others stay
    build/rllib/bin/python benchmarks/after_learning.py rllib     the one of .ci/rllib

A row says yes where the code of the library's page was run, in its small form, and where `Tried`
saw its effect, and no with the reason in `Row.without`; a row in which one of these checks fails is
not written. The tests make every row again and compare. To add a library:

1. Mark the blocks of its page that follow learning by ``<!-- test: after learning -->``. They are
   run after the block that learns, in one process. At their end ``loaded`` is what was read from
   the file, ``pool`` has the members ``past:1``, the agent as it was saved, and ``past:2``, and
   ``result`` is one of the arena, for the players ``now``, ``saved`` and a bot.
2. Add a row to `ROWS`, and run this command with its name.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import bench_libraries
import pages  # the reader of pages that the tests have, which bench_libraries has found
from bench_libraries import OVERVIEW
from PIL import Image
from web_process import WebProcess

import mhing
from mhing.records import Record

HERE = Path(__file__).parent
BEGIN, END = "<!-- after learning -->\n", "<!-- end of after learning -->"
EPISODES = 5
"""The number of episodes in whose positions players are asked."""


class Row(NamedTuple):
    """A library: what its page calls the agent, its game, and its name in commands.

    Names of variables are those of the page; `agent` and `loaded` are players. `without` has the
    tasks that do not apply to the library, each with the reason.
    """

    game: str
    agent: str
    player: str
    loaded: str = "loaded"
    without: Mapping[str, str] = MappingProxyType({})


ROWS = {
    "pettingzoo": Row("general_mhing", "learner", "agent:player"),
    "sb3": Row("mhing", "model", "sb3:agent.zip"),
    "cleanrl": Row("general_mhing", "agent", "onnx:agent.onnx"),
    "torchrl": Row("general_mhing", "actor", "onnx:agent.onnx"),
    "jax": Row("mhing", "net", "jax:agent.jax"),
    "rllib": Row("mhing", "algorithm", "rllib:agent"),
    "tianshou": Row("general_mhing", "ppo", "onnx:agent.onnx"),
    "openspiel": Row(
        "general_mhing", "_after.of_openspiel(agent, game)", "agent:player", "frozen('agent.pt')"
    ),
    "data": Row(
        "general_mhing",
        "clone",
        "onnx:clone.onnx",
        without={"pool": "records have no opponents"},
    ),
}


# ---- What an agent does ----------------------------------------------------------------------


def questions(game: mhing.Game) -> Iterator[mhing.State]:
    """Positions of random play in which there is a choice."""
    for seed in range(EPISODES):
        state, random = game.new_state(seed=seed), seed
        while not state.is_terminal:
            action, random = state.bot_action("random", random)
            if len(state.legal_actions()) > 1:
                yield state
            state.apply(action)


def answers(player: Any, game: str) -> list[int]:
    """The actions of a player there."""
    seated = mhing.players.load(player, game)
    return [seated.choose(state) for state in questions(seated.game)]


def played(path: Path, seats: Sequence[int]) -> Iterator[tuple[mhing.State, int]]:
    """The positions of a record in which one of these seats has a choice, each with its action."""
    record = Record(path)
    moves = iter(record.moves)
    for _, state in record.positions():
        choices = 0 if state.is_terminal else len(state.legal_actions())
        if choices and (move := next(moves, None)) and move.seat in seats and choices > 1:
            yield state, move.action


class Tried:
    """The tasks, each of which raises an error where it does not work for a library.

    Args:
        row: the library.
        variables: those of the page at the end of its code.
        learnt: the `answers` of the agent when it had learned, before it learned on.
    """

    def __init__(self, row: Row, variables: Mapping[str, Any], learnt: list[int]) -> None:
        self.row, self.variables, self.learnt = row, variables, learnt
        self.loaded = mhing.players.load(eval(row.loaded, {**variables}), row.game)

    def loads(self) -> None:
        """The loaded agent plays as the saved one did; the learner has changed since."""
        expect(answers(self.loaded, self.row.game) == self.learnt, "the loaded agent plays others")
        now = answers(eval(self.row.agent, {**self.variables}), self.row.game)
        expect(now != self.learnt, "the agent has learned nothing since")

    def plays(self) -> None:
        """A result of the arena in which nobody forfeits."""
        result = self.variables["result"]
        check_result(result.to_dict(), ["now", "saved", "greedy"])

    def pools(self) -> None:
        """Every member was met; the first copy plays as the agent did, the second otherwise."""
        pool = self.variables["pool"]
        for name, met in pool.report().items():
            expect(met.episodes > 0, f"the pool's {name} was never met")
        first, second = (answers(pool.members[f"past:{k}"], self.row.game) for k in (1, 2))
        expect(first == self.learnt, "the pool's past:1 is no frozen copy")
        expect(second != self.learnt, "the pool's past:2 is no newer copy")

    def sits_in_the_arena(self) -> None:
        """The command's result has it, by its name."""
        found = run(self.command("mhing arena ") + " --json")
        check_result(json.loads(found), [self.row.player, "greedy"])

    def sits_in_the_browser(self) -> None:
        """Somebody plays a round against it in the application."""
        with WebProcess(Path("saves")) as web:
            id = web.begin(game=self.row.game, seat=0, players=[self.row.player], delay=0)
            with web.line(id) as line:
                view: dict[str, Any] = {"over": False}
                while not view["over"]:
                    view = json.loads(line.recv(timeout=120))
                    if view["kind"] != "view":
                        view = {"over": False}
                    elif view["asked"]:
                        action = view["moves"][-1]["action"]
                        line.send(
                            json.dumps({"do": "play", "number": view["number"], "action": action})
                        )
            web.kill()  # every move was written before it was shown
        (kept,) = Path("saves").rglob("*.jsonl")
        self.expect_its_moves(kept, range(1, self.loaded.game.num_seats))

    def is_filmed(self) -> None:
        """A game is recorded, in which it plays as the loaded one, and becomes a moving picture."""
        run(self.command("mhing record "))
        self.expect_its_moves(Path("game.jsonl"), range(0, self.loaded.game.num_seats, 2))
        run(self.command("mhing replay "))
        with Image.open("game.gif") as film:
            expect(film.n_frames > 2, "the moving picture has no frames")

    def command(self, start: str) -> str:
        """The command of the overview that starts so, for this agent, by this Python."""
        (found,) = (line for line in commands() if line.startswith(start))
        small = {"NAME": self.row.player, "GAME": self.row.game, "--deals 200": "--deals 4"}
        for words, others in small.items():
            found = found.replace(words, others)
        return found.replace("mhing", f"{shlex.quote(sys.executable)} -m mhing", 1)

    def expect_its_moves(self, path: Path, seats: Sequence[int]) -> None:
        """The seats played as the loaded agent would have."""
        moves = [(self.loaded.choose(state), action) for state, action in played(path, seats)]
        expect(len(moves) > 2, f"{path}: {len(moves)} choices of {self.row.player}")
        expect(all(one == other for one, other in moves), f"{path}: it plays otherwise")


TASKS: dict[str, Callable[[Tried], None]] = {
    "save, load": Tried.loads,
    "`arena.play`": Tried.plays,
    "pool": Tried.pools,
    "`mhing arena`": Tried.sits_in_the_arena,
    "`mhing web`": Tried.sits_in_the_browser,
    "moving picture": Tried.is_filmed,
}
"""The columns of the table."""


def expect(holds: bool, otherwise: str) -> None:
    """Raise AssertionError unless it holds, under ``python -O`` as well."""
    if not holds:
        raise AssertionError(otherwise)


def check_result(result: Mapping[str, Any], names: list[str]) -> None:
    """The players of an arena's result have these names, and all games were played to the end."""
    players = {one["name"]: one for one in result["players"]}
    expect(sorted(players) == sorted(names), f"{[*players]} played; expected {names}")
    for name, one in players.items():
        expect(one["games"] > 0 and not one["forfeits"], f"{name}: {one}")


def run(command: str, folder: str = ".") -> str:
    """The output of a command."""
    done = subprocess.run(
        shlex.split(command),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    expect(done.returncode == 0, f"{command}: {done.stderr}")
    return done.stdout


def commands() -> list[str]:
    """The commands of the overview."""
    page = str(OVERVIEW.relative_to(pages.ROOT))
    return "".join(block.code for block in pages.blocks_of(page, pages.texts()[page])).splitlines()


# ---- The rows --------------------------------------------------------------------------------


def blocks(name: str) -> list[pages.Block]:
    """The code of a library's page: what learns, and what follows."""
    page = bench_libraries.page_of(bench_libraries.ROWS[name])
    found: list[pages.Block] = pages.after_learning(page)
    return found


def environment(name: str) -> str | None:
    """The separate environment that the library has, see `pages.Block`."""
    found: str | None = blocks(name)[0].environment
    return found


def line(name: str) -> str:
    """Run the code of a library's page, try every task, and return the library's line.

    Raises:
        AssertionError: something does not work; the message says what.
    """
    row, library = ROWS[name], bench_libraries.ROWS[name]
    files = [block.code_to_run() for block in blocks(name) if block.language == "sh"]
    first, *others = [block for block in blocks(name) if block.language == "python"]
    script = [
        f"import sys; sys.path[:0] = {[str(HERE), '.']}; import after_learning as _after",
        first.code_to_run(),
        f"_learnt = _after.answers({row.agent}, {row.game!r})",
        *(block.code_to_run() for block in others),
        f"_after.try_all({name!r}, globals(), _learnt)",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            run(f"bash -euo pipefail -c {shlex.quote(file)}", folder)
        Path(folder, "example.py").write_text("\n".join(script), encoding="utf-8")
        words = [sys.executable, *first.warnings, "example.py"]
        *_, tried = run(shlex.join(words), folder).splitlines()
    cells = ["yes" if task in json.loads(tried) else f"no: {row.without[task]}" for task in TASKS]
    return f"| [{library.title}]({library.page}#after-learning) | {' | '.join(cells)} |"


def try_all(name: str, variables: Mapping[str, Any], learnt: list[int]) -> None:
    """Try every task after a page's code, and print which were tried as the last line."""
    row = ROWS[name]
    tried = Tried(row, variables, learnt)
    tasks = [task for task in TASKS if task not in row.without]
    for task in tasks:
        TASKS[task](tried)
    print(json.dumps(tasks))


def of_openspiel(agent: Any, game: Any) -> Any:
    """An agent of OpenSpiel as a player."""
    import mhing.openspiel  # noqa: PLC0415  # for its row alone

    return mhing.openspiel.AgentPolicy(agent, game.table_game)


# ---- The page --------------------------------------------------------------------------------


def written(page: str, lines: Mapping[str, str]) -> str:
    """The page with these lines, by the names of their rows, and the others as they are."""
    before, begin, rest = page.partition(BEGIN)
    table, end, after = rest.partition(END)
    starts = {name: f"| [{bench_libraries.ROWS[name].title}](" for name in ROWS}
    old = {
        name: kept
        for name, start in starts.items()
        for kept in table.splitlines()
        if kept.startswith(start)
    }
    rows = [found[name] for found in [{**old, **lines}] for name in ROWS if name in found]
    heads = [f"| library | {' | '.join(TASKS)} |", "|---" * (len(TASKS) + 1) + "|"]
    return f"{before}{begin}\n{chr(10).join([*heads, *rows])}\n\n{end}{after}"


def main(arguments: list[str] | None = None) -> int:
    """Tries, prints and writes."""
    parser = argparse.ArgumentParser(description="Remakes the table of what follows learning.")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"rows: {', '.join(ROWS)}")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.names if name not in ROWS]:
        parser.error(f"no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    failed = 0
    for name in given.names or ROWS:
        try:
            made = line(name)
        except AssertionError as error:
            print(f"{name}: its row stays as it is: {error}", file=sys.stderr)
            failed = 1
            continue
        print(made, flush=True)
        page = OVERVIEW.read_text(encoding="utf-8")
        OVERVIEW.write_text(written(page, {name: made}), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
