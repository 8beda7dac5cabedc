"""Agents learned in a library, as players in all places."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from mhing import arena, cli
from mhing.env import CardGameEnv
from mhing.vector import CardGameVectorEnv

GAME = "general_mhing"


def plays_like(given: list[Any], hints: bool) -> None:
    """All of them play the same, in the game that they learned and beside others."""
    found = []
    for one in given:
        envs = CardGameVectorEnv(8, game=GAME, opponents=one, hints=hints)
        observations = [envs.reset(seed=1)[0]]
        observations += [envs.step(envs.sample_actions())[0] for _ in range(10)]
        env = CardGameEnv(GAME, opponents=one)  # without hints, whatever it learned with
        results = [
            arena.play({"one": one, "random": "random"}, GAME, deals=5, first_seed=1, hints=on)
            for on in (False, True)
        ]
        assert results[0].players == results[1].players
        assert results[0].players[0].forfeits == 0
        found.append((np.array(observations).tobytes(), env.reset(seed=3)[0].tobytes(), results))
    assert all(one == found[0] for one in found)


def by_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["arena", f"mine={name}", "random", "--game", GAME, "--deals", "5", "--json"])
    result = json.loads(capsys.readouterr().out)
    assert [player["name"] for player in result["players"]] == ["mine", "random"]
    assert result["players"][0]["forfeits"] == 0
