"""Players by name and as objects, in every place where one is given."""

from __future__ import annotations

import copy
import re
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import numpy as np
import pytest

import mhing
from mhing import arena, players
from mhing.env import CardGameEnv
from mhing.judge import Judge
from mhing.players import Pool, registry
from mhing.table import Table
from mhing.vector import CardGameVectorEnv

PAGE = Path(__file__).parents[3] / "python/docs/pages/players.md"
GAME = mhing.Game("leduc")


def first_legal(observation: Any, mask: Any, info: dict[str, Any]) -> int:
    return int(mask.argmax())


@pytest.fixture
def _no_more_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS})


def test_the_page_lists_all_kinds() -> None:
    _, _, after = PAGE.read_text(encoding="utf-8").partition("| name | who plays |\n|---|---|\n")
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", after.partition("\n\n")[0], re.MULTILINE)
    assert rows == [(kind.form, kind.meaning) for kind in players.kinds()]


@pytest.mark.parametrize(
    ("name", "form"), [("search", "search:BUDGET: a search, such as"), ("onnx", "onnx:FILE: a net")]
)
def test_a_prefix_alone_gets_the_form_of_its_names(name: str, form: str) -> None:
    with pytest.raises(ValueError, match=f"no bot '{name}' .*; write {form}"):
        players.load(name, "leduc")


def test_the_error_lists_all_kinds() -> None:
    with pytest.raises(ValueError, match="no bot 'clever' for leduc; there is random") as caught:
        players.load("clever", GAME)
    assert [kind.form for kind in players.kinds() if kind.form not in str(caught.value)] == []


@pytest.mark.parametrize("given", ["random", "search:5", first_legal])
def test_a_player_that_is_made_plays_like_what_was_given(given: Any) -> None:
    """Everywhere, also in another game than the one that it was made for."""
    elsewhere = players.load(given, "leduc")
    for player in (players.load(given, GAME), elsewhere):
        assert player.name == (given if isinstance(given, str) else "first_legal")
        seen = []
        for one in (given, player):
            env = CardGameEnv("leduc", opponents=one)
            envs = CardGameVectorEnv(4, game="leduc", opponents=[one])
            results = arena.play([one, "greedy"], "leduc", deals=20, first_seed=1)
            table = Table(GAME, [one, one], seed=2)
            seen.append(
                (
                    env.reset(seed=4)[0].tolist(),
                    envs.reset(seed=4)[0].tolist(),
                    [one | {"latency": None} for one in results.to_dict()["players"]],
                    table.choice,
                    Judge(GAME, one).decide(table.state).choice,
                )
            )
        assert seen[0] == seen[1]


@pytest.mark.usefixtures("_no_more_kinds")
def test_registered_kinds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "my_library.py").write_text(
        "from functools import partial\n"
        "def choose(at, observation, mask, info): return int(mask.nonzero()[0][at])\n"
        "def load(rest, game):\n"
        "    if rest not in ('0', '-1'): raise ValueError(f'{rest} is no end')\n"
        "    return partial(choose, int(rest))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    players.register("end:NUMBER", "my_library:load", "the first or the last legal action")
    assert "my_library" not in sys.modules
    state = GAME.new_state(seed=1)
    assert players.load("end:-1", GAME).choose(state) == state.legal_actions()[-1]
    assert players.load("end:0", GAME).choose(state) == state.legal_actions()[0]
    with pytest.raises(ValueError, match=r"^opponents: 7 is no end$"):
        CardGameEnv("leduc", opponents="end:7")
    with pytest.raises(ValueError, match=r"or .*'end:NUMBER'"):
        players.load("clever", GAME)
    for wrong in (("end:NUMBER", "my_library:other"), ("end", "a:b"), ("e:X", "a.b")):
        with pytest.raises(ValueError, match=r"^(form|loader): "):
            players.register(*wrong)


@pytest.mark.usefixtures("_no_more_kinds")
def test_kinds_of_installed_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "their_library.py").write_text(
        "def load(rest, game): return lambda observation, mask, info: int(mask.argmax())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("theirs", "their_library:load", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([entry]))
    registry._entries.cache_clear()
    try:
        assert players.load("theirs:x", GAME).choose(GAME.new_state(seed=1)) == 1
    finally:
        registry._entries.cache_clear()


@pytest.mark.parametrize("name", [f"exec:{sys.executable}", "server:tcp://localhost:7644/them"])
def test_players_outside_this_process(name: str) -> None:
    player = players.load(name, GAME)
    assert isinstance(player.plays, players.Command | players.Guest)
    words = "plays outside this process: only .*the arena"
    if isinstance(player.plays, players.Guest):
        with pytest.raises(ValueError, match=f"^opponents: .* {words}"):
            CardGameEnv("leduc", opponents=name)
        with pytest.raises(ValueError, match=f"^opponents: .* {words}"):
            CardGameVectorEnv(2, game="leduc", opponents=player)
    with pytest.raises(ValueError, match=f"^players: .* {words}"):
        Table(GAME, [name, None])
    with pytest.raises(ValueError, match=f"^bot: .* {words}"):
        Judge(GAME, name)
    with pytest.raises(ValueError, match=r"^player: .* plays outside this process"):
        player.choose(GAME.new_state(seed=1))


def test_an_endpoint_alone_is_a_guest_too() -> None:
    plays = [
        players.load(f"{prefix}tcp://localhost:7644/them", GAME).plays for prefix in ("", "server:")
    ]
    assert plays == [players.Guest("tcp://localhost:7644", "them")] * 2


def test_names() -> None:
    class Mine:
        name = "mine"

        def __call__(self, observation: Any, mask: Any, info: Any) -> int:
            return int(np.flatnonzero(mask)[-1])

    assert players.load(Mine(), GAME).name == "mine"
    assert Judge(GAME, Mine()).name == "mine"
    result = arena.play([Mine(), first_legal, Mine()], "leduc", deals=2)
    assert [player.name for player in result.players] == ["mine", "first_legal", "mine (2)"]


def test_the_former_module_names_the_new_one() -> None:
    with pytest.raises(ImportError, match=r"mhing\.bots is now mhing\.players"):
        import mhing.bots  # noqa: F401


def test_a_pool_may_choose_otherwise_from_then_on() -> None:
    pool = Pool(["greedy", "random"])
    env = CardGameEnv("leduc", opponents=pool)
    met = []
    for name in ("random", "greedy"):
        pool.choose = lambda _, name=name: {name: 1}
        env.reset(seed=1)
        met.append(env.member)
    assert met == ["random", "greedy"]
    with pytest.raises(ValueError, match="choose: 'wins' is neither 'uniform'"):
        pool.choose = "wins"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda pool: loads(dumps(pool))])
def test_a_copy_of_a_pool_has_its_counts_and_no_environments(copied: Any) -> None:
    pool = Pool(["greedy", "random"], "beats_me")
    env = CardGameEnv("leduc", opponents=pool)
    pool.record("greedy", [1, 2], [0, 0])
    other = copied(pool)
    assert other.report() == pool.report()
    assert (len(pool.seats), len(other.seats)) == (1, 0)
    env.close()
    other.add("greedy")
    assert [*pool.members] == ["greedy", "random"]
