"""Names of options are known to type checkers, and are those of the games' tables."""

from __future__ import annotations

import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

import mhing
from mhing.options import Options
from mhing.vector import CardGameVectorEnv
from mhing.vector.settings import VectorSettings

PROGRAM = """\
import mhing
from mhing import arena, players
from mhing.env import CardGameEnv
from mhing.jax import VecEnv
from mhing.options import Options
from mhing.sb3 import MhingVecEnv
from mhing.torchrl import MhingEnv
from mhing.vector import CardGameVectorEnv

game = mhing.Game("general_mhing", num_players=2, rules={"preset": "twenty"}, hints=None)
mhing.Game(game.id, **game.options)
mhing.Game(num_playerz=4)
mhing.mhing_v0.env(num_playerz=4)
mhing.mhing_v0.parallel_env(num_playerz=4)
CardGameEnv(num_playerz=4)
CardGameVectorEnv(num_envs=2, num_playerz=4)
arena.play(["greedy", "random"], num_playerz=4)
players.load("greedy", num_playerz=4)
mhing.play_widget(num_playerz=4)
VecEnv(game.id, 2, num_threads=1, num_players=2)
VecEnv(game.id, 2, num_playerz=4)
MhingVecEnv(game.id, 2, opponents="greedy", obs_mode="dict", num_players=2)
MhingVecEnv(game.id, 2, num_playerz=4)
MhingEnv(game.id, device="cpu", opponents=["greedy"], seat=0, num_players=2)
MhingEnv(game.id, num_playerz=4)
misspelt: Options = {"num_playerz": 4}
"""
"""A module in which the lines with num_playerz are wrong, and no others."""

SETTINGS = """\
[mypy]
ignore_missing_imports = True
follow_imports = skip

[mypy-mhing.*]
follow_imports = silent
"""
"""Mypy reads this package and none of the libraries, which would take four times as long."""


def test_names_are_those_of_the_tables() -> None:
    of_games = {name for game in mhing.games() for name in mhing.Game(game).options} | {"rules"}
    if "leduc" not in mhing.games():  # the template, which is built on request
        of_games.add("max_raises")
    assert set(Options.__annotations__) == of_games, "the names in python/mhing/options.py"


def test_adapters_hand_on_all_settings_of_rows() -> None:
    arguments = {*signature(CardGameVectorEnv).parameters} - {"options"}
    own = {"num_envs", "game", "opponents", "autoreset_mode", "copy"}
    assert {*VectorSettings.__annotations__} == (arguments - own) | {*Options.__annotations__}


@pytest.mark.once
@pytest.mark.slow
def test_a_type_checker_finds_misspelt_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs the extra mhing[dev]")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "settings.ini").write_text(SETTINGS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=settings.ini", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line.split(":") for line in done.stdout.splitlines() if ": error: " in line]
    wrong = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "playerz" in line]
    assert [int(words[1]) for words in found] == wrong, done.stdout + done.stderr
    assert all("num_playerz" in ":".join(words) for words in found)
