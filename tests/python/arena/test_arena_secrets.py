"""Data for the players of a tournament: nothing from which a deal, or one met before, follows."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_process import Server
from test_arena_guests import Policy, guests

import mhing
from mhing import arena
from mhing.arena import table
from mhing.arena.seeds import Seeds

pytestmark = pytest.mark.once

SPY = """
import json, os, stat, sys
out = open(sys.argv[1], "a")
parts = sys.argv, dict(os.environ), os.getcwd(), os.listdir("."), stat.S_IMODE(os.stat(".").st_mode)
print(json.dumps(parts), file=out, flush=True)
for line in sys.stdin:
    out.write(line)
    out.flush()
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"turn": message["turn"], "action": message["legal"][-1]}), flush=True)
"""

SEED = 0xD1A2_B3C4_E5F6_0718
SECRET = "not-for-programs"


def last_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


# ---- Programs --------------------------------------------------------------------------------


def spied(folder: Path, *more: str) -> tuple[list[list[Any]], list[dict[str, Any]], str]:
    """Lines that programs got in a tournament: each process, all lines, and the text of it all."""
    (folder / "spy.py").write_text(SPY)
    (folder / "input").write_text(f"{SEED}\n")
    words = ["-m", "mhing", "arena", f"spy=exec:{sys.executable} spy.py {folder}/heard", "random"]
    words += ["--game", "general_mhing", "--deals", "6", "--log", "log.jsonl", "--seed", "-", *more]
    environment = {**os.environ, "SECRET": SECRET, "GIVEN": "for programs"}
    with open(folder / "input") as stdin:
        subprocess.run(
            [sys.executable, *words], cwd=folder, env=environment, check=True, stdin=stdin,
            capture_output=True,
        )  # fmt: skip
    text = (folder / "heard").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    return (
        [line for line in lines if isinstance(line, list)],
        [line for line in lines if isinstance(line, dict)],
        text,
    )


def test_nothing_that_a_program_gets_leads_to_a_deal(tmp_path: Path) -> None:
    """Its arguments, environment, folder, and every line: no seed, of the tournament or of a deal,
    and no number that a deal has."""
    processes, lines, text = spied(tmp_path)
    deals = [Seeds(SEED, None).deal(number) for number in range(6)]
    for seed in (SEED, *deals):
        assert str(seed) not in text
        assert f"{seed:x}" not in text
    assert SECRET not in text
    assert '"seed"' not in text
    for argv, environment, folder, listing, mode in processes:
        assert {*environment} <= {"PATH", "HOME", "LANG", "LC_CTYPE", "SYSTEMROOT"}
        assert environment["HOME"] == folder != str(tmp_path)
        assert (listing, mode) == ([], 0o700)
        assert not os.path.exists(folder), "folders go with their programs"
        assert argv[0] == str(tmp_path / "spy.py")
    assert len({process[2] for process in processes}) == len(processes)
    starts = [line for line in lines if line["type"] == "start"]
    assert [line["number"] for line in starts] == [*range(12)], "in the order of play"
    for one in starts:
        names = one["players"]
        assert names[one["seat"]] == "spy"
        assert Counter(names) == {"spy": 1, "opponent": len(names) - 1}


def test_a_program_gets_what_the_caller_names(tmp_path: Path) -> None:
    processes, _, text = spied(tmp_path, "--env", "GIVEN", "--env", "NOBODY_HAS_IT")
    assert all(environment["GIVEN"] == "for programs" for _, environment, *_ in processes)
    assert SECRET not in text
    assert "NOBODY_HAS_IT" not in text


def test_a_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    for log in (tmp_path / "new.jsonl", tmp_path / "empty.jsonl"):
        if log.stem == "empty":
            log.touch(0o644)
        arena.play(["greedy", "random"], deals=2, log=log)
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


# ---- Seeds -----------------------------------------------------------------------------------


def first_observations(game: mhing.Game, seeds: Iterator[int] | range) -> set[bytes]:
    """The views of the first to act in the deals of these seeds."""
    return {game.new_state(seed).observation().tobytes() for seed in seeds}


@pytest.mark.parametrize("given", [{}, {"seed": 0}, {"seed": 7}], ids=str)
def test_no_deal_is_that_of_a_small_seed(given: dict[str, int]) -> None:
    """A callable that mirrors them knows all cards."""
    game = mhing.Game("mhing")
    mirrored, seen = first_observations(game, range(200)), 0

    def mirror(observation: Any, mask: Any, info: Any) -> int:
        nonlocal seen
        seen += observation.tobytes() in mirrored
        return last_legal(observation, mask, info)

    arena.play([mirror], game, field="greedy", deals=50, **given)
    assert seen == 0


def test_a_seed_that_is_not_given_is_drawn() -> None:
    results = [arena.play(["greedy", "random"], deals=20) for _ in range(4)]
    seeds = [result.seed for result in results]
    assert len({*seeds}) == 4
    assert max(seed for seed in seeds if seed is not None) > 1 << 56
    assert arena.play(["greedy", "random"], deals=20, seed=seeds[0]) == results[0]


def test_deals_follow_from_the_seed_by_a_keyed_hash() -> None:
    """By hand: hashlib.blake2b with the seed as its key, both in eight bytes, lowest first."""
    deals = [Seeds(5, None).deal(number) for number in range(1000)]
    assert deals[:2] == [10423413811063460595, 16078736515357501574]
    assert len({*deals}) == 1000
    assert not {*deals} & {Seeds(6, None).deal(number) for number in range(1001)}
    bits = np.unpackbits(np.array(deals, np.uint64).view(np.uint8)).reshape(1000, 64)
    assert np.all(abs(bits.mean(0) - 0.5) < 0.08)  # five standard errors
    assert [Seeds(None, 2**64 - 1).deal(number) for number in range(3)] == [2**64 - 1, 0, 1]


SMALL = "seed: {} can be guessed, and programs play: leave it out, and a large one is drawn"
PUBLIC = "the deals are public, and programs play, who can know all cards: this is for reproduction"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": 7}, SMALL.format(7)),
        ({"seed": 2**32 - 1}, SMALL.format(2**32 - 1)),
        ({"first_seed": 2**63}, PUBLIC),
    ],
    ids=str,
)
def test_programs_on_deals_that_can_be_guessed(
    given: dict[str, int], words: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    (tmp_path / "spy.py").write_text(SPY)
    one = f"exec:{sys.executable} {tmp_path}/spy.py {tmp_path}/heard"
    for fair in ({"seed": 2**32}, {}):
        arena.play([one], "leduc", field="random", deals=1, **fair)
    arena.play(["greedy"], field="random", deals=1, **given)
    assert not recwarn
    with pytest.warns(UserWarning, match=re.escape(words)):
        arena.play([one], "leduc", field="random", deals=1, **given)


# ---- Tables of a deal ------------------------------------------------------------------------


@pytest.fixture
def in_play(monkeypatch: pytest.MonkeyPatch) -> list[table.Match]:
    """All games in the order in which they began; no deal is ever at two tables at once."""
    begun: list[table.Match] = []
    running: set[int] = set()
    init, end = table.ArenaTable.__init__, table.ArenaTable.end

    def begin(self: Any, game: Any, match: table.Match, *more: Any) -> None:
        assert match.seed not in running, "two tables of a deal at once"
        running.add(match.seed)
        begun.append(match)
        init(self, game, match, *more)

    def over(self: Any) -> table.GameOutcome:
        running.remove(self.match.seed)
        return end(self)

    monkeypatch.setattr(table.ArenaTable, "__init__", begin)
    monkeypatch.setattr(table.ArenaTable, "end", over)
    return begun


class Rows:
    """Is asked about many tables at once."""

    def __call__(self, observation: Any, mask: Any, info: Any) -> int:
        return last_legal(observation, mask, info)

    def choose_rows(self, observations: Any, masks: Any) -> Any:
        return [last_legal(row, mask, {}) for row, mask in zip(observations, masks, strict=True)]


@pytest.mark.parametrize("field", [None, "greedy"])
@pytest.mark.parametrize("policy", [Rows(), last_legal], ids=["rows", "one"])
def test_all_first_tables_of_the_deals_then_all_second_ones(
    policy: Any, field: str | None, in_play: list[table.Match]
) -> None:
    arena.play([policy, "random"], "mhing", field=field, deals=12, seed=SEED)
    seeds = [Seeds(SEED, None).deal(number) for number in range(12)]
    rounds = [in_play[first : first + 12] for first in range(0, len(in_play), 12)]
    assert len(rounds) == (2 if field is None else 4)
    orders = [[seeds.index(match.seed) for match in one] for one in rounds]
    for order in orders:
        assert sorted(order) == [*range(12)]
        assert order != [*range(12)]
    assert len({*map(tuple, orders)}) == len(orders)
    if field is None:  # the seats that a player has say nothing of the deal either
        for one in rounds:
            assert {match.seating for match in one} == {(0, 1, 0, 1), (1, 0, 1, 0)}


def test_two_sessions_of_a_guest_are_never_at_two_tables_of_a_deal(
    tmp_path: Path, in_play: list[table.Match]
) -> None:
    with (
        Server(tmp_path) as server,
        guests(server.endpoint, "champion", *(Policy(last_legal) for _ in range(3))) as champion,
    ):
        arena.play([champion], "general_mhing", field="greedy", deals=6, seed=SEED, wait=20)
    assert len(in_play) == 6 * 2
    assert len({match.seed for match in in_play[:6]}) == 6


def test_fresh_deals_are_never_met_again(in_play: list[table.Match]) -> None:
    arena.play([last_legal, "random"], "mhing", deals=12, seed=SEED, fresh_deals=True)
    assert len({match.seed for match in in_play}) == len(in_play) == 24
    assert Counter(seat for match in in_play for seat in enumerate(match.seating)) == Counter(
        {(seat, player): 12 for seat in range(4) for player in range(2)}
    )


def test_the_intervals_of_fresh_deals_cover() -> None:
    """Equal players differ by nothing, within the intervals of 95 % of tournaments."""
    covered = 0
    for seed in range(100):
        result = arena.play(["greedy", "greedy"], deals=30, seed=seed, fresh_deals=True)
        (pair,) = result.pairs
        assert pair.difference.interval > 0
        covered += not pair.decided
    assert 88 <= covered <= 100
    assert result.heading() == "60 deals, 60 games of mhing, seed 99"
    assert "95 % intervals by group of 2 fresh deals" in result.notes()
    assert result.to_dict()["fresh_deals"]


@pytest.mark.parametrize(
    ("players", "field", "words"),
    [
        (1, "random", None),
        (2, None, "a player may have 2 of a table's 4 seats, and sees as many hands"),
        (3, None, "a player may have 2 of a table's 4 seats, and sees as many hands"),
        (4, None, None),
    ],
)
def test_seats_of_the_same_player_are_named(
    players: int, field: str | None, words: str | None
) -> None:
    result = arena.play(["greedy"] * players, field=field, deals=2, seed=1)
    assert (words in result.notes()) if words else not any("hands" in s for s in result.notes())
    assert result.to_dict()["seats_of_a_player"] == (2 if words else 1)
