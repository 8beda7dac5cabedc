"""Players of any kind at a server's tables: ``mhing connect ENDPOINT PLAYER``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from remote_bots import GREEDY, First
from server_process import Server

import mhing
from mhing import render
from mhing.cli import main
from mhing.players import Given
from mhing.players.client import PlayerBot
from mhing.text import Texts


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server.endpoint


class Lowest:
    """It plays the lowest legal action, after a look at what it sees."""

    def __init__(self, sees: str | None) -> None:
        self.sees, self.shown, self.infos = sees, [], []  # type: ignore[var-annotated]

    def __call__(self, shown: Any, mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        self.shown.append(shown)
        self.infos.append(info)
        return int(mask.argmax())


class Rows:
    """It answers rows, in words."""

    def choose_rows(self, observations: Any, masks: NDArray[np.int8]) -> list[str]:
        game = mhing.Game("mhing")
        return [f"I'll {game.action_text(int(mask.argmax()))}." for mask in masks]


async def _lowest(observation: Any, mask: NDArray[np.int8], info: dict[str, Any]) -> int:
    return int(mask.argmax())


@pytest.mark.parametrize("player", [Lowest(None), Lowest("words"), Rows(), _lowest])
def test_players_play_as_a_bot_that_chooses_alike(endpoint: str, player: Given) -> None:
    expected = First().play(endpoint, bots=GREEDY, seed=21, games=2)
    end = PlayerBot(player, "first").play(endpoint, bots=GREEDY, seed=21, games=2)
    assert end["returns"] == expected["returns"]
    assert end["totals"] == expected["totals"]
    assert end["totals"][0]["missed"] == 0


def test_a_player_sees_what_the_same_one_sees_in_the_arena(endpoint: str) -> None:
    game = mhing.Game("mhing")
    looking = {sees: Lowest(sees) for sees in (None, "raw", "fields", "words", "position")}
    for player in looking.values():
        PlayerBot(player).play(endpoint, bots=GREEDY, seed=21, games=2)
    assert looking["raw"].shown[0].tobytes() == looking[None].shown[0].tobytes()
    for raw, fields, words, position, info in zip(
        *(looking[sees].shown for sees in ("raw", "fields", "words", "position")),
        looking["raw"].infos,
        strict=True,
    ):
        assert {name: one.tolist() for name, one in fields.items()} == {
            name: one.tolist() for name, one in game.unpack(raw).items()
        }
        assert isinstance(position, render.View)
        assert position.observation.tobytes() == raw.tobytes()
        assert words == Texts(game).observation(position)
        assert position.seat == info["seat"] == 0
        assert info["action_mask"].any()
    assert {info["game"] for info in looking["raw"].infos} == {1, 2}


def test_hints_are_seen_where_the_table_has_them(endpoint: str) -> None:
    player = Lowest("hints")
    with pytest.raises(ValueError, match=r"Lowest sees 'hints'.*the option hints=on"):
        PlayerBot(player).play(endpoint, bots=GREEDY)
    game = mhing.Game("mhing", hints=True)
    PlayerBot(player, game=game).play(endpoint, bots=GREEDY, options=game._handle.options)
    assert {len(one) for one in player.shown} == {game.observation_size}


@pytest.mark.parametrize("player", ["greedy", "search:5", Lowest("world"), Lowest("features")])
def test_players_that_need_the_state_are_refused(player: Given) -> None:
    with pytest.raises(ValueError, match=r"^player: .*a server sends"):
        PlayerBot(player, game=mhing.Game("mhing"))


def test_an_answer_that_is_not_legal_is_replaced(
    endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    end = PlayerBot(lambda observation, mask, info: "fly", "odd").play(
        endpoint, bots=["greedy"], game="leduc"
    )
    assert end["totals"][0]["missed"] >= 1
    assert any("no move was found in 'fly'" in line for line in caplog.messages)


MODULE = """
def lowest(observation, mask, info):
    return int(mask.argmax())


def broken(observation, mask, info):
    raise KeyError("weights")
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "seated_by_name.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return "seated_by_name"


def test_the_command_seats_a_player_by_its_name(
    endpoint: str, module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = First().play(endpoint, bots=GREEDY, seed=21)
    line = ["connect", endpoint, f"{module}:lowest", "--bots", ",".join(GREEDY), "--seed", "21"]
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["returns"] == expected["returns"]
    assert main([*line, "--table", "named", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["returns"] == expected["returns"]


@pytest.mark.parametrize(
    ("player", "options", "words"),
    [
        ("greedy", [], "greedy is a built-in bot, which needs the state"),
        ("gredy", [], "did you mean greedy?"),
        ("search:5", ["--table", "searched"], "search:5 is a built-in bot"),
        ("MODULE:broken", [], "has failed: KeyError: 'weights'"),
        ("MODULE:brokn", [], "did you mean broken?"),
        ("onnx:none.onnx", [], "there is no such file"),
        ("exec:", [], "exec:COMMAND"),
    ],
)
def test_the_command_refuses_players_in_a_line(
    endpoint: str,
    module: str,
    player: str,
    options: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    player = player.replace("MODULE", module)
    assert main(["connect", endpoint, player, "--bots", ",".join(GREEDY), *options]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
