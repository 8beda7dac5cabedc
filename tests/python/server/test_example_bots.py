"""The bots of csrc/server/bots, compiled and run by the commands of their page, at every game.

Each must play, byte for byte, what its rule plays in process. A bot whose language this machine
lacks is skipped; conftest.py makes that a failure in CI.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from bad_line import BadLine
from every_game import GAMES_OF_TWO
from server_process import Server, lasting_endpoint

from mhing.env import CardGameEnv
from mhing.records import Record

pytestmark = pytest.mark.once
BOTS = Path(__file__).parents[3] / "csrc/server/bots"
GAMES = 3
SEED = 2**40 + 7
BRIDGE = "mhing connect "


class Example(NamedTuple):
    """A row of one of the page's tables."""

    language: str
    packages: str
    compile: str
    run: str

    @property
    def player(self) -> str:
        """The name under which it plays."""
        bridged = re.match(BRIDGE + r'ENDPOINT "exec:(\S+)', self.run)
        return bridged[1] if bridged else self.language

    def command(self, endpoint: str, table: str, game: str) -> str:
        """The shell command that runs it."""
        if not self.run.startswith(BRIDGE):
            return f"{self.run} {endpoint} {table} {game} {SEED}"
        return (
            f"{sys.executable} -m {self.run.replace('ENDPOINT', endpoint)} "
            f"--table {table} --game {game} --players 2 --bots greedy --games {GAMES} --seed {SEED}"
        )


def examples() -> Iterator[Example]:
    """All rows of both tables."""
    for line in (BOTS / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) in (4, 5) and "](" in cells[1]:
            language, _, packages, *compiled, run = cells
            yield Example(language, packages, "".join(compiled), run)


EXAMPLES = list(examples())


def test_examples_are_all_there() -> None:
    named = re.findall(r"\]\(([\w.]+)\)", (BOTS / "README.md").read_text(encoding="utf-8"))
    assert sorted({*named, "README.md"}) == sorted(path.name for path in BOTS.iterdir())
    assert len(EXAMPLES) == 9


# ---- The server and the programs --------------------------------------------------------------


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def endpoint(records: Path) -> Iterator[str]:
    """A server's: on tcp, the only transport that all languages know."""
    with Server(records, "--records", str(records), endpoint="tcp://127.0.0.1:*") as server:
        yield server.endpoint


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda example: example.language)
def example(request: pytest.FixtureRequest, workshop: Path) -> Example:
    """An example, compiled in the workshop."""
    if lacking := missing_packages(request.param):
        pytest.skip(
            f"{request.param.language} needs, on Debian: apt-get install {' '.join(lacking)}"
        )
    if request.param.compile:
        run(request.param, request.param.compile, workshop)
    return request.param


def missing_packages(example: Example) -> list[str]:
    """The example's Debian packages that this machine lacks; all of them where it has no dpkg and
    cannot find the program that compiles or runs the example."""
    packages = example.packages.split()
    if shutil.which("dpkg"):
        return [
            package
            for package in packages
            if subprocess.run(["dpkg", "-s", package], capture_output=True, check=False).returncode
        ]
    program = (example.compile or example.run.partition('"')[2] or example.run).split()[0]
    return [] if shutil.which(program) else packages


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(BOTS, tmp_path_factory.mktemp("workshop"), dirs_exist_ok=True)


def run(example: Example, command: str, folder: Path) -> str:
    """The output of a shell command, which must end well within two minutes."""
    environment = dict(os.environ)
    if not example.run.startswith(BRIDGE):
        environment.pop("LD_PRELOAD", None)  # sanitizers are for Python, not for other languages
    done = subprocess.run(
        command, check=False, shell=True, cwd=folder, env=environment,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    if done.returncode:
        pytest.fail(f"{command!r} ends with {done.returncode}: {done.stderr}")
    return done.stdout


# ---- The comparison ---------------------------------------------------------------------------


class Played(NamedTuple):
    """A game in process: the bot's own actions, the state at the end, what each seat earned."""

    actions: list[int]
    state: bytes
    returns: list[float]


@cache
def in_process(game: str, seed: int) -> Played:
    env = CardGameEnv(game, num_players=2, opponents="greedy", seat=0)
    observation, _ = env.reset(seed=seed)
    actions: list[int] = []
    over = False
    while not over:
        legal = env.legal_actions()
        actions.append(int(legal[int(np.sum(observation, dtype=int)) % len(legal)]))
        observation, _, over, _, _ = env.step(actions[-1])
    return Played(actions, env.state.to_bytes(), env.state.returns().tolist())


def recorded(record: Record) -> Played:
    *_, (_, state) = record.replay()
    assert {(move.seat, move.by) for move in record.moves} <= {(0, "player"), (1, "bot")}
    actions = [move.action for move in record.moves if move.seat == 0]
    return Played(actions, state.to_bytes(), state.returns().tolist())


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES_OF_TWO)
def test_example_bot(
    game: str, example: Example, endpoint: str, records: Path, workshop: Path
) -> None:
    table = f"{example.language.replace('+', 'p')}-{game}"
    printed = run(example, example.command(endpoint, table, game), workshop)

    expected = [in_process(game, SEED + number) for number in range(GAMES)]
    series = [Record(path) for path in records.glob(f"{table}-*.jsonl")]
    series.sort(key=lambda record: record.header["number"])
    assert [recorded(record) for record in series] == expected
    total = sum(played.returns[0] for played in expected)
    # The bridge tells too how many answers were missed, and how often a bot played: never.
    line = rf"^{re.escape(example.player)}:? .* {total:.1f}(( +0){{4}})?$"
    assert re.search(line, printed, re.MULTILINE)


# ---- Lost connections -------------------------------------------------------------------------

CROWD = 20
LONG = 400


@pytest.fixture
def hurried(example: Example, tmp_path: Path) -> Path:
    """A workshop with the same program, which plays longer and has less patience."""
    folder = shutil.copytree(BOTS, tmp_path / "workshop")
    path = folder / re.findall(r"[\w.]*bot\.\w+", example.compile or example.run, re.I)[0]
    source = path.read_text(encoding="utf-8")
    source, games = re.subn(r"(games\W+(?:\w+\W+){0,2})3\b", rf"\g<1>{LONG}", source)
    source, patience = re.subn(r"(PATIENCE\b.{1,8})3000\b", r"\g<1>300", source, flags=re.I)
    assert (games, patience) == (1, 1)
    path.write_text(source, encoding="utf-8")
    if example.compile:
        run(example, example.compile, folder)
    return folder


def check_printed(example: Example, printed: str, games: int) -> None:
    total = sum(in_process("mhing", SEED + number).returns[0] for number in range(games))
    assert re.search(rf"^{re.escape(example.player)}: .* {total:.1f}$", printed, re.MULTILINE)


COMPILED_AND_NOT = ("C", "Perl")
"""The languages whose bots lose their connections in .ci/run; with --full all do."""

WITHOUT_BRIDGE = pytest.mark.parametrize(
    "example",
    [
        pytest.param(
            example, marks=[] if example.language in COMPILED_AND_NOT else [pytest.mark.full]
        )
        for example in EXAMPLES
        if not example.run.startswith(BRIDGE)
    ],
    ids=lambda example: example.language,
    indirect=True,
)
"""The connection of the bridge is Python's, see test_server_once.py."""


@pytest.mark.slow
@WITHOUT_BRIDGE
def test_example_bots_outlive_the_server(example: Example, hurried: Path, tmp_path: Path) -> None:
    """Twenty play when their server is killed, and is away for longer than they wait."""
    state = str(tmp_path / "state")
    with (
        Server(tmp_path, "--state", state, endpoint=lasting_endpoint()) as server,
        ThreadPoolExecutor(CROWD) as pool,
    ):
        commands = [example.command(server.endpoint, f"t{i}", "mhing") for i in range(CROWD)]
        crowd = [pool.submit(run, example, command, hurried) for command in commands]
        for _ in range(2):
            time.sleep(0.7)
            server.kill()
            assert not any(each.done() for each in crowd)
            time.sleep(1)
            server.start()
        for each in crowd:
            check_printed(example, each.result(), LONG)


@pytest.mark.slow
@WITHOUT_BRIDGE
def test_example_bots_play_on_a_bad_line(example: Example, hurried: Path, tmp_path: Path) -> None:
    """Requests, questions and answers get lost, come late or come twice."""
    with (
        Server(tmp_path, endpoint="tcp://127.0.0.1:*") as server,
        BadLine(server.endpoint, "tcp://127.0.0.1:*", 0.003) as line,
    ):
        printed = run(example, example.command(line.endpoint, "t", "mhing"), hurried)
        assert line.troubles > 10
    check_printed(example, printed, LONG)
