"""``mhing bench --peers``, with stand-ins for other people's packages."""

from __future__ import annotations

import json
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mhing.cli import bench, main, peers
from mhing.cli.doors import BATCH, ENVIRONMENT, ROWS, STATES, game_works

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]


# ---- What a unit of work is ------------------------------------------------------------------


class Rlcard:
    """Games of 5 decisions in which only the ids 7 and 9 are legal."""

    def __init__(self) -> None:
        self.left, self.starts = 0, 0

    def make(self, name: str, config: dict[str, int]) -> Rlcard:
        assert name == "mahjong"
        return self

    def reset(self) -> tuple[dict[str, Any], int]:
        self.left, self.starts = 5, self.starts + 1
        return {"legal_actions": {7: None, 9: None}}, 0

    def step(self, action: int) -> tuple[dict[str, Any], int]:
        assert action in (7, 9)
        self.left -= 1
        return {"legal_actions": {7: None, 9: None}}, 0

    def is_over(self) -> bool:
        return self.left == 0


class Pyspiel:
    """Games that deal 3 cards, which nobody could choose, and then ask for 4 decisions."""

    def __init__(self) -> None:
        self.moves, self.seen = 0, deque[str]()

    def load_game(self, name: str) -> Pyspiel:
        assert name == "hearts"
        return self

    def new_initial_state(self) -> Pyspiel:
        self.moves = 0
        return self

    def is_terminal(self) -> bool:
        return self.moves == 7

    def is_chance_node(self) -> bool:
        return self.moves < 3

    def legal_actions(self) -> list[int]:
        return [50] if self.is_chance_node() else [1, 2]

    def information_state_tensor(self) -> None:
        self.seen.append("tensor")

    def legal_actions_mask(self) -> None:
        self.seen.append("mask")

    def apply_action(self, action: int) -> None:
        assert action in self.legal_actions()
        self.moves += 1


class Riichi:
    """Rounds in which one player answers, then three at once."""

    def __init__(self) -> None:
        self.steps, self.seen = 0, deque[str]()

    def RiichiEnv(self, mode: str, **_: Any) -> Riichi:  # noqa: N802  its own name
        return self

    def observations(self) -> dict[int, Any]:
        observation = SimpleNamespace(
            encode=lambda: self.seen.append("tensor"),
            mask=lambda: self.seen.append("mask"),
            legal_actions=lambda: ["pass"],
        )
        return dict.fromkeys([(2,), (0, 1, 3)][self.steps], observation)

    def reset(self) -> dict[int, Any]:
        self.steps = 0
        return self.observations()

    def done(self) -> bool:
        return self.steps == 2

    def step(self, actions: dict[int, str]) -> dict[int, Any]:
        assert set(actions.values()) == {"pass"}
        self.steps += 1
        return {} if self.done() else self.observations()


class Leduc:
    """Games of 3 decisions, after which both agents are stepped once more with None."""

    def __init__(self) -> None:
        self.steps: list[int | None] = []

    def env(self) -> Leduc:
        return self

    def reset(self) -> None:
        self.steps = []

    def agent_iter(self) -> range:
        return range(5)

    def last(self) -> tuple[Any, ...]:
        over = len(self.steps) >= 3
        mask = np.array([0, 1, 0, 1], np.int8)
        return {"observation": None, "action_mask": mask}, 0, over, False, {}

    def step(self, action: int | None) -> None:
        assert (action is None) == (len(self.steps) >= 3)
        assert action in (None, 1, 3)
        self.steps.append(action)


class Envpool:
    """A batch that counts its steps, with the legal actions 1 and 3 in card games."""

    def __init__(self) -> None:
        self.rows = self.steps = 0

    def make(self, name: str, kind: str, num_envs: int, num_threads: int, seed: int) -> Envpool:
        assert num_threads == 1
        self.rows = num_envs
        return self

    def reset(self) -> tuple[None, dict[str, Any]]:
        return None, {
            "legal_action_mask": np.tile(np.array([0, 1, 0, 1], np.uint8), (self.rows, 1))
        }

    def step(self, actions: Any) -> tuple[Any, ...]:
        assert actions.shape == (self.rows,)
        self.chosen = {*actions.tolist()}
        self.steps += self.rows
        return *[None] * 4, self.reset()[1]


class Fastcatan:
    """A batch in which action 65 alone is legal in the first step, and 2 in later ones."""

    MASK_WORDS, SNAPSHOT_BYTES = 2, 4

    def __init__(self) -> None:
        self.rows = self.steps = self.since = 0

    def BatchedEnv(self, rows: int, seed: int) -> Fastcatan:  # noqa: N802  its name
        self.rows = rows
        return self

    def reset(self) -> None:
        self.since = 0

    def save_snapshots(self, to: Any) -> None:
        assert to.shape == (self.rows, 4)

    def load_snapshots(self, data: Any) -> None:
        self.since = 0

    def write_masks(self, masks: Any) -> None:
        masks[:] = [4, 0] if self.since else [0, 2]

    def step_autoreset(self, actions: Any, overs: Any) -> None:
        assert set(actions.tolist()) == {2 if self.since else 65}
        self.since += 1
        self.steps += self.rows


def test_decisions_are_counted() -> None:
    rlcard = Rlcard()
    work = peers.rlcard_mahjong(rlcard)
    assert [work(), work()] == [5, 5]
    assert rlcard.starts == 2


def test_dealing_is_no_decision() -> None:
    spiel = Pyspiel()
    assert peers.openspiel_hearts(spiel)() == 4
    assert sorted(spiel.seen) == ["mask"] * 4 + ["tensor"] * 4


def test_every_answer_is_a_decision() -> None:
    riichi = Riichi()
    assert peers.riichienv_round(riichi)() == 4
    assert sorted(riichi.seen) == ["mask"] * 4 + ["tensor"] * 4


def test_agents_that_are_out_decide_nothing() -> None:
    leduc = Leduc()
    assert peers.pettingzoo_leduc(leduc)() == 3
    assert leduc.steps[3:] == [None, None]


def test_rows_of_a_batch_are_counted() -> None:
    envpool = Envpool()
    assert peers.envpool_cartpole(envpool)() == envpool.steps
    assert envpool.rows == ROWS


def test_legal_actions_of_batches_are_played() -> None:
    envpool, catan = Envpool(), Fastcatan()
    assert peers.envpool_cards("LeducHoldem-v1")(envpool)() == envpool.steps == 10 * ROWS
    assert envpool.chosen == {1, 3}
    work = peers.fastcatan_batch(catan)
    before = catan.steps
    assert work() == catan.steps - before == 500 * ROWS
    assert peers.gymnasium_vector(gym)() == 10 * ROWS


def test_whole_episodes_of_cartpole() -> None:
    assert 8 <= peers.cartpole(gym)() <= 500


def test_every_peer_stands_beside_a_door() -> None:
    import mhing

    doors = [name for name, _, _ in game_works(mhing.Game())]
    assert doors == [ENVIRONMENT, STATES, BATCH]
    assert {peer.door for peer in peers.PEERS} == set(doors)


# ---- The command -----------------------------------------------------------------------------


def peer(module: str, make: Any) -> peers.Peer:
    return peers.Peer(f"the {module}", "decisions", f"{module}[games]", module, STATES, make)


def report(capsys: Capture) -> Any:
    assert main(["bench", "--peers", "--seconds", "0.3", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_times_are_ours_by_theirs(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Every work is given a speed: ours 300 a second, the peer's 20."""

    def measure(name: str, unit: str, work: Any, seconds: float) -> bench.Speed:
        return bench.Speed(name, unit, 20.0 if name == "the json" else 300.0, seconds)

    monkeypatch.setattr(bench, "measure", measure)
    monkeypatch.setattr(bench, "PEERS", (peer("json", lambda _: lambda: 1),))
    reported = report(capsys)
    assert reported["not_installed"] == []
    (compared,) = reported["peers"]
    assert compared["per_second"] == 20
    assert compared["times"] == 15
    assert compared["door"] == STATES
    assert sum(speed["seconds"] for speed in reported["speeds"]) == pytest.approx(0.3 * 5 / 6)
    main(["bench", "--peers"])
    out = capsys.readouterr().out
    assert "the json  20          15.0" in out
    assert "not installed" not in out


def test_missing_and_broken_peers(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    """A missing one is named, a failing one with its reason, and the rest still run."""

    def stops(_: Any) -> Any:
        def work() -> int:
            raise RuntimeError("no licence\nsecond line")

        return work

    (tmp_path / "half_a_peer.py").write_text("print('hello')\nraise ImportError('no libpeer.so')\n")
    (tmp_path / "peer_of_parts.py").write_text("import no_such_part\n")
    (tmp_path / "whole_peer.py").write_text("print('welcome')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        bench,
        "PEERS",
        (
            peer("no_such_peer", None),
            peer("half_a_peer", None),
            peer("peer_of_parts", None),
            peer("json", stops),
            peer("whole_peer", lambda _: lambda: 1),
        ),
    )
    reported = report(capsys)  # which is JSON: nobody's greeting is in it
    assert reported["not_installed"] == ["no_such_peer[games]", "peer_of_parts[games]"]
    half, parts, stopped, whole = reported["peers"]
    assert (half["incomplete"], parts["incomplete"]) == (False, True)
    assert half["problem"] == "ImportError: no libpeer.so"
    assert stopped["problem"] == "RuntimeError: no licence"
    assert half["per_second"] is stopped["times"] is whole["problem"] is None
    assert whole["per_second"] > 0
    sys.modules.pop("whole_peer")
    main(["bench", "--peers", "--seconds", "0.3"])
    out = capsys.readouterr().out
    assert "no licence" in out
    missing = "'no_such_peer[games]' 'peer_of_parts[games]'"
    assert out.endswith(f"\nnot installed: pip install {missing}\n")


def test_peers_only_when_asked(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(bench, "PEERS", (peer("json", None),))
    assert main(["bench", "--seconds", "0.2", "--json"]) == 0
    assert "peers" not in json.loads(capsys.readouterr().out)
